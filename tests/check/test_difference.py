"""What a change does to a stack, from two judged plans."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.clock import CATALOGUE_DATE
from components.resource import Resource, ResourceSet, Secret
from components.unknown import Unknown
from policies import Limits
from policies.finding import Finding, Level, Status
from scripts.check.difference import difference, differences
from scripts.check.model import checked
from scripts.plan.judgement import Yardsticks
from scripts.plan.model import StackPlan

BY = Yardsticks(now=CATALOGUE_DATE, limits=Limits())


def instance(name: str, **inputs: Any) -> Resource:
    type_ = "aws:ec2/instance:Instance"
    return Resource(urn=f"urn:pulumi:dev::lab::{type_}::{name}", type=type_, name=name, inputs=inputs, outputs=inputs)


def plan(*resources: Resource) -> StackPlan:
    return checked(ResourceSet(project="lab", stack="dev", resources=resources), BY, source="program")


def finding(path: str = "", message: str = "m") -> Finding:
    return Finding(rule="GPU-EFA-01", status=Status.VIOLATED, level=Level.MANDATORY, urn="urn::x", path=path, message=message)


def test_resources_are_added_removed_and_changed_by_property() -> None:
    before = plan(instance("kept", instanceType="g5.xlarge", tags={"a": "1", "b": "2"}), instance("gone"))
    after = plan(instance("kept", instanceType="g5.2xlarge", tags={"a": "1", "c": "3"}), instance("fresh"))
    found = difference(before, after)
    assert [r.name for r in found.added] == ["fresh"]
    assert [r.name for r in found.removed] == ["gone"]
    assert [(c.path, c.before, c.after) for c in found.changed[0].properties] == [
        ("instanceType", "g5.xlarge", "g5.2xlarge"), ("tags.c", None, "3"), ("tags.b", "2", None),
    ]  # fmt: skip


def test_lists_are_compared_by_place() -> None:
    found = difference(plan(instance("a", sizes=[1, 2])), plan(instance("a", sizes=[1, 3, 4])))
    assert [(c.path, c.before, c.after) for c in found.changed[0].properties] == [("sizes[1]", 2, 3), ("sizes[2]", None, 4)]


def test_secrets_are_compared_and_never_shown() -> None:
    before, after = plan(instance("a", userData=Secret("old-canary"))), plan(instance("a", userData=Secret("new-canary")))
    [change] = difference(before, after).changed[0].properties
    assert (change.before, change.after) == ("[secret]", "[secret]")
    assert not difference(before, before).changed


def test_a_secret_of_a_saved_plan_whose_value_nobody_knows_has_not_changed() -> None:
    saved, now = plan(instance("a", userData=Secret(Unknown("", "secret")))), plan(instance("a", userData=Secret("canary")))
    assert not difference(saved, now).changed


def test_an_unknown_that_becomes_known_is_a_change_and_one_that_stays_is_none() -> None:
    unknown = plan(instance("a", instanceType=Unknown("instanceType")))
    assert not difference(unknown, plan(instance("a", instanceType=Unknown("instanceType")))).changed
    assert difference(unknown, plan(instance("a", instanceType="g5.xlarge"))).changed


def test_the_cost_of_both_sides_is_told() -> None:
    cheap, dear = (plan(instance("a", instanceType=machine, region="us-east-1")) for machine in ("g5.xlarge", "p5.48xlarge"))
    found = difference(cheap, dear)
    assert found.before is not None
    assert found.after is not None
    assert cheap.cost is not None
    assert found.before.maximum == cheap.cost.max.hourly_usd
    assert not difference(cheap, cheap).changed


def test_findings_are_new_fixed_or_still_there_whatever_figures_their_words_hold() -> None:
    before = replace(plan(), findings=(finding("a", "costs 1"), finding("b")))
    after = replace(plan(), findings=(finding("a", "costs 2"), finding("c")))
    found = difference(before, after)
    assert [f.path for f in found.new] == ["c"]
    assert [f.path for f in found.fixed] == ["b"]
    assert [f.message for f in found.still] == ["costs 2"]


def test_of_several_findings_alike_one_more_is_new() -> None:
    two = replace(plan(), findings=(finding("a", "1"), finding("a", "2")))
    three = replace(plan(), findings=(*two.findings, finding("a", "3")))
    assert [f.message for f in difference(two, three).new] == ["3"]
    assert [f.message for f in difference(three, two).fixed] == ["3"]


def test_a_stack_may_be_new_or_gone() -> None:
    one, other = replace(plan(instance("a")), name="one"), replace(plan(instance("b")), name="other")
    fresh, gone = differences((one,), (other,))
    assert ([r.name for r in fresh.added], fresh.before) == (["b"], None)
    assert ([r.name for r in gone.removed], gone.after) == (["a"], None)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_side_that_was_not_judged_is_named_and_nothing_is_compared(when: str) -> None:
    broken, sound = StackPlan(name="dev", project="lab", error="the file is broken"), plan(instance("a"))
    found = difference(broken, sound) if when == "before" else difference(sound, broken)
    assert f"{when} the change" in found.note
    assert not found.added


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.text(max_size=5),
        st.builds(Secret, st.text(max_size=3)),
        st.builds(Unknown, st.just("p")),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=8,
)
stacks = st.lists(st.dictionaries(st.text(min_size=1, max_size=3), values, max_size=3), max_size=4)


@given(stacks)
def test_a_stack_differs_in_nothing_from_itself(inputs: list[dict[str, Any]]) -> None:
    made = [plan(*(instance(f"r{i}", **each) for i, each in enumerate(inputs))) for _ in range(2)]
    assert difference(made[0], made[1]).empty


@given(stacks, stacks)
def test_what_one_way_adds_the_other_way_removes(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    before, after = (plan(*(instance(f"r{i}", **each) for i, each in enumerate(inputs))) for inputs in (one, other))
    there, back = difference(before, after), difference(after, before)
    assert [r.urn for r in there.added] == [r.urn for r in back.removed]
    assert {(c.urn, p.path) for c in there.changed for p in c.properties} == {(c.urn, p.path) for c in back.changed for p in c.properties}
