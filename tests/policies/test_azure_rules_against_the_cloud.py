"""The simulated AKS as the judge of the rules: what they accept, it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components import catalog
from policies import evaluate
from scripts.sandbox import kinds
from scripts.sandbox.kinds.azure import pool_rules
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import place_of
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record
from tests.policies.azure_raw import POOL, infiniband
from tests.policies.raw import SETTINGS
from tests.sandbox import azure

REGION = "eastus"
SIZES = sorted(m.name for m in catalog.machines("azure") if m.gpu_count >= 1 and REGION in catalog.regions("azure", m.name))
BESIDE = ("GPU-QUOTA-01", "GPU-COST-02")
"""What is asked of a subscription or of prices, whatever the pool says."""
ADVICE = ("GPU-AKS-07", "GPU-AKS-18", "GPU-AKS-21", "GPU-AKS-33")
"""Rules that name what AKS may refuse, and cannot say for certain."""
counts = st.integers(0, 3)
changes = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["User", "System"]),
        "scaleSetPriority": st.sampled_from(["Regular", "Spot"]),
        "scaleSetEvictionPolicy": st.sampled_from(["Delete", "Deallocate"]),
        "spotMaxPrice": st.sampled_from([-1, 0, 1.5, 0.123456]),
        "upgradeSettings": st.fixed_dictionaries({}, optional={"maxSurge": st.sampled_from(["1", "33%"])}),
        "enableAutoScaling": st.booleans(),
        "minCount": counts,
        "maxCount": counts,
        "count": counts,
        "availabilityZones": st.lists(st.sampled_from(["1", "2", "3", "4"]), max_size=2, unique=True),
        "osDiskType": st.sampled_from(["Managed", "Ephemeral"]),
        "osDiskSizeGB": st.sampled_from([0, 64, 512, 100_000]),
        "agentPoolName": st.sampled_from(["gpu", "a", "GPU", "gpu-1", "1gpu", "averyverylongname"]),
        "capacityReservationGroupID": st.just("reserved"),
    },
)


@dataclass(frozen=True)
class Aks:
    """A cluster, and a group of reserved capacity that it may use."""

    world: azure.Azure = field(repr=False)
    cluster: Record = field(repr=False)
    group: str


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Aks:
    world = azure.Azure(tmp_path_factory.mktemp("azure"))
    cluster = world.cluster()
    group = world.reservation(size=SIZES[0], group="reserved")
    world.grant(group.id)
    return Aks(world, cluster, group.id)


def refused(cloud: Aks, inputs: dict[str, Any]) -> str:
    world, cluster, group = cloud.world, cloud.cluster, cloud.group
    wanted = inputs | ({"capacityReservationGroupID": group} if "capacityReservationGroupID" in inputs else {})
    order = Order(world=world.world, place=place_of(azure.SUBSCRIPTION), token=t.AGENT_POOL, name="n", inputs=wanted)
    path, name = f"{cluster.id}/agentPools/{wanted['agentPoolName']}", wanted["agentPoolName"]
    pool = pool_rules.PoolOrder(world=world.world, order=order, name=name, wanted=wanted, location=REGION, cluster=cluster.state, path=path)
    try:
        pool_rules.refuse(pool)
    except Refusal as refusal:
        return str(refusal)
    return ""


def failing(inputs: dict[str, Any]) -> list[str]:
    """What the rules refuse about the pool itself; what stands around it is well."""
    around = {"resourceGroupName": "@group", "resourceName": "@aks", "vnetSubnetID": "@nodes", "gpuProfile": {"driver": "Install"}}
    reserved = {"capacityReservationGroupID": "@crg"} if "capacityReservationGroupID" in inputs else {}
    program = infiniband().without("operator", "net-operator", "policy", "h100", "reserved").set("group", REGION, "location")
    program.add(POOL, "pool", **{**inputs, **around, **reserved})
    program.written["pool"].depends["tags"] = (program.urn("contributor"),)
    own = [f for f in evaluate(program.built(), SETTINGS) if f.urn == program.urn("pool") and f.rule not in BESIDE]
    return [f"{f.rule}: {f.message}" for f in own if f.fails or f.rule in ADVICE]


def written(size: str, changed: dict[str, Any]) -> dict[str, Any]:
    return {"agentPoolName": "gpu", "vmSize": size, "mode": "User", "osDiskSizeGB": 128, "osType": "Linux", **changed}


@given(size=st.sampled_from(SIZES), changed=changes)
@settings(deadline=None, max_examples=200)
def test_pools_that_the_rules_accept_are_taken(cloud: Aks, size: str, changed: dict[str, Any]) -> None:
    inputs = written(size, changed)
    refusal = refused(cloud, inputs)
    assert not refusal or failing(inputs), refusal


@pytest.mark.parametrize("size", SIZES)
def test_a_plain_pool_of_every_size_is_accepted_by_both(cloud: Aks, size: str) -> None:
    inputs = written(size, {"enableAutoScaling": True, "minCount": 0, "maxCount": 1})
    assert refused(cloud, inputs) == ""

    assert failing(inputs) == []


SPACE, NODES = "10.0.0.0/16", "10.0.0.0/24"
GROUP = "lab-rg"
"""A resource group that is there."""
profiles = st.lists(
    st.fixed_dictionaries(
        {"name": st.sampled_from(["system", "b"]), "count": st.integers(1, 9)},
        optional={"mode": st.sampled_from(["System", "User"]), "scaleSetPriority": st.just("Spot")},
    ),
    max_size=2,
    unique_by=lambda profile: profile["name"],
)
ranges = st.sampled_from(["192.168.0.0/16", "192.168.0.0/22", "10.0.0.0/18", "10.0.128.0/18", "10.0.0.0/8", "172.20.0.0/16"])
clusters = st.fixed_dictionaries(
    {"agentPoolProfiles": profiles},
    optional={
        "nodeResourceGroup": st.sampled_from([GROUP, "nodes-of-aks", "n" * 81]),
        "networkProfile": st.fixed_dictionaries(
            {}, optional={"networkPluginMode": st.just("overlay"), "podCidr": ranges, "serviceCidr": ranges}
        ),
    },
)


def refused_cluster(cloud: Aks, inputs: dict[str, Any]) -> str:
    subnet = next(each for each in cloud.world.all(t.SUBNET) if each.id.endswith("/nodes")).id
    assert [each.state["addressSpace"]["addressPrefixes"] for each in cloud.world.all(t.VNET)] == [[SPACE]]
    pools = [{"vmSize": "Standard_D4s_v5", **profile, "vnetSubnetID": subnet} for profile in inputs["agentPoolProfiles"]]
    wanted = {"resourceGroupName": GROUP, "resourceName": "n", "location": REGION, "dnsPrefix": "n", **inputs, "agentPoolProfiles": pools}
    order = Order(world=cloud.world.world, place=place_of(azure.SUBSCRIPTION), token=t.CLUSTER, name="n", inputs=wanted)
    try:
        kinds.kind(t.CLUSTER).admit(order)
    except Refusal as refusal:
        return str(refusal)
    return ""


def failing_cluster(inputs: dict[str, Any]) -> list[str]:
    """What the rules say about the cluster and the pools in it; the group that is there is one of the program's."""
    program = infiniband().without("operator", "net-operator", "policy", "h100", "reserved").set("group", REGION, "location")
    program = program.set("net", [SPACE], "addressSpace", "addressPrefixes").set("nodes", NODES, "addressPrefix")
    program.add("azure-native:resources:ResourceGroup", "taken", resourceGroupName=GROUP, location=REGION)
    pools = [{"vmSize": "Standard_D4s_v5", **profile, "vnetSubnetID": "@nodes"} for profile in inputs["agentPoolProfiles"]]
    for key, value in {**inputs, "agentPoolProfiles": pools}.items():
        program = program.set("aks", value, key)
    own = [f for f in evaluate(program.built(), SETTINGS) if f.urn == program.urn("aks") and f.rule not in BESIDE]
    return [f"{f.rule}: {f.message}" for f in own if f.fails or f.rule in ADVICE]


@given(inputs=clusters)
@settings(deadline=None, max_examples=100)
def test_clusters_that_the_rules_accept_are_made(cloud: Aks, inputs: dict[str, Any]) -> None:
    refusal = refused_cluster(cloud, inputs)
    assert not refusal or failing_cluster(inputs), refusal


@pytest.mark.parametrize(
    "network",
    [{"serviceCidr": "172.20.0.0/16"}, {"networkPluginMode": "overlay", "podCidr": "192.168.0.0/16", "serviceCidr": "172.20.0.0/16"}],
)
def test_a_plain_cluster_is_accepted_by_both(cloud: Aks, network: dict[str, Any]) -> None:
    inputs = {"agentPoolProfiles": [{"name": "system", "mode": "System", "count": 2}], "networkProfile": network}
    assert refused_cluster(cloud, inputs) == ""
    assert failing_cluster(inputs) == []
