from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.engine.dropped import Dropped, Entry, forgettable, missing
from scripts.engine.state import State
from scripts.errors import BadInput, Failed

STACK = {"urn": "stack", "type": "pulumi:pulumi:Stack"}
GROUP = {"urn": "group", "type": "aws:eks/nodeGroup:NodeGroup", "id": "c:g", "parent": "stack"}
CLUSTER = {"urn": "cluster", "type": "aws:eks/cluster:Cluster", "id": "c", "created": "monday", "parent": "stack"}
PROVIDER = {"urn": "provider", "type": "pulumi:providers:kubernetes", "id": "p", "parent": "stack", "dependencies": ["cluster", "group"]}
COMPONENT = {"urn": "operator", "type": "gpukit:k8s:GpuOperator", "parent": "stack"}
NAMESPACE: dict[str, Any] = {
    "urn": "namespace",
    "type": "kubernetes:core/v1:Namespace",
    "id": "gpu-operator",
    "parent": "operator",
    "provider": "provider::p",
    "deletedWith": "cluster",
    "dependencies": ["group", "cluster"],
    "propertyDependencies": {"metadata": ["group"]},
}
ALL = [STACK, CLUSTER, GROUP, PROVIDER, COMPONENT, NAMESPACE]


def state(*resources: Entry) -> State:
    return State({"deployment": {"resources": list(resources)}})


@pytest.fixture
def dropped(tmp_path: Path) -> Dropped:
    return Dropped(tmp_path / "destroying" / "sandbox-dev.json")


def test_objects_that_go_with_the_cluster_are_kept_with_what_they_need() -> None:
    assert [each["urn"] for each in forgettable(ALL)] == ["stack", "cluster", "provider", "operator", "namespace"]


def test_what_an_interrupted_destroy_forgot_comes_back_without_what_is_gone() -> None:
    back = missing(forgettable(ALL), state(STACK, CLUSTER))
    assert [each["urn"] for each in back] == ["provider", "operator", "namespace"]
    assert back[-1]["dependencies"] == ["cluster"]
    assert back[-1]["propertyDependencies"] == {"metadata": []}


def test_nothing_comes_back_without_its_cluster() -> None:
    assert missing(forgettable(ALL), state(STACK)) == ()


def test_a_cluster_made_anew_does_not_hold_the_objects_of_the_old_one() -> None:
    assert missing(forgettable(ALL), state(STACK, {**CLUSTER, "created": "friday"})) == ()


def test_what_the_state_still_holds_is_not_doubled() -> None:
    assert missing(forgettable(ALL), state(*ALL)) == ()


@given(st.sets(st.sampled_from(["provider", "group", "operator", "namespace"])))
def test_the_state_that_results_refers_to_nothing_that_it_lacks(gone: set[str]) -> None:
    """The engine refuses a state whose resources name others that are not there."""
    kept = [{**each, "dependencies": [urn for urn in each.get("dependencies", ()) if urn not in gone]} for each in ALL]
    kept = [each for each in kept if each["urn"] not in gone and not ({"provider", "operator"} & gone and each["urn"] == "namespace")]
    whole = state(*kept, *missing(forgettable(ALL), state(*kept)))
    seen: set[str] = set()
    for each in whole.resources:
        provider = [str(each["provider"]).partition("::")[0]] if each.get("provider") else []
        parent = [each["parent"]] if each.get("parent") else []
        assert {*each.get("dependencies", ()), *provider, *parent} <= seen
        assert each["urn"] not in seen
        seen.add(str(each["urn"]))
    assert "namespace" in seen


def test_a_second_interrupted_destroy_keeps_what_the_first_one_forgot(dropped: Dropped) -> None:
    """In the order of the first, in which what is needed stands before what needs it."""
    dropped.remember(state(*ALL))
    dropped.remember(state(STACK, CLUSTER, PROVIDER))
    assert [each["urn"] for each in dropped.entries()] == ["stack", "cluster", "provider", "operator", "namespace"]
    dropped.forget()
    assert dropped.entries() == ()


def test_the_file_is_readable_by_its_owner_alone(dropped: Dropped) -> None:
    dropped.remember(state(*ALL))
    assert stat.S_IMODE(dropped.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "{", "[1]", '[{"urn": "u"}]', json.dumps({"urn": "u"})])
def test_a_corrupt_file_is_named_and_not_passed_over(dropped: Dropped, content: str) -> None:
    dropped.path.parent.mkdir()
    dropped.path.write_text(content)
    with pytest.raises(BadInput, match=r"sandbox-dev\.json.*cannot be read"):
        dropped.entries()


def test_a_place_that_cannot_be_written_stops_before_anything_is_deleted(dropped: Dropped) -> None:
    dropped.path.with_suffix(".new").mkdir(parents=True)
    with pytest.raises(Failed, match="Nothing was changed"):
        dropped.remember(state(*ALL))
