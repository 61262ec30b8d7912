"""Samples of one window, folded per GPU and measure: memory follows the number of GPUs, never that of samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .counters import Gpu, Measure, counter_of, gpu_of
from .signals import Series


@dataclass
class Reading:
    """One measure of one GPU in the window. Times are seconds since 1970."""

    samples: int = 0
    dropped: int = 0
    """Values that the counter cannot have, or that are no numbers."""
    lowest: float = float("inf")
    highest: float = float("-inf")
    total: float = 0.0
    last_at: float = float("-inf")

    def add(self, at: float, value: float) -> None:
        self.samples += 1
        self.lowest, self.highest = min(self.lowest, value), max(self.highest, value)
        self.total += value
        self.last_at = max(self.last_at, at)

    @property
    def mean(self) -> float:
        return self.total / self.samples if self.samples else 0.0

    def coverage(self, expected: float) -> float:
        return min(self.samples / expected, 1.0) if expected > 0 else 0.0


@dataclass(frozen=True)
class Window:
    """The time that is judged, in seconds since 1970."""

    since: float
    until: float
    step: float
    skew: float

    @property
    def expected(self) -> float:
        """Samples that a whole series has in it."""
        return max((self.until - self.since) / self.step, 1.0)


@dataclass
class Readings:
    """What the series of one cluster say about the window."""

    window: Window
    of: dict[Gpu, dict[Measure, Reading]] = field(default_factory=dict[Gpu, "dict[Measure, Reading]"])
    ahead: float = 0.0
    """Seconds by which the newest sample lies in the future."""
    unplaced: int = 0
    """Series whose labels do not say which GPU they are about."""

    def on(self, nodes: Iterable[str]) -> Mapping[Gpu, Mapping[Measure, Reading]]:
        """Those of some nodes."""
        wanted = set(nodes)
        return {gpu: measures for gpu, measures in self.of.items() if gpu.node in wanted}


def read(series: Iterable[Series], window: Window) -> Readings:
    """Fold `series`. A measure that comes from several counters (traffic both ways) or sources keeps the busiest of them."""
    readings = Readings(window)
    for each in series:
        counter = counter_of(each.metric.get("__name__", ""))
        if counter is None:
            continue
        gpu = gpu_of(each.metric, each.source)
        if gpu is None:
            readings.unplaced += 1
            continue
        found = _folded(each, window, counter.scale, counter.largest, readings)
        held = readings.of.setdefault(gpu, {}).get(counter.measure)
        readings.of[gpu][counter.measure] = found if held is None else _busier(held, found)
    return readings


def _folded(series: Series, window: Window, scale: float, largest: float, readings: Readings) -> Reading:
    reading = Reading(dropped=series.dropped)
    slots: set[int] = set()
    for at, value in series.values:
        if at > window.until + window.skew:
            readings.ahead = max(readings.ahead, at - window.until)
            continue
        if at < window.since:
            continue
        number = _number(value)
        if number is None or not 0 <= number <= largest:
            reading.dropped += 1
            continue
        slot = int((at - window.since) // window.step)
        if slot in slots:  # a second exporter, or a repeated scrape: it fills no gap
            reading.lowest, reading.highest = min(reading.lowest, number * scale), max(reading.highest, number * scale)
            continue
        slots.add(slot)
        reading.add(at, number * scale)
    lows = [number * scale for at, number in series.least if window.since <= at <= window.until + window.skew and 0 <= number <= largest]
    if reading.samples:
        reading.lowest = min(reading.lowest, *lows) if lows else reading.lowest
    return reading


def _number(value: float | str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number == number else None  # noqa: PLR0124 - NaN alone differs from itself


def _busier(one: Reading, other: Reading) -> Reading:
    """Coverage of the fuller one, extremes of both: neither a gap nor a burst of either is lost."""
    fuller = one if one.samples >= other.samples else other
    return Reading(
        samples=fuller.samples,
        dropped=max(one.dropped, other.dropped),
        lowest=min(one.lowest, other.lowest),
        highest=max(one.highest, other.highest),
        total=max(one.mean, other.mean) * fuller.samples,
        last_at=max(one.last_at, other.last_at),
    )
