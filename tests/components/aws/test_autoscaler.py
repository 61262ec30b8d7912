from __future__ import annotations

import json
import re
from typing import Any

import pytest

from components.aws.autoscaler import CHANGES, policy, priorities
from components.aws.outline import pool_outlines, system_outline
from components.resource import ResourceSet

from .specs import TRAINING, built, inference, only, spec, training

RELEASE = "kubernetes:helm.sh/v3:Release"
BLOCK = {"mode": "capacity_block", "id": "cr-0123456789abcdef0", "starts": "2037-01-11T11:30Z", "ends": "2037-01-18T11:30Z"}
RESERVED = {"mode": "reservation", "id": "cr-0123456789abcdef0"}


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training())


def values(made: ResourceSet) -> dict[str, Any]:
    return dict(only(made, RELEASE, "autoscaler").inputs["values"])


def test_it_finds_the_scaling_groups_of_this_cluster_by_their_tags(made: ResourceSet) -> None:
    told = values(made)
    assert (told["cloudProvider"], told["awsRegion"], told["autoDiscovery"]) == ("aws", "us-east-1", {"clusterName": "lab"})


def test_it_may_change_scaling_groups_of_this_cluster_alone() -> None:
    [looks, changes] = policy("lab")["Statement"]  # type: ignore[misc]
    assert set(changes["Action"]) == set(CHANGES)
    assert changes["Condition"] == {"StringEquals": {"aws:ResourceTag/k8s.io/cluster-autoscaler/lab": "owned"}}
    assert all(re.match(r"\w+:(Describe|Get)", action) for action in looks["Action"])


def test_it_acts_under_a_role_that_its_service_account_alone_takes_on(made: ResourceSet) -> None:
    association = only(made, "aws:eks/podIdentityAssociation:PodIdentityAssociation", "autoscaler")
    assert association.inputs["serviceAccount"] == values(made)["rbac"]["serviceAccount"]["name"] == "cluster-autoscaler"
    assert association.urn in only(made, RELEASE, "autoscaler").dependencies
    trust = json.loads(str(only(made, "aws:iam/role:Role", "autoscaler").inputs["assumeRolePolicy"]))
    assert trust["Statement"][0]["Condition"]["StringEquals"]["aws:RequestTag/kubernetes-service-account"] == "cluster-autoscaler"


@pytest.mark.failure("F5")
def test_a_node_with_one_gpu_in_use_is_not_emptied(made: ResourceSet) -> None:
    threshold = float(values(made)["extraArgs"]["scale-down-gpu-utilization-threshold"])
    assert 0 < threshold < 1 / 8


def test_pools_are_never_balanced_against_each_other(made: ResourceSet) -> None:
    assert values(made)["extraArgs"]["balance-similar-node-groups"] == "false"


def test_paid_capacity_comes_first_then_the_cheap_and_blocks_are_no_matter_of_the_autoscaler() -> None:
    base = TRAINING["pools"][0]
    modes = {"paid": RESERVED, "cheap": {"mode": "spot"}, "dear": {"mode": "on_demand"}, "block": BLOCK}
    several = spec(TRAINING, {"pools": [{**base, "name": name, "capacity": mode} for name, mode in modes.items()]})
    ranks = priorities("lab", (system_outline(several), *pool_outlines(several)))
    order = [pattern for rank in sorted(ranks, key=int, reverse=True) for pattern in ranks[rank]]
    assert [re.search(r"lab-(\w+)-", pattern)[1] for pattern in order] == ["paid", "cheap", "dear", "system"]  # type: ignore[index]


def test_a_pattern_means_one_pools_scaling_group_and_no_other() -> None:
    two = inference({"pools": [{"name": "a", "machine": "g5.2xlarge"}, {"name": "a-b", "machine": "g5.2xlarge"}]})
    [patterns] = priorities("lab", pool_outlines(two)).values()
    group = "eks-lab-a-b-0a1b2c3-2ec9a5d1-1b7c-4f65-9c0d-0123456789ab"
    assert [bool(re.match(pattern, group)) for pattern in patterns] == [False, True]
