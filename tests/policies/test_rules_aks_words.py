"""GPU-AKS-16 and GPU-AKS-17: what AKS takes as numbers of nodes and names of pools."""

from __future__ import annotations

from typing import Any

import pytest

from policies import Status
from tests.policies.azure_raw import infiniband, judged
from tests.policies.raw import Raw

NUMBERS, NAMES = "GPU-AKS-16", "GPU-AKS-17"


def written(**changes: Any) -> Raw:
    """The H100 pool with other settings; None takes one out."""
    program = infiniband()
    for prop, value in changes.items():
        program = program.set("h100", value, prop)
    return program


def test_a_growing_user_pool_from_no_node_is_right() -> None:
    assert judged(infiniband(), NUMBERS) == []


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"minCount": 5}, "maxCount"),
        ({"maxCount": 0}, "maxCount"),
        ({"minCount": None, "maxCount": 0}, "maxCount"),
        ({"count": 9}, "count"),
        ({"mode": "System"}, "minCount"),
        ({"enableAutoScaling": False}, "minCount"),
        ({"enableAutoScaling": False, "minCount": None, "maxCount": None, "count": 0, "mode": "System"}, "count"),
    ],
)
def test_numbers_that_aks_refuses_are_named_where_they_stand(changes: dict[str, Any], path: str) -> None:
    found = judged(written(**changes), NUMBERS)
    assert path in [f.path for f in found]
    assert all(f.fails for f in found)


@pytest.mark.parametrize("changes", [{"enableAutoScaling": False, "minCount": None, "maxCount": None, "mode": "System"}, {"count": 2}])
def test_numbers_that_aks_takes_are_not_named(changes: dict[str, Any]) -> None:
    assert judged(written(**changes), NUMBERS) == []


@pytest.mark.parametrize("prop", ["enableAutoScaling", "mode"])
def test_a_number_that_may_be_refused_is_asked_for(prop: str) -> None:
    program = written(mode="System", minCount=0) if prop == "mode" else infiniband()
    assert {f.status for f in judged(program.hide("h100", prop), NUMBERS)} == {Status.UNKNOWN}


def test_a_bound_that_is_not_known_leaves_the_range_to_the_rules_of_cost() -> None:
    assert judged(infiniband().hide("h100", "maxCount"), NUMBERS) == []


def test_a_minimum_or_a_name_that_is_hidden_is_no_pass() -> None:
    for prop, rule in (("minCount", NUMBERS), ("agentPoolName", NAMES)):
        (finding,) = judged(infiniband().hide("h100", prop), rule)
        assert (finding.status, finding.path) == (Status.UNKNOWN, prop)


@pytest.mark.parametrize("name", ["H100", "h-100", "1h", "averyverylongname"])
def test_a_name_that_aks_refuses_is_told(name: str) -> None:
    (finding,) = judged(infiniband().set("h100", name, "agentPoolName"), NAMES)
    assert (finding.path, finding.fails) == ("agentPoolName", True)
    assert repr(name) in finding.message


@pytest.mark.parametrize("name", ["h100", None])
def test_a_name_that_aks_takes_or_that_the_provider_makes_is_right(name: str | None) -> None:
    assert judged(infiniband().set("h100", name, "agentPoolName"), NAMES) == []


def test_a_pool_inside_its_cluster_is_called_by_another_property() -> None:
    (finding,) = judged(infiniband().set("aks", "Sys-1", "agentPoolProfiles", 0, "name"), NAMES)
    assert finding.path == "agentPoolProfiles[0].name"
