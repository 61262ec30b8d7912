"""A broken program with values hidden: what was refused stays refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from policies import Finding, Level, Status
from tests.policies import hostile
from tests.policies.raw import Raw, training


def paths(node: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place below `node`."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield (*at, key)
        yield from paths(child, (*at, key))


PLACES = [(name, path) for name, written in training().written.items() for path in paths(written.inputs)]


def judged(program: Raw) -> tuple[Finding, ...]:
    return hostile.judged(program.built())


@given(places=st.lists(st.sampled_from(PLACES), min_size=1, max_size=4))
@settings(deadline=None)
@example(places=[("p4d", ("networkInterfaces",))])
def test_hiding_values_of_a_broken_program_never_makes_it_pass(places: list[tuple[str, tuple[str | int, ...]]]) -> None:
    """A broken program stays refused: violated, or unknown where the fault is out of sight."""
    broken = training().set("fabric", None, "egress", 1).set("operator", True, "values", "driver", "enabled")
    hidden = broken
    for name, path in places:
        if _exists(hidden, name, path):
            hidden = hidden.hide(name, *path)
    before = {f.rule for f in judged(broken) if f.fails}
    after = {f.rule for f in judged(hidden) if f.fails}
    assert before <= after


def _exists(program: Raw, name: str, path: tuple[str | int, ...]) -> bool:
    return path in set(paths(program.written[name].inputs))


def test_every_unknown_finding_of_a_mandatory_rule_fails() -> None:
    for name, path in PLACES:
        for finding in judged(training().hide(name, *path)):
            assert finding.status is not Status.UNKNOWN or finding.fails or finding.level is Level.ADVISORY


NEEDED = ["p4d instanceType", "gpu scalingConfig maxSize", "gpu capacityType", "gpu amiType", "fabric ingress", "p4d networkInterfaces"]


def test_a_value_that_a_rule_needs_is_asked_for_when_it_is_hidden() -> None:
    for place in NEEDED:
        name, *path = place.split()
        assert [f for f in judged(training().hide(name, *path)) if f.fails], place
