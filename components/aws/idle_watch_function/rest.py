"""Whether a pool rests, by its heartbeat alone. Pure; what is not known is never rest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from components import heartbeat

LEAST_GPUS, MOST_GPUS = "gpus_least", "gpus_most"
USES = (heartbeat.BUSY_GPUS, heartbeat.GPU_PODS, heartbeat.QUEUED_WORKLOADS)
SERIES = (LEAST_GPUS, MOST_GPUS, *USES)
"""What a heartbeat is made of: the extremes of the GPUs that told of themselves, and the most of everything that is use."""

Points = Sequence[tuple[float, float]]
"""(seconds since 1970, value), in any order."""


class Status(StrEnum):
    ACTIVE = "active"
    IDLE = "idle"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Judged:
    status: Status
    reason: str


@dataclass(frozen=True, kw_only=True)
class _Heard:
    """One series within the window. Impossible values and those from the future are left out, and so make a gap."""

    values: tuple[float, ...]
    minutes: int
    """Different ones with a sample."""
    last: float
    """Seconds since 1970."""


def judged(series: Mapping[str, Points], gpus: int | None, now: datetime, window_minutes: float) -> Judged:
    """Active, idle or unknown. `series` is by name of SERIES; `gpus` are those of the machines that bill now, None where unknown.

    Use is use however thin the heartbeat; rest needs all of it: whole, recent, and of every GPU that is paid for.
    """
    since = (now - timedelta(minutes=window_minutes)).timestamp()
    until = (now + timedelta(minutes=heartbeat.SKEW_MINUTES)).timestamp()
    heard = {name: _heard(series.get(name, ()), since, until) for name in SERIES}
    for name in USES:
        if (most := max(heard[name].values, default=0.0)) > 0:
            return Judged(status=Status.ACTIVE, reason=f"its heartbeat tells of {most:g} {name.replace('_', ' ')}")
    doubt = _gap(heard, now, window_minutes) or _uncounted(heard, gpus)
    if doubt is not None:
        return Judged(status=Status.UNKNOWN, reason=doubt)
    return Judged(
        status=Status.IDLE, reason=f"for {window_minutes:g} minutes all {gpus} GPUs rested, and no GPU pod or workload ran or waited"
    )


def _heard(points: Points, since: float, until: float) -> _Heard:
    told = [(at, value) for at, value in points if since <= at <= until and 0 <= value < math.inf]
    return _Heard(
        values=tuple(value for _, value in told),
        minutes=len({int((at - since) // heartbeat.BEAT_SECONDS) for at, _ in told}),
        last=max((at for at, _ in told), default=-math.inf),
    )


def _gap(heard: Mapping[str, _Heard], now: datetime, window_minutes: float) -> str | None:
    expected = max(int((window_minutes * 60 - heartbeat.LATE_SECONDS) // heartbeat.BEAT_SECONDS), 1)
    for name, each in heard.items():
        if each.minutes < heartbeat.COVERAGE * expected:
            return f"its heartbeat has {each.minutes} of {expected} samples of {name}, {heartbeat.COVERAGE:.0%} are needed"
        if now.timestamp() - each.last > heartbeat.STALE_MINUTES * 60:
            return f"its heartbeat last told of {name} more than {heartbeat.STALE_MINUTES} minutes ago"
    return None


def _uncounted(heard: Mapping[str, _Heard], gpus: int | None) -> str | None:
    """A machine that came within the window, or one whose counters are missing: it may work unseen."""
    if gpus is None:
        return "how many GPUs its machines have is not known"
    least, most = min(heard[LEAST_GPUS].values), max(heard[MOST_GPUS].values)
    return None if least == most == gpus else f"its heartbeat tells of {least:g} to {most:g} GPUs, its machines have {gpus}"
