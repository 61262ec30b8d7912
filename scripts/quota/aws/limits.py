"""Limits by Service Quotas, usage by the CloudWatch metric that Service Quotas itself names for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from components import catalog
from scripts.quota.readings import Gap, Reading, Readings

from .session import Clients, ask

SERVICE = "ec2"
RECENT = timedelta(hours=3)
"""Usage metrics come every five minutes; what is older says nothing about now."""
PERIOD_S = 300


def read_region(clients: Clients, region: str, codes: Sequence[str]) -> Readings:
    """Limits of `codes` in one region with their usage; whatever is withheld is a gap and never zero."""
    gaps: list[Gap] = []
    quotas: dict[str, Mapping[str, Any]] = {}
    for code in codes:
        answer = ask(region, "servicequotas:GetServiceQuota", lambda code=code: _quota(clients("service-quotas", region), code))
        if isinstance(answer, Gap):
            gaps.append(answer)
        else:
            quotas[code] = answer
    usage = ask(region, "cloudwatch:GetMetricData", lambda: _usage(clients("cloudwatch", region), quotas)) if quotas else {}
    if isinstance(usage, Gap):
        gaps.append(usage)
        usage = {}
    readings = tuple(_reading(region, code, quota, usage.get(code)) for code, quota in quotas.items())
    return Readings(readings=readings, gaps=tuple(dict.fromkeys(gaps)))


def _quota(client: Any, code: str) -> Mapping[str, Any]:
    """The applied limit; AWS's default where an account never had one of its own."""
    from botocore.exceptions import ClientError

    try:
        return client.get_service_quota(ServiceCode=SERVICE, QuotaCode=code)["Quota"]
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") != "NoSuchResourceException":
            raise
        return client.get_aws_default_service_quota(ServiceCode=SERVICE, QuotaCode=code)["Quota"]


def _usage(client: Any, quotas: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """The latest usage of every quota that names a metric. One without recent data points is left out: that is unknown, not zero."""
    metrics = {f"q{i}": (code, quota["UsageMetric"]) for i, (code, quota) in enumerate(quotas.items()) if quota.get("UsageMetric")}
    if not metrics:
        return {}
    end = datetime.now(UTC)
    found: dict[str, float] = {}
    pages = client.get_paginator("get_metric_data").paginate(
        MetricDataQueries=[_query(name, metric) for name, (_, metric) in metrics.items()],
        StartTime=end - RECENT,
        EndTime=end,
        ScanBy="TimestampDescending",
    )
    for page in pages:
        for result in page["MetricDataResults"]:
            if result["Values"]:
                found.setdefault(metrics[result["Id"]][0], float(result["Values"][0]))
    return found


def _query(name: str, metric: Mapping[str, Any]) -> dict[str, Any]:
    dimensions = [{"Name": key, "Value": value} for key, value in sorted(metric["MetricDimensions"].items())]
    stat = metric.get("MetricStatisticRecommendation") or "Maximum"
    described = {"Namespace": metric["MetricNamespace"], "MetricName": metric["MetricName"], "Dimensions": dimensions}
    return {"Id": name, "MetricStat": {"Metric": described, "Period": PERIOD_S, "Stat": stat}}


def _reading(region: str, code: str, quota: Mapping[str, Any], usage: float | None) -> Reading:
    known = {found.code: found for found in catalog.quotas("aws")}.get(code)
    return Reading(
        cloud="aws",
        region=region,
        code=code,
        name=str(quota.get("QuotaName") or (known.name if known else code)),
        unit=known.unit if known else str(quota.get("Unit") or ""),
        limit=float(quota["Value"]),
        usage=usage,
    )
