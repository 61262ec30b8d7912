"""Costs of a stretch of time: until a lease ends, and of windows that are paid when they are bought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from components.unknown import Maybe, Unknown

from .result import Cost, Line

HOUR = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class Period:
    """What the time up to the end of `last_day` (UTC) costs at each level, if that level held all the time."""

    last_day: date
    hours: float
    now_usd: float
    max_usd: float
    partial: bool


def until(cost: Cost, last_day: date, now: datetime) -> Period:
    """The cost from `now` to the end of the lease's last day; nothing is left of a lease that is over."""
    end = datetime.combine(last_day + timedelta(days=1), time(), tzinfo=UTC)
    hours = max((end - now) / HOUR, 0.0)
    at_start, at_max = cost.now, cost.max
    return Period(
        last_day=last_day,
        hours=hours,
        now_usd=at_start.hourly_usd * hours,
        max_usd=at_max.hourly_usd * hours,
        partial=at_start.partial or at_max.partial,
    )


@dataclass(frozen=True, kw_only=True)
class UpFront:
    """A window that is paid as a whole when it is bought. `usd` None: its length or the nodes are unknown."""

    pool: str
    usd_per_node_hour: float
    nodes: Maybe[int]
    hours: float | None
    usd: float | None


def up_front(cost: Cost, windows: Mapping[str, tuple[datetime, datetime]]) -> Iterator[UpFront]:
    """Capacity blocks of `cost` by pool name, each with the length of its window where the stack file gives one."""
    for line in cost.lines:
        if line.up_front:
            yield _paid(line, windows.get(line.pool))


def _paid(line: Line, window: tuple[datetime, datetime] | None) -> UpFront:
    hours = None if window is None else (window[1] - window[0]) / HOUR
    nodes = line.maximum
    usd = None if hours is None or isinstance(nodes, Unknown) else line.usd_per_hour * nodes * hours
    return UpFront(pool=line.pool, usd_per_node_hour=line.usd_per_hour, nodes=nodes, hours=hours, usd=usd)
