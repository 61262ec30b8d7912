"""Azure Monitor: network of the scale sets' machines, the heartbeat. API Metrics - List.

Azure has no platform metric of GPUs. `Network In Total` and `Network Out Total` come a minute, as bytes, split by `VMName`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from scripts.idle.collect.azure import Azure
from scripts.idle.collect.lines import BEAT_SECONDS, BEATS, NAMESPACE, Line, Span, What

PERIOD = 60.0
LATE = 240.0
SERIES = 1000
"""Most series of one answer; without a number the API gives ten."""
NETWORK = ("Network In Total", "Network Out Total")
VM, POOL = "VMName", "pool"
"""Dimensions."""


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """One question about one resource."""

    names: tuple[str, ...]
    dimension: str
    aggregation: str
    namespace: str | None = None


def lines(azure: Azure, cluster: str, machines: Mapping[str, tuple[str, ...]], span: Span) -> list[Line]:
    """`cluster`: the cluster's path; `machines`: paths of the scale sets of each pool. Raises Failed when Azure refuses or does not answer."""
    found = [line for pool, sets in machines.items() for path in sets for line in _network(azure, pool, path, span)]
    return [*found, *_beats(azure, cluster, span)]


def _network(azure: Azure, pool: str, path: str, span: Span) -> Iterator[Line]:
    for name, machine, points in _series(azure, path, span, _Asked(names=NETWORK, dimension=VM, aggregation="Total")):
        yield Line(
            what=What.NETWORK,
            metric=name,
            period=PERIOD,
            late=LATE,
            machine=machine,
            pool=pool,
            points=[(at, value / PERIOD) for at, value in points],
        )


def _beats(azure: Azure, cluster: str, span: Span) -> Iterator[Line]:
    """A namespace that nothing was ever sent to is refused as unknown: that no heartbeat is sent there is an answer."""
    spaces = azure.ask("list namespaces of metrics", lambda: list(azure.monitor.metric_namespaces.list(cluster)))
    if all(str(space.properties.metric_namespace_name).casefold() != NAMESPACE for space in spaces):
        return
    highest = _Asked(names=(*BEATS, What.LAST_ACTIVE), dimension=POOL, aggregation="Maximum", namespace=NAMESPACE)
    lowest = _Asked(names=(What.GPUS,), dimension=POOL, aggregation="Minimum", namespace=NAMESPACE)
    lows = {(name, pool): points for name, pool, points in _series(azure, cluster, span, lowest)}
    for name, pool, points in _series(azure, cluster, span, highest):
        yield Line(
            what=What(name),
            metric=f"{NAMESPACE} {name}",
            period=BEAT_SECONDS,
            late=LATE,
            pool=pool,
            points=[*points, *lows.get((name, pool), ())],
        )


def _series(azure: Azure, path: str, span: Span, asked: _Asked) -> Iterator[tuple[str, str | None, list[tuple[float, float]]]]:
    """Name of the metric, value of the dimension, points."""

    def call() -> Any:
        return azure.monitor.metrics.list(
            path,
            timespan=f"{_text(span.since)}/{_text(span.until)}",
            interval="PT1M",
            metricnames=",".join(asked.names),
            aggregation=asked.aggregation,
            top=SERIES,
            filter=f"{asked.dimension} eq '*'",
            metricnamespace=asked.namespace,
        )

    for metric in azure.ask("read metrics", call).value:
        for series in metric.timeseries or ():
            marks = {str(mark.name.value).casefold(): str(mark.value) for mark in series.metadatavalues or ()}
            points = [(point.time_stamp.timestamp(), getattr(point, asked.aggregation.lower())) for point in series.data or ()]
            yield (
                str(metric.name.value),
                marks.get(asked.dimension.casefold()),
                [(at, float(value)) for at, value in points if value is not None],
            )


def _text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
