from __future__ import annotations

import json
from typing import Any

import pytest

from components.addresses import POD_ADDRESSES_PER_NODE
from components.aws.addons import CNI_ENVIRONMENT
from components.resource import Resource, ResourceSet

from .specs import built, inference, only, training

ADDON = "aws:eks/addon:Addon"
GROUP = "aws:eks/nodeGroup:NodeGroup"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training())


def add_on(made: ResourceSet, name: str) -> Resource:
    [found] = [r for r in made.of_type(ADDON) if r.inputs["addonName"] == name]
    return found


def told(made: ResourceSet, name: str) -> dict[str, Any]:
    return json.loads(str(add_on(made, name).inputs["configurationValues"]))


def test_both_clusters_have_the_same_six_add_ons(made: ResourceSet) -> None:
    names = {r.inputs["addonName"] for r in made.of_type(ADDON)}
    assert names == {
        "vpc-cni", "kube-proxy", "coredns", "aws-ebs-csi-driver", "eks-pod-identity-agent", "eks-node-monitoring-agent",
    }  # fmt: skip
    assert {r.inputs["addonName"] for r in built(inference()).of_type(ADDON)} == names


def test_no_version_is_made_up(made: ResourceSet) -> None:
    assert not any("addonVersion" in r.inputs for r in made.of_type(ADDON))


def test_a_pinned_version_reaches_its_add_on_and_no_other() -> None:
    pinned = built(training({"addon_versions": {"coredns": "v1.13.2-eksbuild.1", "vpc-cni": "v1.21.1-eksbuild.3"}}))
    versions = {r.inputs["addonName"]: r.inputs.get("addonVersion") for r in pinned.of_type(ADDON)}
    assert {name: version for name, version in versions.items() if version} == {
        "coredns": "v1.13.2-eksbuild.1", "vpc-cni": "v1.21.1-eksbuild.3",
    }  # fmt: skip


@pytest.mark.failure("A6")
def test_pods_get_their_addresses_in_blocks_that_fit_the_address_plan(made: ResourceSet) -> None:
    environment = told(made, "vpc-cni")["env"]
    assert environment == CNI_ENVIRONMENT
    assert environment["ENABLE_PREFIX_DELEGATION"] == "true"
    block, kept = 16, int(environment["MINIMUM_IP_TARGET"]) + int(environment["WARM_IP_TARGET"])
    assert -(-kept // block) * block <= POD_ADDRESSES_PER_NODE


@pytest.mark.failure("J9")
def test_volumes_of_claims_carry_the_stacks_identity_and_tags(made: ResourceSet) -> None:
    tags = told(made, "aws-ebs-csi-driver")["controller"]["extraVolumeTags"]
    assert tags["gpukit/stack"] == "aws-test"
    assert tags["cost-center"] == "4711"


@pytest.mark.parametrize("name", ["vpc-cni", "kube-proxy", "eks-pod-identity-agent"])
def test_nodes_wait_for_what_makes_them_ready(made: ResourceSet, name: str) -> None:
    for group in made.of_type(GROUP):
        assert add_on(made, name).urn in group.property_dependencies["clusterName"]


@pytest.mark.parametrize("name", ["coredns", "aws-ebs-csi-driver", "eks-node-monitoring-agent"])
def test_what_needs_nodes_waits_for_the_system_pool(made: ResourceSet, name: str) -> None:
    assert only(made, GROUP, "system").urn in add_on(made, name).property_dependencies["clusterName"]


def test_the_storage_driver_acts_under_a_role_of_its_own(made: ResourceSet) -> None:
    association = only(made, ASSOCIATION, "ebs-csi")
    assert (association.inputs["namespace"], association.inputs["serviceAccount"]) == ("kube-system", "ebs-csi-controller-sa")
    attached = only(made, "aws:iam/rolePolicyAttachment:RolePolicyAttachment", "AmazonEBSCSIDriverPolicy")
    assert attached.inputs["policyArn"] == "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy"
    assert association.urn in add_on(made, "aws-ebs-csi-driver").dependencies


def test_a_cluster_takes_over_what_eks_installed_by_itself(made: ResourceSet) -> None:
    assert {r.inputs["resolveConflictsOnCreate"] for r in made.of_type(ADDON)} == {"OVERWRITE"}
