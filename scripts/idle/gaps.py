"""Why rest is not proven by the counters of a pool: what is missing, thin, old, or in a unit that nobody can tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

from .counters import COMES_AND_GOES, COVERING, DEMANDED, JUDGED, Measure, counter_of, family
from .metered import Measures, Metered
from .readings import Reading
from .rules import Rules
from .which_gpu import Gpu

Families = Mapping[str, Collection[Measure]]
"""Measures that each exporter serves."""


def gap(pool: Metered, rules: Rules) -> str | None:
    """Why rest is not proven; None when it is."""
    if pool.counters is None:
        return "which GPU counters should be there is not known"
    served = _served(pool.counters)
    if not {measure for measures in served.values() for measure in measures} & set(COVERING):
        return "no counter that says whether a GPU works is served (engine active, utilisation)"
    for node in pool.nodes:
        if (found := _on_node(node.name, pool, served, rules)) is not None:
            return found
    return None


def _served(counters: Collection[str]) -> Families:
    found: dict[str, set[Measure]] = {}
    for name in counters:
        counter = counter_of(name)
        if counter is not None and name not in COMES_AND_GOES:
            found.setdefault(family(name), set()).add(counter.measure)
    return found


def _on_node(node: str, pool: Metered, served: Families, rules: Rules) -> str | None:
    wanted = pool.gpus_of.get(node)
    if wanted is None:
        return f"how many GPUs node {node} has is not known"
    if wanted == 0:
        return f"node {node} of a pool of GPU machines shows no GPU: its driver may have failed"
    here = {gpu: measures for gpu, measures in pool.readings.items() if gpu.node == node}
    counted: dict[tuple[str, str], set[Gpu]] = {}
    for gpu in here:
        counted.setdefault(gpu.of, set()).add(gpu.whole)
    most = max((len(gpus) for gpus in counted.values()), default=0)
    if most < wanted:
        return f"{wanted - most} of {wanted} GPUs of node {node} sent no sample"
    for (source, _), gpus in counted.items():
        if len(gpus) < wanted:
            return f"source {source} knows {len(gpus)} of {wanted} GPUs of node {node}"
    if (lacking := _lacking(here, served)) is not None:
        return f"node {node}: {lacking}"
    for gpu in sorted({gpu.whole for gpu in here}, key=str):
        if (found := _of_gpu(gpu, here, pool, rules)) is not None:
            return found
    return None


def _lacking(here: Mapping[Gpu, Measures], served: Families) -> str | None:
    """A measure that an exporter serves elsewhere and for no GPU of this node, by whatever labels."""
    for exporter, measures in sorted(served.items()):
        seen = {measure for gpu, read in here.items() if gpu.naming.startswith(exporter) for measure in read}
        split = any(gpu.instance for gpu in here)
        lacking = [m for m in measures if m in DEMANDED and m not in seen and not (split and m is Measure.UTILISATION)]
        if lacking:
            return f"{min(lacking)} is missing, which {exporter} serves for others"
    return None


def _of_gpu(gpu: Gpu, here: Mapping[Gpu, Measures], pool: Metered, rules: Rules) -> str | None:
    """What is missing of one GPU, all its MIG instances included."""
    parts = {part: measures for part, measures in here.items() if part.whole == gpu}
    split = [part for part in parts if part.instance]
    for part, measures in parts.items():
        told = [measures[m] for m in COVERING if m in measures]
        if not told and (part.instance or not split):
            return f"GPU {part}: nothing says whether it works"
        for measure, reading in measures.items():
            if measure in DEMANDED and (thin := _thin(measure, reading, pool, rules)) is not None:
                return f"GPU {part}: {thin}"
        if (unit := _unit(measures)) is not None:
            return f"GPU {part}: {unit}"
    like = {measure for part, read in here.items() if part.of == gpu.of for measure in read}
    missing = [m for m in like if m in DEMANDED and not _has(parts, split, m)]
    if missing:
        return f"GPU {gpu}: {min(missing)} is missing, which its neighbours have"
    if split and not (any(Measure.POWER in measures for measures in parts.values()) and pool.tdp_w is not None):
        # dcgm-exporter#257: each instance shows the power of the whole GPU
        return f"GPU {gpu} is split by MIG, and without its power nothing shows an instance that sends nothing"
    return None


def _thin(measure: Measure, reading: Reading, pool: Metered, rules: Rules) -> str | None:
    share = reading.coverage(pool.expected)
    if share < rules.coverage:
        return f"{measure} has {share:.0%} of its samples, {rules.coverage:.0%} are needed{_why_thin(reading, pool)}"
    return f"the last sample of {measure} is too old to speak of now" if reading.last_at < pool.oldest_sample else None


def _why_thin(reading: Reading, pool: Metered) -> str:
    if reading.dropped:
        such = "" if reading.absurd is None else f" such as {str(reading.absurd)[:20]}"
        return f", {reading.dropped} impossible values{such} dropped (is the unit right?)"
    every = _regular(reading, pool)
    return "" if every is None else f"; if one is sent every {every:g} seconds: --step {every:g}, in a record step_seconds"


def _regular(reading: Reading, pool: Metered) -> float | None:
    """Seconds between samples that come evenly over the whole window, but seldom."""
    steps = sorted(reading.steps)
    apart = {after - before for before, after in pairwise(steps)}
    if len(steps) < 3 or len(apart) != 1 or min(apart) < 2:
        return None
    return min(apart) * pool.window_seconds / pool.expected


def _unit(measures: Measures) -> str | None:
    """Utilisation as a share would pass for rest: a GPU at 0.97 of 1 looks like one at 1 percent."""
    used = measures.get(Measure.UTILISATION)
    if used is None or not used.maybe_share:
        return None
    if float(used.highest).is_integer() and any(m in measures for m in (Measure.ENGINE, Measure.SM)):
        return None
    return f"utilisation goes up to {used.highest:g}: percent are expected (0 to 100), and a share would look like this"


def _has(parts: Mapping[Gpu, Measures], split: list[Gpu], measure: Measure) -> bool:
    """Utilisation does not exist on MIG instances; what exists there must be on all of them or on the GPU as a whole."""
    if split and measure is Measure.UTILISATION:
        return True
    whole = any(measure in measures for part, measures in parts.items() if not part.instance)
    return whole or (bool(split) and all(measure in parts[part] for part in split))


def resting(pool: Metered) -> Iterator[tuple[Measure, float]]:
    """The busiest figure of each measure: proof of rest, or all that is known of it."""
    for measure in JUDGED:
        readings = [measures[measure] for measures in pool.readings.values() if measure in measures and measures[measure].samples]
        if readings:
            yield measure, max(reading.highest for reading in readings)
