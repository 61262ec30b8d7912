"""A broken Azure program with values hidden: nothing passes because it is hidden."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.policies.azure_raw import infiniband
from tests.policies.raw import Raw
from tests.policies.test_any_program import judged, paths


def broken() -> Raw:
    """Several mandatory rules are broken at once."""
    program = infiniband().set("h100", "Spot", "scaleSetPriority").set("h100", "System", "mode").set("h100", 2, "count")
    return program.set("operator", False, "values", "driver", "enabled").set("policy", {"sriovDevicePlugin": {"config": "{}"}}, "spec")


NAMING = ("vmSize", "chart")
"""What is asked for by GPU-COST-03 and GPU-DRV-01 when it is hidden."""
HIDDEN = [(name, path) for name, written in broken().written.items() for path in paths(written.inputs)]


@given(places=st.lists(st.sampled_from(HIDDEN), min_size=1, max_size=3))
@settings(deadline=None, max_examples=60)
@example(places=[("h100", ("vmSize",))])
def test_hiding_values_of_a_broken_program_never_makes_it_pass(places: list[tuple[str, tuple[str | int, ...]]]) -> None:
    """It stays refused by every rule; where what a thing is at all is out of sight, by another rule that asks for it."""
    hidden = broken()
    for name, path in places:
        if path in set(paths(hidden.written[name].inputs)):
            hidden = hidden.hide(name, *path)
    before, after = ({f.rule for f in judged(program) if f.fails} for program in (broken(), hidden))
    assert after if any(path[-1] in NAMING for _, path in places) else before <= after
