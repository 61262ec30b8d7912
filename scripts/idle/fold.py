"""Samples folded while they are read: of each step the highest and the lowest, so that memory follows series and steps, never samples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from .counters import counter_of
from .signals import Series

FURTHEST = 86400.0
"""Seconds beyond the present after which a sample's time is nonsense: one such sample is enough to show it."""


@dataclass(frozen=True)
class Grid:
    """Steps of `step` seconds from `since` on; `until` is the present. Seconds since 1970."""

    since: float
    until: float
    step: float

    def slot(self, at: float) -> int | None:
        """The step of a time; None before the first."""
        if not at >= self.since:  # NaN too
            return None
        return int((min(at, self.until + FURTHEST) - self.since) // self.step)


def folded(
    metric: Mapping[str, str], samples: Iterable[tuple[float, str | float]], grid: Grid, source: Literal["dcgm", "cloud"] = "dcgm"
) -> Series | None:
    """One series on the grid; None when its counter says nothing here. Impossible values are counted and left out."""
    counter = counter_of(metric.get("__name__", ""))
    if counter is None:
        return None
    highs: dict[int, tuple[float, float]] = {}
    lows: dict[int, float] = {}
    dropped = 0
    for at, value in samples:
        slot = grid.slot(at)
        if slot is None:
            continue
        number = _number(value)
        if number is None or not 0 <= number <= counter.largest:
            dropped += 1
            continue
        held = highs.get(slot)
        highs[slot] = (at, number) if held is None else (max(at, held[0]), max(number, held[1]))
        lows[slot] = min(number, lows.get(slot, math.inf))
    ordered = [highs[slot] for slot in sorted(highs)]
    least = tuple((highs[slot][0], lows[slot]) for slot in sorted(highs) if lows[slot] < highs[slot][1])
    return Series(metric=dict(metric), values=tuple(ordered), least=least, dropped=dropped, source=source)


def joined(one: Series, other: Series) -> Series:
    """Two parts of one series, whose steps do not overlap."""
    return one.model_copy(
        update={
            "values": tuple(sorted((*one.values, *other.values), key=lambda sample: sample[0])),
            "least": (*one.least, *other.least),
            "dropped": one.dropped + other.dropped,
        }
    )


def with_lows(highs: Series, lows: Series) -> Series:
    """Highs of each step from one query, lows from another."""
    return highs.model_copy(
        update={"least": tuple((at, float(value)) for at, value in lows.values), "dropped": max(highs.dropped, lows.dropped)}
    )


def _number(value: float | str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
