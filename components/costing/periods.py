"""Costs of a stretch of time: until a lease ends, and of windows that are paid when they are bought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType

from components.unknown import Maybe, Unknown, known

from .result import Cost, Line

HOUR = timedelta(hours=1)
Windows = Mapping[str, tuple[datetime, datetime]]
"""Start and end of what is paid up front, by pool name."""
NO_WINDOWS: Windows = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Period:
    """What the time up to the end of `last_day` (UTC) costs at each level, if that level held all the time."""

    last_day: date
    hours: float
    now_usd: float
    max_usd: float
    partial: bool


def until(cost: Cost, last_day: date, now: datetime, windows: Windows = NO_WINDOWS) -> Period:
    """The cost from `now` to the end of the lease's last day; nothing is left of a lease that is over.

    A capacity block whose window is given bills in that window alone.
    """
    end = datetime.combine(last_day + timedelta(days=1), time(), tzinfo=UTC)
    hours = [_overlap(now, end, windows.get(line.pool) if line.up_front else None) for line in cost.lines]
    return Period(
        last_day=last_day,
        hours=_overlap(now, end, None),
        now_usd=sum(line.usd_per_hour * line.now * each for line, each in zip(cost.lines, hours, strict=True) if known(line.now)),
        max_usd=sum(line.usd_per_hour * line.maximum * each for line, each in zip(cost.lines, hours, strict=True) if known(line.maximum)),
        partial=cost.now.partial or cost.max.partial,
    )


def _overlap(start: datetime, end: datetime, window: tuple[datetime, datetime] | None) -> float:
    """Hours from `start` to `end` that lie in the window."""
    first, last = (start, end) if window is None else (max(start, window[0]), min(end, window[1]))
    return max((last - first) / HOUR, 0.0)


@dataclass(frozen=True, kw_only=True)
class UpFront:
    """A window that is paid as a whole when it is bought. `usd` None: its length or the nodes are unknown."""

    pool: str
    usd_per_node_hour: float
    nodes: Maybe[int]
    hours: float | None
    usd: float | None


def up_front(cost: Cost, windows: Windows) -> Iterator[UpFront]:
    """Capacity blocks of `cost` by pool name, each with the length of its window where the stack file gives one."""
    for line in cost.lines:
        if line.up_front:
            yield _paid(line, windows.get(line.pool))


def _paid(line: Line, window: tuple[datetime, datetime] | None) -> UpFront:
    hours = None if window is None else (window[1] - window[0]) / HOUR
    nodes = line.maximum
    usd = None if hours is None or isinstance(nodes, Unknown) else line.usd_per_hour * nodes * hours
    return UpFront(pool=line.pool, usd_per_node_hour=line.usd_per_hour, nodes=nodes, hours=hours, usd=usd)
