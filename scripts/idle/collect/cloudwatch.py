"""CloudWatch: network of EC2 instances, GPU utilisation of Container Insights, the heartbeat. API GetMetricData.

EC2 sends `NetworkIn` and `NetworkOut` every five minutes (with detailed monitoring every minute), as bytes of the period. Container Insights
with enhanced observability sends `node_gpu_utilization`, where it is installed and its agent sees a GPU: it is never counted on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from components import heartbeat
from scripts.idle.collect.aws import Aws, told
from scripts.idle.collect.lines import BEAT_SECONDS, BEATS, NAMESPACE, Line, Span, What

QUERIES = 500
"""Most queries of one GetMetricData call (API reference)."""
NETWORK_SECONDS, NETWORK_LATE = 300, 600.0
BEAT_LATE = float(heartbeat.LATE_SECONDS)
INSIGHTS = "ContainerInsights"
INSIGHTS_UTILISATION = "node_gpu_utilization"


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """One query, and what its answer will be a line of."""

    namespace: str
    name: str
    dimensions: Mapping[str, str]
    statistic: str
    period: int
    line: Line
    divide: float = 1.0


def lines(aws: Aws, machines: Mapping[str, tuple[str, ...]], span: Span) -> list[Line]:
    """Raises Failed when AWS refuses or does not answer."""
    return told("read its metrics", lambda: list(_lines(aws, machines, span)))


def _lines(aws: Aws, machines: Mapping[str, tuple[str, ...]], span: Span) -> Iterator[Line]:
    asked = [*_network(machines), _utilisation(aws.target.cluster), *_beats(aws)]
    for at in range(0, len(asked), QUERIES):
        yield from _answered(aws, asked[at : at + QUERIES], span)


def _network(machines: Mapping[str, tuple[str, ...]]) -> Iterator[_Asked]:
    for pool, ids in machines.items():
        for machine in ids:
            for name in ("NetworkIn", "NetworkOut"):
                line = Line(
                    what=What.NETWORK, metric=f"AWS/EC2 {name}", period=NETWORK_SECONDS, late=NETWORK_LATE, machine=machine, pool=pool
                )
                yield _Asked(
                    namespace="AWS/EC2",
                    name=name,
                    dimensions={"InstanceId": machine},
                    statistic="Sum",
                    period=NETWORK_SECONDS,
                    line=line,
                    divide=NETWORK_SECONDS,
                )


def _utilisation(cluster: str) -> _Asked:
    line = Line(what=What.UTILISATION, metric=f"{INSIGHTS} {INSIGHTS_UTILISATION}", period=60.0)
    return _Asked(
        namespace=INSIGHTS, name=INSIGHTS_UTILISATION, dimensions={"ClusterName": cluster}, statistic="Maximum", period=60, line=line
    )


def _beats(aws: Aws) -> Iterator[_Asked]:
    """Of the pools of which a heartbeat came in the last three hours: CloudWatch lists no older metrics under `PT3H`."""
    given = {"Namespace": NAMESPACE, "Dimensions": [{"Name": heartbeat.CLUSTER, "Value": aws.target.cluster}], "RecentlyActive": "PT3H"}
    for metric in aws.pages("cloudwatch", "list_metrics", "Metrics", "NextToken", **given):
        dimensions = {str(each["Name"]): str(each["Value"]) for each in metric["Dimensions"]}
        if metric["MetricName"] not in (*BEATS, What.LAST_ACTIVE) or set(dimensions) != {heartbeat.CLUSTER, heartbeat.POOL}:
            continue
        what = What(metric["MetricName"])
        line = Line(what=what, metric=f"{NAMESPACE} {what}", period=BEAT_SECONDS, late=BEAT_LATE, pool=dimensions[heartbeat.POOL])
        for statistic in ("Minimum", "Maximum") if what is What.GPUS else ("Maximum",):
            yield _Asked(namespace=NAMESPACE, name=what, dimensions=dimensions, statistic=statistic, period=int(BEAT_SECONDS), line=line)


def _answered(aws: Aws, asked: list[_Asked], span: Span) -> Iterable[Line]:
    points: dict[str, list[tuple[float, float]]] = {}
    given = {
        "MetricDataQueries": [_query(f"m{at}", each) for at, each in enumerate(asked)],
        "StartTime": datetime.fromtimestamp(span.since, UTC),
        "EndTime": datetime.fromtimestamp(span.until, UTC),
    }
    for result in aws.pages("cloudwatch", "get_metric_data", "MetricDataResults", "NextToken", **given):
        pairs = zip(result.get("Timestamps") or (), result.get("Values") or (), strict=True)
        points.setdefault(str(result["Id"]), []).extend((at.timestamp(), float(value)) for at, value in pairs)
    return _joined((each, points.get(f"m{at}", [])) for at, each in enumerate(asked))


def _joined(answers: Iterable[tuple[_Asked, list[tuple[float, float]]]]) -> Iterator[Line]:
    """One line a series: statistics of the same one are put together."""
    joined: dict[tuple[object, ...], Line] = {}
    for asked, points in answers:
        key = (asked.line.what, asked.line.metric, asked.line.machine, asked.line.pool)
        before = joined[key].points if key in joined else ()
        found = [(at, value / asked.divide) for at, value in points]
        joined[key] = replace(asked.line, points=(*before, *found))
    yield from joined.values()


def _query(id_: str, asked: _Asked) -> dict[str, Any]:
    metric = {
        "Namespace": asked.namespace,
        "MetricName": str(asked.name),
        "Dimensions": [{"Name": name, "Value": value} for name, value in sorted(asked.dimensions.items())],
    }
    return {"Id": id_, "MetricStat": {"Metric": metric, "Period": asked.period, "Stat": asked.statistic}}
