from __future__ import annotations

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.engine.events import Step
from scripts.engine.groups import NO_COMPONENT, Groups, component_of
from scripts.engine.show import Show

POOL = "gpukit:aws:TrainingCluster$gpukit:aws:NodePool"


def step(name: str, operation: str = "create", *, chain: str = POOL, ended: bool = True, failed: bool = False) -> Step:
    return Step(operation, f"urn:pulumi:dev::p::{chain}$aws:autoscaling/tag:Tag::{name}", ended=ended, failed=failed)


def shown(*steps: Step, expected: int = 0, every: bool = False) -> list[str]:
    stream = StringIO()
    show = Show("[sandbox]", stream, every=every)
    show.expect([step(f"s{number}", ended=False) for number in range(expected)])
    show.phase("up")
    for each in steps:
        show.step(each)
    show.end()
    return stream.getvalue().splitlines()[1:]


def test_a_component_gets_one_line_when_its_last_resource_is_done() -> None:
    assert shown(*(step(f"s{number}") for number in range(3)), expected=3) == ["   + NodePool: 3 resources"]


def test_what_a_failed_run_had_done_is_told_at_its_end_and_the_failure_at_once() -> None:
    assert shown(step("a"), step("b", failed=True), expected=3) == [
        "   ! aws:autoscaling/tag:Tag b failed",
        "   + NodePool: 1 resource",
    ]


def test_each_resource_gets_a_line_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(step("a"), step("b", "delete"), every=True) == ["   + aws:autoscaling/tag:Tag a", "   - aws:autoscaling/tag:Tag b"]
    monkeypatch.setenv("GPUKIT_VERBOSE", "1")
    assert Show("[sandbox]", StringIO()).every


@pytest.mark.parametrize(
    ("urn", "component"),
    [
        (step("a").urn, "NodePool"),
        ("urn:pulumi:dev::p::gpukit:aws:Network$aws:ec2/vpc:Vpc$aws:ec2/subnet:Subnet::s", "Network"),
        ("urn:pulumi:dev::p::aws:ec2/vpc:Vpc::v", NO_COMPONENT),
        ("no urn", NO_COMPONENT),
    ],
)
def test_a_resource_belongs_to_the_innermost_component_around_it(urn: str, component: str) -> None:
    assert component_of(urn) == component


@given(st.lists(st.tuples(st.sampled_from(["create", "delete"]), st.sampled_from([POOL, "gpukit:aws:Network"])), max_size=30), st.data())
def test_no_step_is_lost_and_none_counted_twice(done: list[tuple[str, str]], data: st.DataObject) -> None:
    steps = [step(str(number), operation, chain=chain) for number, (operation, chain) in enumerate(done)]
    groups = Groups()
    groups.expect([step(each.urn, each.operation, ended=False) for each in steps[: data.draw(st.integers(0, len(steps)))]])
    told = [complete for each in steps if (complete := groups.end(each)) is not None] + groups.rest()
    assert sum(count for _, count in told) == len(steps)
    assert groups.rest() == []
