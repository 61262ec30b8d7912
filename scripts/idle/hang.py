"""Ranks that spin in a collective: full utilisation at low, flat power, without traffic and without a sign of progress."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from .counters import Measure
from .metered import Measures, Metered
from .rules import Rules
from .which_gpu import Gpu

LEAST_WATTS = 1.0
"""Less than any GPU draws that is on: zeros stand for power that is not measured, as on virtual GPUs."""
PROGRESS = (Measure.TENSOR, Measure.MEMORY_BUSY, Measure.COPY)
"""Measures that a rank which waits leaves at rest, and a job that computes does not."""

Found = tuple[Measure, str, str]
"""Signal, value, what it was held against."""


def spinning(pool: Metered, rules: Rules, busy: Collection[Gpu]) -> tuple[tuple[Gpu, Found], ...] | None:
    """The figures that show a hang, when every busy GPU shows it. What is missing shows nothing."""
    if pool.tdp_w is None:
        return None
    facts: tuple[tuple[Gpu, Found], ...] = ()
    for gpu in sorted(busy, key=str):
        found = _spins(pool.readings.get(gpu, {}), pool, pool.tdp_w, rules)
        if found is None:
            return None
        facts = facts or tuple((gpu, each) for each in found)
    return facts


def _spins(measures: Measures, pool: Metered, tdp_w: float, rules: Rules) -> tuple[Found, ...] | None:
    used, power, traffic = (measures.get(m) for m in (Measure.UTILISATION, Measure.POWER, Measure.TRAFFIC))
    if used is None or power is None or traffic is None:
        return None
    if min(r.coverage(pool.expected) for r in (used, power, traffic)) < rules.coverage:
        return None
    low, flat = rules.hung_power_share * tdp_w, rules.flat_power_share * tdp_w
    hangs = (
        used.lowest >= rules.hung_percent
        and power.lowest >= LEAST_WATTS
        and power.highest <= low
        and power.highest - power.lowest <= flat
        and traffic.highest < rules.quiet_bytes_per_second
    )
    if not hangs or not _gets_nowhere(measures, pool, rules):
        return None
    return (
        (Measure.UTILISATION, f"never under {used.lowest:g}", f"spins from {rules.hung_percent:g}"),
        (Measure.POWER, f"{power.lowest:g} to {power.highest:g} W", f"low up to {low:g} W, flat within {flat:g} W"),
        (Measure.TRAFFIC, f"up to {traffic.highest:g} B/s", f"nothing is exchanged under {rules.quiet_bytes_per_second:g}"),
    )


def _gets_nowhere(measures: Measures, pool: Metered, rules: Rules) -> bool:
    """Whether tensor cores and memory are seen at rest: a job on one GPU that is bound by its memory exchanges nothing either."""
    seen = list(_progress(measures, pool, rules))
    return bool(seen) and not any(seen)


def _progress(measures: Measures, pool: Metered, rules: Rules) -> Iterator[bool]:
    for measure in PROGRESS:
        reading, limit = measures.get(measure), pool.threshold(measure, rules)
        if reading is None or limit is None or not reading.samples:
            continue
        if reading.highest >= limit:
            yield True
        elif reading.coverage(pool.expected) >= rules.coverage:
            yield False
