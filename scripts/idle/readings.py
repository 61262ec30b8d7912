"""Samples of one window, folded per GPU and measure: memory follows the number of GPUs, never that of samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .counters import Measure, counter_of
from .signals import Series
from .which_gpu import Gpu, NodeNames, gpu_of


@dataclass
class Reading:
    """One measure of one GPU in the window. Times are seconds since 1970."""

    steps: set[int] = field(default_factory=set[int])
    """Those of the window that have a sample."""
    dropped: int = 0
    """Values that the counter cannot have, or that are no numbers."""
    absurd: float | str | None = None
    """One of them."""
    lowest: float = float("inf")
    highest: float = float("-inf")
    mean: float = 0.0
    last_at: float = float("-inf")
    percent: bool = False
    """Whether its counter sends percent as they are."""

    def add(self, step: int, at: float, value: float) -> None:
        self.lowest, self.highest = min(self.lowest, value), max(self.highest, value)
        if step in self.steps:  # a second exporter, or a repeated scrape: it fills no gap
            return
        self.steps.add(step)
        self.mean += (value - self.mean) / len(self.steps)
        self.last_at = max(self.last_at, at)

    @property
    def samples(self) -> int:
        return len(self.steps)

    @property
    def maybe_share(self) -> bool:
        """Whether a share of 1 may have been sent where percent are expected: 0.97 would else pass for one percent."""
        return self.percent and 0 < self.highest <= 1

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


def read(series: Iterable[Series], window: Window, nodes: NodeNames | None = None) -> Readings:
    """Fold `series`.

    Series of one counter whose other labels differ (pod, exporter, replica of Prometheus) are one; a measure that comes from several
    counters (traffic both ways) keeps the busiest of them.
    """
    readings = Readings(window)
    by_counter: dict[tuple[Gpu, str], Reading] = {}
    for each in series:
        name = each.metric.get("__name__", "")
        if counter_of(name) is None:
            continue
        gpu = gpu_of(each.metric, each.source, nodes)
        if gpu is None:
            readings.unplaced += 1
            continue
        found, key = _folded(each, window, readings), (gpu, name.casefold())
        by_counter[key] = _joined(by_counter[key], found) if key in by_counter else found
    for (gpu, name), found in by_counter.items():
        counter = counter_of(name)
        assert counter is not None
        held = readings.of.setdefault(gpu, {}).get(counter.measure)
        readings.of[gpu][counter.measure] = found if held is None else _busier(held, found)
    return readings


def _folded(series: Series, window: Window, readings: Readings) -> Reading:
    counter = counter_of(series.metric["__name__"])
    assert counter is not None
    reading = Reading(dropped=series.dropped, percent=counter.percent)
    for at, value in series.values:
        if at > window.until + window.skew:
            readings.ahead = max(readings.ahead, at - window.until)
            continue
        if at < window.since:
            continue
        number = _number(value)
        if number is None or not 0 <= number <= counter.largest:
            reading.dropped, reading.absurd = reading.dropped + 1, value
            continue
        reading.add(int((at - window.since) // window.step), at, number * counter.scale)
    lows = [n * counter.scale for at, n in series.least if window.since <= at <= window.until + window.skew and 0 <= n <= counter.largest]
    if reading.samples:
        reading.lowest = min(reading.lowest, *lows) if lows else reading.lowest
    return reading


def _number(value: float | str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number == number else None  # noqa: PLR0124 - NaN alone differs from itself


def _joined(one: Reading, other: Reading) -> Reading:
    """Two series of one counter: a step that either has a sample for is covered."""
    return _both(one, other, one.steps | other.steps)


def _busier(one: Reading, other: Reading) -> Reading:
    """Two counters of one measure. Coverage of the fuller one, extremes of both: neither a gap nor a burst of either is lost."""
    return _both(one, other, max(one.steps, other.steps, key=len))


def _both(one: Reading, other: Reading, steps: set[int]) -> Reading:
    return Reading(
        steps=steps,
        dropped=max(one.dropped, other.dropped),
        absurd=other.absurd if one.absurd is None else one.absurd,
        lowest=min(one.lowest, other.lowest),
        highest=max(one.highest, other.highest),
        mean=max(one.mean, other.mean),
        last_at=max(one.last_at, other.last_at),
        percent=one.percent or other.percent,
    )
