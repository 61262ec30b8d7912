"""Beats to the cloud's metrics: CloudWatch PutMetricData, Cloud Monitoring timeSeries.create, Azure Monitor's custom metrics.

Rights: `cloudwatch:PutMetricData` for the namespace alone, `roles/monitoring.metricWriter`, *Monitoring Metrics Publisher* on the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx

from components import heartbeat
from components.inventory import Cloud
from scripts.engine.environment import AZURE_ENDPOINT
from scripts.errors import Failed
from scripts.idle.collect.cloud_monitoring import CUSTOM
from scripts.idle.collect.lines import NAMESPACE
from scripts.idle.heartbeat.beat import Beat

SECONDS = 15
AZURE_SCOPE = "https://monitoring.azure.com//.default"
"""The audience ends in a slash (Azure Monitor, "Ingest custom metrics … using the REST API")."""


@dataclass(frozen=True, kw_only=True)
class Sender:
    """The cluster that tells of itself."""

    cloud: Cloud
    account: str
    region: str
    """On GCP the cluster's location: a region or a zone."""
    cluster: str
    resource: str = ""
    """Azure: the cluster's path, /subscriptions/…"""


def send(sender: Sender, beats: Sequence[Beat], now: datetime, environment: Mapping[str, str]) -> None:
    """Raises Failed when the cloud refuses or does not answer."""
    match sender.cloud:
        case "aws":
            _to_cloudwatch(sender, beats, now, environment)
        case "gcp":
            _to_cloud_monitoring(sender, beats, now, environment)
        case "azure":
            _to_azure_monitor(sender, beats, now, environment)


def _to_cloudwatch(sender: Sender, beats: Sequence[Beat], now: datetime, environment: Mapping[str, str]) -> None:
    from scripts.engine.aws_session import client, told

    data = [
        {
            "MetricName": str(what),
            "Dimensions": [{"Name": heartbeat.CLUSTER, "Value": sender.cluster}, {"Name": heartbeat.POOL, "Value": beat.pool}],
            "Timestamp": now,
            "Value": value,
        }
        for beat in beats
        for what, value in beat.values().items()
    ]
    cloudwatch = client("cloudwatch", sender.region, environment)
    told("keep a heartbeat", lambda: cloudwatch.put_metric_data(Namespace=NAMESPACE, MetricData=data))


def _to_cloud_monitoring(sender: Sender, beats: Sequence[Beat], now: datetime, environment: Mapping[str, str]) -> None:
    from scripts.engine.gcp_session import Google, NoCredentials

    place = {"project_id": sender.account, "location": sender.region, "cluster_name": sender.cluster}
    series = [
        {
            "metric": {"type": f"{CUSTOM}/{what}", "labels": {"pool": beat.pool}},
            "resource": {"type": "k8s_cluster", "labels": place},
            "metricKind": "GAUGE",
            "valueType": "DOUBLE",
            "points": [{"interval": {"endTime": _text(now)}, "value": {"doubleValue": value}}],
        }
        for beat in beats
        for what, value in beat.values().items()
    ]
    try:
        answer = Google(environment).send("POST", "monitoring", f"/v3/projects/{sender.account}/timeSeries", {"timeSeries": series})
    except NoCredentials as error:
        raise Failed(f"there are no Google credentials to keep a heartbeat with: {error}") from error
    if answer.is_error:
        raise Failed(f"Google refused to keep a heartbeat: HTTP {answer.status_code} {answer.text[:200]}")


def _to_azure_monitor(sender: Sender, beats: Sequence[Beat], now: datetime, environment: Mapping[str, str]) -> None:
    """One metric a call, with a series for each pool."""
    simulated = environment.get(AZURE_ENDPOINT)
    url = f"{simulated or f'https://{sender.region}.monitoring.azure.com'}{sender.resource}/metrics"
    header = {"Authorization": f"Bearer {_azure_token(environment)}"}
    for what in dict.fromkeys(what for beat in beats for what in beat.values()):
        base = {"metric": str(what), "namespace": NAMESPACE, "dimNames": ["pool"], "series": _azure_series(what, beats)}
        body = {"time": _text(now), "data": {"baseData": base}}
        try:
            answer = httpx.post(url, json=body, headers=header, timeout=SECONDS, trust_env=not simulated)
        except httpx.HTTPError as error:
            raise Failed(f"Azure did not answer when asked to keep a heartbeat: {error}") from error
        if answer.is_error:
            raise Failed(f"Azure refused to keep a heartbeat: HTTP {answer.status_code} {answer.text[:200]}")


def _azure_series(what: Any, beats: Sequence[Beat]) -> list[dict[str, Any]]:
    values = [(beat.pool, beat.values()[what]) for beat in beats if what in beat.values()]
    return [{"dimValues": [pool], "min": value, "max": value, "sum": value, "count": 1} for pool, value in values]


def _azure_token(environment: Mapping[str, str]) -> str:
    from azure.core.exceptions import AzureError

    from scripts.engine.azure_session import SIMULATED_TOKEN, credential

    if environment.get(AZURE_ENDPOINT):
        return SIMULATED_TOKEN
    try:
        return str(credential(environment).get_token(AZURE_SCOPE).token)
    except AzureError as error:
        raise Failed(f"Azure gave no token to keep a heartbeat with: {str(error).splitlines()[0]}") from error


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
