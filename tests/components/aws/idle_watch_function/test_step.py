"""Warn, wait, act: what follows from a pool's rest and from what its tags remember."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from components import idle_tags, naming
from components.aws.idle_watch_function.rest import Judged, Status
from components.aws.idle_watch_function.step import Do, Group, Policy, kept, step, to_record
from scripts.idle import protection
from scripts.idle.signals import Cluster

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
ACTS = Policy(grace_minutes=60, acts=True)
REST = Judged(status=Status.IDLE, reason="it rests")
GROUP = Group(arn="arn", name="g", status="ACTIVE", minimum=1, desired=2, maximum=4, tags={}, scaling_groups=("asg",))


def warned(minutes: float, **changes: object) -> Group:
    at = idle_tags.time_text(NOW - timedelta(minutes=minutes))
    return replace(GROUP, tags={idle_tags.WARNED_KEY: at}, **changes)  # pyright: ignore[reportArgumentType]


def test_rest_is_warned_of_and_names_the_end_of_the_grace() -> None:
    found = step(GROUP, REST, ACTS, NOW)
    assert (found.do, found.due) == (Do.WARN, NOW + timedelta(minutes=60))


@pytest.mark.parametrize(("minutes", "do"), [(0, Do.WAIT), (59, Do.WAIT), (60, Do.SCALE), (600, Do.SCALE)])
def test_after_the_grace_and_not_before_the_pool_goes_to_zero(minutes: float, do: Do) -> None:
    assert step(warned(minutes), REST, ACTS, NOW).do is do


@pytest.mark.parametrize("status", [Status.ACTIVE, Status.UNKNOWN])
def test_anything_but_rest_ends_the_grace(status: Status) -> None:
    other = Judged(status=status, reason="why")
    assert step(warned(600), other, ACTS, NOW).do is Do.FORGET
    assert step(GROUP, other, ACTS, NOW).do is Do.NOTHING


def test_where_the_stack_allows_no_action_people_are_told_once() -> None:
    telling = replace(ACTS, acts=False)
    assert step(GROUP, REST, telling, NOW).do is Do.WARN
    assert step(warned(600), REST, telling, NOW).do is Do.NOTHING


def test_a_node_group_that_is_being_changed_is_left_alone() -> None:
    assert step(warned(600, status="UPDATING"), REST, ACTS, NOW).do is Do.FORGET


def test_a_pool_at_zero_needs_nothing() -> None:
    assert step(replace(GROUP, minimum=0, desired=0), REST, ACTS, NOW).do is Do.NOTHING


@pytest.mark.parametrize("text", ["yesterday", "", "2027-03-01T13:00:00Z"])
def test_a_warning_that_cannot_be_read_or_lies_ahead_is_given_anew(text: str) -> None:
    assert step(replace(GROUP, tags={idle_tags.WARNED_KEY: text}), REST, ACTS, NOW).do is Do.WARN


def test_the_tag_that_protects_is_the_one_of_the_other_idle_tools() -> None:
    assert naming.tag_key("aws", "idle") == idle_tags.KEEP_KEY
    for tags in ({idle_tags.KEEP_KEY: "Keep "}, {idle_tags.KEEP_KEY: "no"}, {"GpuKit-Idle": ""}):
        assert kept(tags)
        assert protection.of(Cluster(name="lab", tags=tags)) is not None
    assert not kept({idle_tags.SIZES_KEY: "keep", "idle": "keep"})


def test_sizes_already_recorded_stay_unless_the_minimum_was_raised_since() -> None:
    before = idle_tags.Recorded(minimum=1, desired=3, maximum=4, at=NOW - timedelta(days=1))
    tagged = replace(GROUP, tags={idle_tags.SIZES_KEY: before.text})
    assert to_record(replace(tagged, minimum=0), NOW) == before
    assert to_record(replace(tagged, minimum=2), NOW) == idle_tags.Recorded(minimum=2, desired=2, maximum=4, at=NOW)


@pytest.mark.parametrize("text", ["", "min=1", "min=3 desired=2 max=4 at=2027-03-01T12:00:00Z", "min=1 desired=2 max=4 at=noon"])
def test_a_record_that_cannot_be_read_is_never_overwritten(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        to_record(replace(GROUP, tags={idle_tags.SIZES_KEY: text}), NOW)


def test_records_are_read_as_they_were_written_and_fit_into_a_tag() -> None:
    record = idle_tags.Recorded(minimum=0, desired=3, maximum=450, at=NOW)
    assert idle_tags.recorded(record.text) == record
    assert not list(naming.problems("aws", {idle_tags.SIZES_KEY: record.text, idle_tags.WARNED_KEY: idle_tags.time_text(NOW)}))
