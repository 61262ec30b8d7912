"""What the GPUs of one pool did in the window: worked, rested, spun without progress, or nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from .counters import JUDGED, Measure
from .gaps import gap, resting
from .hang import spinning
from .metered import Metered
from .rules import Rules
from .which_gpu import Gpu


class Did(StrEnum):
    WORK = "work"
    REST = "rest"
    SPIN = "spin"
    """Full utilisation at low, flat power without traffic: ranks that wait for a lost one in a collective."""
    UNCLEAR = "unclear"


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One figure that decided, with what it was held against."""

    signal: str
    value: str
    against: str
    source: str

    def __str__(self) -> str:
        return f"{self.signal} {self.value} ({self.against}; {self.source})"


@dataclass(frozen=True, kw_only=True)
class Activity:
    """What the GPUs did, the figures that say so, and how many values were impossible."""

    did: Did
    reason: str
    facts: tuple[Fact, ...] = ()
    dropped: int = 0
    parked: str = ""
    """The GPU whose memory is full though nothing computes, and how full: a loaded model that nobody asks."""


def activity(pool: Metered, rules: Rules) -> Activity:
    """Work on any one GPU is work. Rest needs every GPU, every counter and the whole window; a contradiction is unclear (DCGM#303)."""
    dropped = sum(reading.dropped for measures in pool.readings.values() for reading in measures.values())
    busy = list(_busy(pool, rules))
    stuck = _contradiction(pool, rules)
    if stuck is not None and all(fact.signal == Measure.UTILISATION for _, fact in busy):
        return Activity(did=Did.UNCLEAR, reason=stuck, facts=tuple(f for _, f in busy[:1]), dropped=dropped)
    if busy:
        spins = spinning(pool, rules, {gpu.whole for gpu, _ in busy})
        if spins is not None:
            facts = tuple(Fact(signal=s, value=v, against=a, source=gpu.source) for gpu, (s, v, a) in spins)
            return Activity(did=Did.SPIN, reason="GPUs are busy and get nowhere", facts=facts, dropped=dropped)
        gpu, fact = busy[0]
        return Activity(did=Did.WORK, reason=f"{fact.signal} of GPU {gpu}", facts=(fact,), dropped=dropped)
    unproven = gap(pool, rules)
    if unproven is not None:
        return Activity(did=Did.UNCLEAR, reason=unproven, facts=_rest(pool, "on GPUs that sent samples"), dropped=dropped)
    return Activity(
        did=Did.REST,
        reason="every GPU rested for the whole window",
        facts=_rest(pool, "on every GPU"),
        dropped=dropped,
        parked=_parked(pool, rules),
    )


def busy_gpus(pool: Metered, rules: Rules) -> set[Gpu]:
    """Whole GPUs of which any signal shows work."""
    return {gpu.whole for gpu, _ in _busy(pool, rules)}


def _busy(pool: Metered, rules: Rules) -> Iterator[tuple[Gpu, Fact]]:
    """Signals of work, the plainest first: engine and utilisation before what needs an interpretation."""
    for measure in JUDGED:
        limit = pool.threshold(measure, rules)
        if limit is None:
            continue
        for gpu, measures in pool.readings.items():
            reading = measures.get(measure)
            if reading is not None and reading.samples and reading.highest >= limit:
                yield gpu, Fact(signal=measure, value=f"up to {reading.highest:g}", against=f"works from {limit:g}", source=gpu.source)


def _contradiction(pool: Metered, rules: Rules) -> str | None:
    """Profiling that fails after a GPU fault goes on sending zeros while the driver counts full utilisation (DCGM#303, dcgm-exporter#448)."""
    for gpu, measures in pool.readings.items():
        engine, used = measures.get(Measure.ENGINE), measures.get(Measure.UTILISATION)
        if engine is None or used is None or not engine.samples or not used.samples:
            continue
        if engine.highest < rules.busy_share and used.mean >= rules.hung_percent:
            return f"GPU {gpu}: engine active 0 and utilisation {used.mean:.0f} contradict each other: the profiling module may have failed"
    return None


def _rest(pool: Metered, where: str) -> tuple[Fact, ...]:
    return tuple(Fact(signal=measure, value=f"at most {most:g}", against=where, source="dcgm") for measure, most in resting(pool))


def _parked(pool: Metered, rules: Rules) -> str:
    held = {gpu: m[Measure.MEMORY].highest for gpu, m in pool.readings.items() if Measure.MEMORY in m}
    fullest = max(held, key=lambda gpu: held[gpu], default=None)
    if fullest is None or held[fullest] < rules.parked_memory_mib:
        return ""
    return f"{held[fullest]:,.0f} MiB of GPU {fullest}"
