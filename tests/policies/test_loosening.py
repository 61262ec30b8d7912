"""Whatever allows more than before is named; whatever is stricter is silent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.finding import Level
from policies.limits import Limits
from policies.loosening import loosened

OWN = {"GPU-EFA-01": Level.MANDATORY, "GPU-LIM-02": Level.ADVISORY}


def paths(before: dict[str, Any], after: dict[str, Any], stack: str = "dev") -> list[str]:
    return [each.path for each in loosened(Limits.from_json(before), Limits.from_json(after), stack=stack, own_levels=OWN)]


def suppression(**changes: Any) -> dict[str, Any]:
    return {"rule": "GPU-EFA-01", "reason": "a reason of some length", "expires": "2027-03-01", **changes}


LOOSER = [
    ({"allowed": {"machines": ["g5.xlarge"]}}, {}, "allowed.machines"),
    ({"allowed": {"machines": ["g5.xlarge"]}}, {"allowed": {"machines": ["g5.xlarge", "p5.48xlarge"]}}, "allowed.machines"),
    ({"allowed": {"regions": ["us-east-1"]}}, {"allowed": {"regions": ["eu-west-1"]}}, "allowed.regions"),
    ({"ceilings": {"default": {"hourly_usd": 5}}}, {"ceilings": {"default": {"hourly_usd": 6}}}, "ceilings.default.hourly_usd"),
    ({"ceilings": {"default": {"hourly_usd": 5}}}, {}, "ceilings.default.hourly_usd"),
    ({"ceilings": {"default": {"monthly_usd": 5}}}, {"ceilings": {"default": {"monthly_usd": 5}, "stacks": {"dev": {}}}}, "ceilings.stacks.dev.monthly_usd"),
    ({}, {"levels": {"GPU-EFA-01": "advisory"}}, "levels.GPU-EFA-01"),
    ({"levels": {"GPU-LIM-02": "mandatory"}}, {}, "levels.GPU-LIM-02"),
    ({}, {"suppressions": [suppression()]}, "suppressions[0]"),
    ({"suppressions": [suppression()]}, {"suppressions": [suppression(expires="2027-04-01")]}, "suppressions[0]"),
    ({"suppressions": [suppression(resource="gpu")]}, {"suppressions": [suppression()]}, "suppressions[0]"),
    ({}, {"price_stale_days": 400}, "price_stale_days"),
    ({}, {"quota_stale_days": 30}, "quota_stale_days"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "path"), LOOSER)
def test_each_way_to_loosen_is_named_by_its_path(before: dict[str, Any], after: dict[str, Any], path: str) -> None:
    assert paths(before, after) == [path]


@pytest.mark.parametrize(("before", "after", "path"), LOOSER)
def test_the_way_back_is_stricter_and_silent(before: dict[str, Any], after: dict[str, Any], path: str) -> None:
    if path != "allowed.regions":  # one region for another loosens both ways
        assert paths(after, before) == []


def test_a_ceiling_or_a_suppression_of_another_stack_is_not_this_one_s_matter() -> None:
    assert paths({"ceilings": {"stacks": {"prod": {"hourly_usd": 5}}}}, {"suppressions": [suppression(stack="prod")]}) == []
    assert paths({"ceilings": {"stacks": {"prod": {"hourly_usd": 5}}}}, {}, stack="prod") == ["ceilings.default.hourly_usd"]


limits = st.fixed_dictionaries(
    {},
    optional={
        "allowed": st.fixed_dictionaries({"machines": st.lists(st.sampled_from(["a", "b", "c"]), unique=True)}),
        "ceilings": st.fixed_dictionaries({"default": st.fixed_dictionaries({}, optional={"hourly_usd": st.integers(1, 9)})}),
        "levels": st.dictionaries(st.sampled_from(sorted(OWN)), st.sampled_from(["mandatory", "advisory", "disabled"])),
        "price_stale_days": st.integers(1, 400),
    },
)


@given(limits)
def test_limits_loosen_nothing_against_themselves(same: dict[str, Any]) -> None:
    assert paths(same, same) == []
