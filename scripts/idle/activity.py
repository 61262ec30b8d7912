"""What the GPUs of one pool did in the window: worked, rested, spun without progress, or nobody can tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from .counters import COVERING, JUDGED, Gpu, Measure, counter_of
from .readings import Reading
from .rules import Rules
from .signals import Node

Measures = Mapping[Measure, Reading]


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
    parked: bool = False
    """Memory is full though nothing computes: a loaded model that nobody asks."""


@dataclass(frozen=True, kw_only=True)
class Metered:
    """The GPUs of one pool with all that bears on reading them."""

    nodes: tuple[Node, ...]
    gpus_of: Mapping[str, int | None]
    """Physical GPUs by node; None: not known."""
    readings: Mapping[Gpu, Measures]
    counters: Collection[str] | None
    """Names that the endpoint serves; None: not known."""
    expected: float
    """Samples of a whole series."""
    oldest_sample: float
    """Seconds since 1970 before which a GPU's last sample says nothing about now."""
    tdp_w: float | None


def activity(pool: Metered, rules: Rules) -> Activity:
    """Work on any one GPU is work. Rest needs every GPU, every counter and the whole window; a contradiction is unclear (DCGM#303)."""
    dropped = sum(reading.dropped for measures in pool.readings.values() for reading in measures.values())
    busy = list(_busy(pool, rules))
    stuck = _contradiction(pool, rules)
    if stuck is not None and all(fact.signal == Measure.UTILISATION for _, fact in busy):
        return Activity(did=Did.UNCLEAR, reason=stuck, facts=tuple(f for _, f in busy[:1]), dropped=dropped)
    if busy:
        spinning = _spinning(pool, rules, {gpu.whole for gpu, _ in busy})
        if spinning is not None:
            return Activity(did=Did.SPIN, reason="GPUs are busy and get nowhere", facts=spinning, dropped=dropped)
        gpu, fact = busy[0]
        return Activity(did=Did.WORK, reason=f"{fact.signal} of GPU {gpu}", facts=(fact,), dropped=dropped)
    gap = _gap(pool, rules)
    if gap is not None:
        return Activity(did=Did.UNCLEAR, reason=gap, facts=_rest(pool, "on GPUs that sent samples"), dropped=dropped)
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


def _threshold(measure: Measure, pool: Metered, rules: Rules) -> float | None:
    match measure:
        case Measure.ENGINE | Measure.SM | Measure.TENSOR | Measure.MEMORY_BUSY:
            return rules.busy_share
        case Measure.UTILISATION | Measure.COPY:
            return rules.busy_percent
        case Measure.POWER:
            return None if pool.tdp_w is None else rules.busy_power_share * pool.tdp_w
        case _:
            return None


def _busy(pool: Metered, rules: Rules) -> Iterator[tuple[Gpu, Fact]]:
    """Signals of work, the plainest first: engine and utilisation before what needs an interpretation."""
    for measure in JUDGED:
        limit = _threshold(measure, pool, rules)
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


def _spinning(pool: Metered, rules: Rules, busy: Collection[Gpu]) -> tuple[Fact, ...] | None:
    """The figures that show a hang, when every busy GPU shows it. Missing power or traffic shows nothing."""
    if pool.tdp_w is None:
        return None
    facts: list[Fact] = []
    for gpu in sorted(busy, key=str):
        found = _spins(pool.readings.get(gpu, {}), pool.tdp_w, pool.expected, rules)
        if found is None:
            return None
        facts = facts or [Fact(signal=s, value=v, against=a, source=gpu.source) for s, v, a in found]
    return tuple(facts)


def _spins(measures: Measures, tdp_w: float, expected: float, rules: Rules) -> tuple[tuple[str, str, str], ...] | None:
    used, power, traffic = (measures.get(m) for m in (Measure.UTILISATION, Measure.POWER, Measure.TRAFFIC))
    if used is None or power is None or traffic is None:
        return None
    if min(r.coverage(expected) for r in (used, power, traffic)) < rules.coverage:
        return None
    low, flat = rules.hung_power_share * tdp_w, rules.flat_power_share * tdp_w
    hangs = (
        used.lowest >= rules.hung_percent
        and power.highest <= low
        and power.highest - power.lowest <= flat
        and traffic.highest < rules.quiet_bytes_per_second
    )
    tensor = measures.get(Measure.TENSOR)
    if not hangs or (tensor is not None and tensor.highest >= rules.busy_share):
        return None
    return (
        (Measure.UTILISATION, f"never under {used.lowest:g}", f"spins from {rules.hung_percent:g}"),
        (Measure.POWER, f"{power.lowest:g} to {power.highest:g} W", f"low up to {low:g} W, flat within {flat:g} W"),
        (Measure.TRAFFIC, f"up to {traffic.highest:g} B/s", f"nothing is exchanged under {rules.quiet_bytes_per_second:g}"),
    )


def _gap(pool: Metered, rules: Rules) -> str | None:
    """Why rest is not proven; None when it is."""
    if pool.counters is None:
        return "which GPU counters should be there is not known"
    served = {counter.measure for name in pool.counters if (counter := counter_of(name)) is not None}
    if not served & set(COVERING):
        return "no counter that says whether a GPU works is served (engine active, utilisation)"
    for node in pool.nodes:
        if (found := _gap_on(node, pool, served, rules)) is not None:
            return found
    return None


def _gap_on(node: Node, pool: Metered, served: Collection[Measure], rules: Rules) -> str | None:
    wanted = pool.gpus_of.get(node.name)
    if wanted is None:
        return f"how many GPUs node {node.name} has is not known"
    here = {gpu: measures for gpu, measures in pool.readings.items() if gpu.node == node.name}
    by_source: dict[str, set[Gpu]] = {}
    for gpu in here:
        by_source.setdefault(gpu.source, set()).add(gpu.whole)
    most = max((len(gpus) for gpus in by_source.values()), default=0)
    if most < wanted:
        return f"{wanted - most} of {wanted} GPUs of node {node.name} sent no sample"
    for source, gpus in by_source.items():
        if len(gpus) < wanted:
            return f"source {source} knows {len(gpus)} of {wanted} GPUs of node {node.name}"
        for gpu in sorted(gpus, key=str):
            if (found := _gap_of(gpu, here, pool, served if source == "dcgm" else set(), rules)) is not None:
                return found
    return None


def _gap_of(gpu: Gpu, here: Mapping[Gpu, Measures], pool: Metered, served: Collection[Measure], rules: Rules) -> str | None:
    """What is missing of one GPU, all its MIG instances included."""
    parts = {part: measures for part, measures in here.items() if part.whole == gpu}
    split = [part for part in parts if part.instance]
    for part, measures in parts.items():
        told = [measures[m] for m in COVERING if m in measures]
        if not told and (part.instance or not split):
            return f"GPU {part}: nothing says whether it works"
        for measure, reading in measures.items():
            if measure not in JUDGED:
                continue
            if reading.coverage(pool.expected) < rules.coverage:
                share = reading.coverage(pool.expected)
                dropped = f", {reading.dropped} impossible values dropped" if reading.dropped else ""
                return f"GPU {part}: {measure} has {share:.0%} of its samples, {rules.coverage:.0%} are needed{dropped}"
            if reading.last_at < pool.oldest_sample:
                return f"GPU {part}: the last sample of {measure} is too old to speak of now"
    missing = [m for m in served if m in JUDGED and not _has(parts, split, m)]
    if missing:
        return f"GPU {gpu}: {min(missing)} is missing, which the endpoint serves for others"
    if split and not (Measure.POWER in parts.get(gpu, {}) and pool.tdp_w is not None):
        return f"GPU {gpu} is split by MIG, and without its power nothing shows an instance that sends nothing"
    return None


def _has(parts: Mapping[Gpu, Measures], split: list[Gpu], measure: Measure) -> bool:
    """Utilisation does not exist on MIG instances; what exists there must be on all of them or on the GPU as a whole."""
    if split and measure is Measure.UTILISATION:
        return True
    whole = any(measure in measures for part, measures in parts.items() if not part.instance)
    return whole or (bool(split) and all(measure in parts[part] for part in split))


def _rest(pool: Metered, where: str) -> tuple[Fact, ...]:
    """The busiest figure of each measure: proof of rest, or all that is known of it."""
    facts: list[Fact] = []
    for measure in JUDGED:
        readings = [measures[measure] for measures in pool.readings.values() if measure in measures and measures[measure].samples]
        if readings:
            highest = max(reading.highest for reading in readings)
            facts.append(Fact(signal=measure, value=f"at most {highest:g}", against=where, source="dcgm"))
    return tuple(facts)


def _parked(pool: Metered, rules: Rules) -> bool:
    return any(m[Measure.MEMORY].highest >= rules.parked_memory_mib for m in pool.readings.values() if Measure.MEMORY in m)
