"""Series of a cloud's metrics -> figures of machines and heartbeats of pools. Pure; memory follows series, and each is short."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from components import heartbeat
from scripts.idle.signals import Figure, Heartbeat

MOST_PERCENT = 100.0
MOST_BYTES = 1e12
"""Per second, beyond which a figure is nonsense: the fastest machines move 4e11."""


class What(StrEnum):
    """What a series measures."""

    NETWORK = "network"
    """Bytes per second, one way."""
    UTILISATION = "utilisation"
    """Of GPUs, percent."""
    GPUS = heartbeat.GPUS
    BUSY = heartbeat.BUSY_GPUS
    PODS = heartbeat.GPU_PODS
    QUEUED = heartbeat.QUEUED_WORKLOADS
    LAST_ACTIVE = heartbeat.LAST_ACTIVE


BEATS = (What.GPUS, What.BUSY, What.PODS, What.QUEUED)
"""What every heartbeat holds; `last_active` is missing until something was seen at work."""
NAMESPACE = heartbeat.NAMESPACE
BEAT_SECONDS = float(heartbeat.BEAT_SECONDS)


@dataclass(frozen=True, kw_only=True)
class Line:
    """One series as a cloud gave it."""

    what: What
    metric: str
    period: float
    """Seconds between its samples."""
    late: float = 0.0
    """Seconds after which the cloud shows a sample."""
    machine: str | None = None
    pool: str | None = None
    points: Sequence[tuple[float, float]] = ()
    """(seconds since 1970, value), in any order."""


@dataclass(frozen=True, kw_only=True)
class Span:
    """The observed time, in seconds since 1970."""

    since: float
    until: float

    def expected(self, line: Line) -> int:
        return max(int((self.until - self.since - line.late) // line.period), 1)


@dataclass
class _Fold:
    samples: int
    least: float
    most: float
    last_at: float
    last: float


def figures(lines: Iterable[Line], span: Span) -> tuple[Figure, ...]:
    """Figures of the lines that measure machines; a line without samples gives none, so that its machine counts as not covered."""
    found: list[Figure] = []
    for line in lines:
        if line.what not in (What.NETWORK, What.UTILISATION):
            continue
        fold = _folded(line, span, MOST_BYTES if line.what is What.NETWORK else MOST_PERCENT)
        if fold is not None:
            found.append(
                Figure(
                    what="network" if line.what is What.NETWORK else "utilisation",
                    metric=line.metric,
                    machine=line.machine,
                    pool=line.pool,
                    highest=fold.most,
                    samples=fold.samples,
                    expected=span.expected(line),
                    last_at=_moment(fold.last_at),
                )
            )
    return tuple(found)


def heartbeats(lines: Iterable[Line], span: Span, source: str) -> tuple[Heartbeat, ...]:
    """A heartbeat for each pool of which all of its figures came: half of one says nothing."""
    by_pool: dict[str, dict[What, tuple[Line, _Fold]]] = {}
    for line in lines:
        if line.what not in (*BEATS, What.LAST_ACTIVE) or line.pool is None:
            continue
        fold = _folded(line, span, math.inf)
        if fold is not None:
            by_pool.setdefault(line.pool, {})[line.what] = (line, fold)
    return tuple(_beat(pool, of, span, source) for pool, of in sorted(by_pool.items()) if all(what in of for what in BEATS))


def _beat(pool: str, of: Mapping[What, tuple[Line, _Fold]], span: Span, source: str) -> Heartbeat:
    folds = {what: fold for what, (_, fold) in of.items()}
    last = folds.get(What.LAST_ACTIVE)
    thinnest = min((of[what] for what in BEATS), key=lambda pair: pair[1].samples)
    return Heartbeat(
        pool=pool,
        source=source,
        gpus_least=math.floor(folds[What.GPUS].least),
        gpus_most=math.ceil(folds[What.GPUS].most),
        busy_gpus=math.ceil(folds[What.BUSY].most),
        pods=math.ceil(folds[What.PODS].most),
        queued=math.ceil(folds[What.QUEUED].most),
        last_active=_moment(last.last) if last is not None and last.last <= span.until else None,
        samples=thinnest[1].samples,
        expected=span.expected(thinnest[0]),
        last_at=_moment(min(folds[what].last_at for what in BEATS)),
    )


def _folded(line: Line, span: Span, largest: float) -> _Fold | None:
    """One sample a period, the extremes of all; impossible values are left out and so make a gap."""
    fold: _Fold | None = None
    slots: set[int] = set()
    for at, value in line.points:
        if not (span.since <= at <= span.until and 0 <= value <= largest) or math.isinf(value):
            continue
        slots.add(int((at - span.since) // line.period))
        if fold is None:
            fold = _Fold(samples=0, least=value, most=value, last_at=at, last=value)
        fold.least, fold.most = min(fold.least, value), max(fold.most, value)
        if at >= fold.last_at:
            fold.last_at, fold.last = at, value
    if fold is not None:
        fold.samples = len(slots)
    return fold


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
