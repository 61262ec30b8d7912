"""Whatever a program holds: no crash, no mandatory rule that passes on an unknown, no secret in a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from components.resource import Secret
from components.unknown import Unknown
from policies import Finding, Level, Status, evaluate
from policies.readers import READERS
from tests.policies.raw import SETTINGS, Raw, training

CANARY = "canary-7f3a"
hostile = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**20), 10**20),
        st.floats(),
        st.text(max_size=5).filter(lambda text: not text.startswith("@")),  # "@name" is how these tests refer to another resource
        st.just(Unknown("x")),
        st.just(Secret(CANARY)),
        st.sampled_from(["", "-1", "all", "efa", "SPOT", "p4d.24xlarge", "gpu-operator", "🙂", "@fabric", "@eks"]),
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "name", "ebs", "enabled", "driver", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def paths(node: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place below `node`."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield (*at, key)
        yield from paths(child, (*at, key))


PLACES = [(name, path) for name, written in training().written.items() for path in paths(written.inputs)]


def replaced(program: Raw, name: str, path: tuple[str | int, ...], value: Any) -> Raw:
    return program.set(name, value, *path) if value is not None else program.set(name, None, *path)


def judged(program: Raw) -> tuple[Finding, ...]:
    findings = evaluate(program.built(), SETTINGS)
    assert not [f for f in findings if "Error)" in f.message]
    assert not [f for f in findings if CANARY in f.message or CANARY in f.path]
    return findings


@given(place=st.sampled_from(PLACES), value=hostile)
@settings(deadline=None)
def test_no_value_anywhere_breaks_a_rule_or_shows_a_secret(place: tuple[str, tuple[str | int, ...]], value: Any) -> None:
    judged(replaced(training(), *place, value))


@given(
    type_=st.sampled_from(sorted(READERS)),
    inputs=st.dictionaries(st.sampled_from(sorted({p[1][0] for p in PLACES if isinstance(p[1][0], str)})), hostile),
)
@settings(deadline=None)
def test_no_resource_breaks_a_rule(type_: str, inputs: dict[str, Any]) -> None:
    judged(training().plus(type_, "stranger", **inputs))


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
