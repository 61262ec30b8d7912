from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.sandbox import wire
from scripts.sandbox.provider.diff import Change, changes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3),
    max_leaves=8,
)
INPUTS = st.dictionaries(st.text("abc", min_size=1, max_size=2), JSON, max_size=4)


def paths(old: dict[str, Any], new: dict[str, Any], **options: Any) -> list[str]:
    return [c.path for c in changes(old, new, **{"replace": (), **options})]


@given(inputs=INPUTS)
def test_the_same_inputs_do_not_differ(inputs: dict[str, Any]):
    assert changes(inputs, inputs, replace=inputs) == []


@given(old=INPUTS, new=INPUTS)
def test_what_is_added_one_way_is_deleted_the_other_way(old: dict[str, Any], new: dict[str, Any]):
    turned = {"add": "delete", "delete": "add", "update": "update"}
    there = {(c.path, c.kind) for c in changes(old, new, replace=())}
    back = {(c.path, turned[c.kind]) for c in changes(new, old, replace=())}
    assert there == back


def test_changes_are_told_by_their_leaves():
    old = {"scalingConfig": {"minSize": 0, "maxSize": 2}, "taints": [{"key": "a"}], "tags": {"a/b": "1"}, "gone": 1}
    new = {"scalingConfig": {"minSize": 0, "maxSize": 4}, "taints": [{"key": "b"}], "tags": {"a/b": "2"}, "come": 1}
    assert changes(old, new, replace=("gone",)) == [
        Change("come", "add", replaces=False),
        Change("gone", "delete", replaces=True),
        Change("scalingConfig.maxSize", "update", replaces=False),
        Change('tags["a/b"]', "update", replaces=False),
        Change("taints[0].key", "update", replaces=False),
    ]


def test_a_nested_path_in_the_replacement_table_counts_for_what_is_under_it():
    assert [c.replaces for c in changes({"a": {"b": 1, "c": 1}}, {"a": {"b": 2, "c": 2}}, replace=("a.b",))] == [True, False]
    assert [c.replaces for c in changes({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, replace=("a",))] == [True]


@pytest.mark.failure("H1")
def test_a_desired_size_that_somebody_moved_is_a_change():
    assert paths({"scalingConfig": {"desiredSize": 3}}, {"scalingConfig": {"desiredSize": 0}}) == ["scalingConfig.desiredSize"]


@pytest.mark.failure("H1")
@pytest.mark.parametrize("ignored", ["scalingConfig.desiredSize", "scalingConfig"])
def test_a_desired_size_that_is_left_to_the_autoscaler_is_none(ignored: str):
    assert paths({"scalingConfig": {"desiredSize": 3}}, {"scalingConfig": {"desiredSize": 0}}, ignore=[ignored]) == []


@pytest.mark.parametrize("ignored", ["taints[0].key", "taints[*].key", "taints"])
def test_ignored_paths_may_go_through_lists(ignored: str):
    assert paths({"taints": [{"key": "a"}]}, {"taints": [{"key": "b"}]}, ignore=[ignored]) == []


def test_a_path_that_only_begins_alike_is_not_ignored():
    assert paths({"subnetIdsExtra": 1}, {"subnetIdsExtra": 2}, ignore=["subnetIds"]) == ["subnetIdsExtra"]


def test_secrets_are_compared_by_what_they_hold():
    assert paths({"a": wire.secret("x")}, {"a": "x"}) == []
    assert paths({"a": wire.secret("x")}, {"a": wire.secret("y")}) == ["a"]
