"""AKS clusters: the node resource group, inline pools, what goes with them."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox import clouds
from scripts.sandbox.kinds import tokens as k
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.nodes import place_of_cluster
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record
from tests.sandbox.azure import A100, CPU, SUBSCRIPTION, Azure


def profile(azure: Azure, **changes: Any) -> dict[str, Any]:
    (subnet,) = azure.all(t.SUBNET)
    return {"name": "system", "mode": "System", "vmSize": CPU, "count": 1, "vnetSubnetID": subnet.id, **changes}


def test_a_cluster_answers_at_its_address_with_its_first_nodes(azure: Azure):
    cluster = azure.cluster()
    assert cluster.state["fqdn"] == f"http://127.0.0.1:1/aks/{SUBSCRIPTION}/lab-rg/lab"
    place = place_of_cluster(cluster.id)
    assert clouds.cluster_of(azure.world, place) == azure.now(cluster)
    assert len(azure.world.store.of_kind(k.NODE, place.key)) == 1


def test_what_aks_makes_lies_in_a_group_of_its_own_and_goes_with_the_cluster(azure: Azure):
    cluster = azure.cluster()
    (made,) = [g for g in azure.all(t.RESOURCE_GROUP) if g.id.endswith("MC_lab-rg_lab_eastus")]
    by_hand = azure.make(t.DISK, resourceGroupName="MC_lab-rg_lab_eastus", diskName="forgotten", creationData={"createOption": "Empty"})
    azure.delete(cluster)
    assert not azure.there(made)
    assert not azure.there(by_hand)
    assert {r.kind for r in azure.world.store if r.key.startswith("azure/")} == {t.RESOURCE_GROUP, t.VNET, t.SUBNET, t.IDENTITY}


@pytest.mark.failure("H9")
def test_a_pool_that_leaves_the_inline_list_runs_on(azure: Azure):
    azure.ground()
    identity = azure.identity()
    both = [profile(azure), profile(azure, name="gpu", mode="User", vmSize=A100)]
    given = {"identity": {"type": "UserAssigned", "userAssignedIdentities": [identity.id]}, "agentPoolProfiles": both}
    cluster = azure.make(t.CLUSTER, resourceName="lab", kubernetesVersion="1.35", **given)
    azure.change(cluster, agentPoolProfiles=both[:1])
    pool = next(p for p in azure.all(t.AGENT_POOL) if p.id.endswith("/gpu"))
    assert len(azure.nodes(pool)) == 1
    assert {p["name"] for p in azure.now(cluster).state["agentPoolProfiles"]} == {"system", "gpu"}


@pytest.mark.failure("H9")
def test_a_pool_that_joins_the_inline_list_later_is_refused(azure: Azure):
    cluster = azure.cluster()
    with pytest.raises(Refusal, match="A new agent pool was introduced"):
        azure.change(cluster, agentPoolProfiles=[profile(azure), profile(azure, name="gpu", mode="User")])


def test_an_inline_pool_can_be_resized_in_the_list(azure: Azure):
    cluster = azure.cluster()
    azure.change(cluster, agentPoolProfiles=[profile(azure, count=3)])
    assert len(azure.nodes(azure.all(t.AGENT_POOL)[0])) == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"agentPoolProfiles": []}, "agentPoolProfiles is missing"),
        ({"agentPoolProfiles": [{"name": "gpu", "mode": "User", "vmSize": CPU, "count": 1}]}, "at least one system pool"),
        ({"nodeResourceGroup": "lab-rg"}, "NodeResourceGroupAlreadyExists"),
        ({"nodeResourceGroup": "x" * 81}, "maximum length is 80"),
        ({"networkProfile": {"podCidr": "10.0.128.0/17"}}, "NetworkProfileCIDROverlapVNET"),
        (
            {"identity": {"userAssignedIdentities": [f"/subscriptions/{SUBSCRIPTION}/resourceGroups/lab-rg/providers/x"]}},
            "InvalidResourceReference",
        ),
    ],
)
def test_aks_refuses_a_cluster_by_its_own_rules(azure: Azure, changes: dict[str, Any], words: str):
    with pytest.raises(Refusal, match=words):
        azure.cluster(**changes)


@pytest.mark.parametrize(("version", "taken"), [("1.36", True), ("1.37", False), ("1.34", False)])
def test_versions_go_up_one_minor_at_a_time(azure: Azure, version: str, taken: bool):
    cluster = azure.cluster()
    if taken:
        assert azure.change(cluster, kubernetesVersion=version).state["currentKubernetesVersion"] == version
    else:
        with pytest.raises(Refusal, match="one minor version at a time"):
            azure.change(cluster, kubernetesVersion=version)


def test_objects_of_a_cluster_go_with_it(azure: Azure):
    cluster = azure.cluster()
    key = place_of_cluster(cluster.id).key
    with azure.world.store.transaction():
        azure.world.store.put(Record(kind=k.POD, key=key, id="default/p", state={"metadata": {}}))
    azure.delete(cluster)
    assert azure.world.store.in_place(key) == []


def test_without_a_subnet_aks_makes_a_network(azure: Azure):
    azure.group()
    system = {"name": "system", "mode": "System", "vmSize": CPU, "count": 1}
    cluster = azure.make(t.CLUSTER, resourceName="lab", identity={"type": "SystemAssigned"}, agentPoolProfiles=[system])
    assert [vm.state["subnetId"] for vm in azure.nodes(azure.all(t.AGENT_POOL)[0])] == [azure.now(cluster).state["managedSubnet"]]
    azure.delete(cluster)
    assert not azure.all(t.VNET)
