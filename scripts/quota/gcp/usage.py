"""What is used of a quota that Compute Engine's listing lacks: from Cloud Monitoring."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from components.demand import EVERYWHERE
from scripts.quota.readings import Gap

from .session import Clients, ask

RECENT_S = 2 * 24 * 3600
"""Allocation usage is written a few times a day at least."""


def usage(clients: Clients, project: str, place: str, metric: str, dimensions: Mapping[str, str]) -> float | Gap:
    """The latest value. A series that is not there is a gap and not zero: Google writes none for what was never used, nor for all that is."""
    where = f"usage of {metric.rpartition('/')[2]} in {place}"
    found = ask(where, "monitoring.timeSeries.list", lambda: _latest(clients, project, filter_of(place, metric, dimensions)))
    if found is None:
        return Gap(
            where=where,
            reason="Cloud Monitoring has no series for it",
            fix="Look the usage up in the console, or record a snapshot by hand.",
        )
    return found


def filter_of(place: str, metric: str, dimensions: Mapping[str, str]) -> str:
    """Quotas by family have a metric of their own with the family as label, the others stand in the one of all services."""
    service, _, short = metric.partition("/")
    parts = [f'metric.type="{service}/quota/{short}/usage"', *(f'metric.labels.{key}="{value}"' for key, value in dimensions.items())]
    if not dimensions:
        parts = ['metric.type="serviceruntime.googleapis.com/quota/allocation/usage"', f'metric.labels.quota_metric="{metric}"']
    return " AND ".join([*parts, f'resource.labels.location="{place}"'] if place != EVERYWHERE else parts)


def _latest(clients: Clients, project: str, told: str) -> float | None:
    now = int(time.time())
    request: dict[str, Any] = {
        "name": f"projects/{project}",
        "filter": told,
        "interval": {"start_time": {"seconds": now - RECENT_S}, "end_time": {"seconds": now}},
        "view": "FULL",
    }
    points = [
        point for series in clients.metrics.list_time_series(request=request, retry=clients.retry) for point in list(series.points)[:1]
    ]
    return sum(float(point.value.int64_value or point.value.double_value) for point in points) if points else None
