"""Agent pools: what their arguments refuse, and what is built of an outline."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from components.azure.driver import DriverMode
from components.azure.node_pool import NodePoolArgs
from components.azure.outline import PoolOutline, pool_outlines
from components.inventory import Market
from components.naming import Identity
from components.resource import ResourceSet

from .specs import GROUP, STACK, built, inference, one, training

POOL = "containerservice:AgentPool"
CLUSTER = "containerservice:ManagedCluster"
SPOT = {"capacity": {"mode": "spot"}}
RESERVED = {"capacity": {"mode": "reservation", "group": GROUP}, "nodes": {"min": 2, "max": 2}}


@pytest.fixture(scope="module")
def outline() -> PoolOutline:
    return pool_outlines(training())[0]


@pytest.fixture(scope="module")
def spot_outline() -> PoolOutline:
    return pool_outlines(inference({"pools": SPOT}))[0]


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training())


@pytest.fixture(scope="module")
def spot() -> ResourceSet:
    return built(inference({"pools": SPOT}))


def args(outline: PoolOutline) -> NodePoolArgs:
    return NodePoolArgs(
        outline=outline,
        cluster_name="lab",
        resource_group="lab",
        region="eastus",
        kubernetes_version="1.35",
        subnet_id="subnet",
        identity=Identity(cloud="azure", stack=STACK, cluster="lab"),
    )


def test_a_sound_outline_is_taken(outline: PoolOutline, spot_outline: PoolOutline) -> None:
    assert args(outline).outline is outline
    assert args(spot_outline).outline is spot_outline


@pytest.mark.failure("E3")
def test_a_spot_pool_as_system_pool_is_refused(spot_outline: PoolOutline) -> None:
    with pytest.raises(ValueError, match=re.escape("system pool (E3)")):
        args(replace(spot_outline, mode="System"))


@pytest.mark.failure("E4")
def test_a_spot_pool_that_surges_is_refused(spot_outline: PoolOutline) -> None:
    with pytest.raises(ValueError, match=re.escape("surges (E4)")):
        args(replace(spot_outline, in_place=False))


@pytest.mark.failure("E2")
@pytest.mark.parametrize("driver", [DriverMode.OPERATOR, DriverMode.AKS])
def test_a_share_of_an_a10_without_the_grid_driver_is_refused(driver: DriverMode) -> None:
    grid = pool_outlines(inference({"pools": {"machine": "Standard_NV12ads_A10_v5"}}))[0]
    with pytest.raises(ValueError, match=re.escape("without the GRID driver (E2)")):
        args(replace(grid, driver=driver))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"market": Market.CAPACITY_BLOCK}, "none of Azure's"),
        ({"market": Market.RESERVATION}, "reserved capacity and its group"),
        ({"reservation_group": GROUP}, "reserved capacity and its group"),
        ({"max_price_usd": 3.0}, "belongs to spot"),
        ({"driver": None}, "owner of their driver"),
        ({"driver": DriverMode.AKS}, "no peer memory"),
        ({"zones": ("1", "2")}, "several zones"),
        ({"mig_profile": "MIG1g"}, "without its driver"),
        ({"machines": ()}, "several machine sizes"),
    ],
)
def test_what_azure_would_refuse_is_refused_before(outline: PoolOutline, changes: dict[str, Any], said: str) -> None:
    if changes.get("machines") == ():
        changes = {"machines": outline.machines * 2}
    with pytest.raises(ValueError, match=said):
        args(replace(outline, **changes))


@pytest.mark.parametrize("price", [0.0, -2.0, 1.234567])
def test_prices_that_azure_does_not_take_are_refused(spot_outline: PoolOutline, price: float) -> None:
    with pytest.raises(ValueError, match="highest price"):
        args(replace(spot_outline, max_price_usd=price))


# What is built ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.failure("E3")
@pytest.mark.failure("E4")
@pytest.mark.failure("E6")
def test_spot_nodes_are_user_nodes_that_are_deleted_and_tainted_and_never_surge(spot: ResourceSet) -> None:
    pool = one(spot, POOL).inputs
    assert (pool["mode"], pool["scaleSetPriority"], pool["scaleSetEvictionPolicy"], pool["spotMaxPrice"]) == ("User", "Spot", "Delete", -1)
    assert "upgradeSettings" not in pool
    assert "kubernetes.azure.com/scalesetpriority=spot:NoSchedule" in pool["nodeTaints"]
    assert pool["nodeLabels"]["kubernetes.azure.com/scalesetpriority"] == "spot"


def test_a_highest_price_may_be_given() -> None:
    capacity = {"capacity": {"mode": "spot", "max_usd_per_hour": 1.5}}
    assert one(built(inference({"pools": capacity})), POOL).inputs["spotMaxPrice"] == 1.5


def test_nodes_that_are_not_spot_say_nothing_of_it(made: ResourceSet) -> None:
    pool = one(made, POOL).inputs
    assert pool["scaleSetPriority"] == "Regular"
    assert not {"scaleSetEvictionPolicy", "spotMaxPrice"} & set(pool)
    assert pool["nodeTaints"] == ["nvidia.com/gpu=present:NoSchedule"]


@pytest.mark.failure("H9")
@pytest.mark.failure("K10")
def test_only_the_system_pool_stands_inline(made: ResourceSet) -> None:
    profiles = one(made, CLUSTER).inputs["agentPoolProfiles"]
    assert [(p["name"], p["mode"]) for p in profiles] == [("system", "System")]
    assert one(made, POOL).property_dependencies["resourceName"] != ()


@pytest.mark.failure("C2")
@pytest.mark.failure("C3")
@pytest.mark.parametrize(
    ("spec", "word", "operators"),
    [
        (training(), "None", True),
        (training({"pools": {"machine": "Standard_NC96ads_A100_v4"}}), "None", True),
        (inference(), "Install", False),
        (inference({"pools": {"machine": "Standard_NV12ads_A10_v5"}}), "Install", False),
        (inference({"pools": {"machine": "Standard_ND96isr_H100_v5", "fabric": "auto"}}), "None", True),
    ],
)
def test_aks_and_the_operator_agree_on_who_installs_the_driver(spec: Any, word: str, operators: bool) -> None:
    resources = built(spec)
    assert one(resources, POOL).inputs["gpuProfile"] == {"driver": word}
    release = next(r for r in resources.of_type("kubernetes:helm.sh/v3:Release") if r.inputs["name"] == "gpu-operator")
    values = release.inputs["values"]
    assert (values["driver"]["enabled"], values["toolkit"]["enabled"]) == (operators, operators)
    assert values["operator"]["runtimeClass"] == ("nvidia" if operators else "nvidia-container-runtime")


@pytest.mark.failure("H2")
@pytest.mark.failure("E10")
@pytest.mark.parametrize("patch", [{"machine": "Standard_ND96isr_H200_v5"}, SPOT, {"disk_gib": 700}, {"zone": "1"}, {"placement": "own"}])
def test_whatever_aks_cannot_change_gives_a_new_pool_beside_the_old_one(outline: PoolOutline, patch: dict[str, Any]) -> None:
    assert pool_outlines(training({"pools": patch}))[0].agent_pool != outline.agent_pool


@pytest.mark.parametrize("patch", [{"nodes": {"min": 1, "max": 9}}, {"updates": "surge"}, {"labels": {"team": "research"}}])
def test_what_aks_can_change_leaves_the_pool_its_name(outline: PoolOutline, patch: dict[str, Any]) -> None:
    assert pool_outlines(training({"pools": patch}))[0].agent_pool == outline.agent_pool


def test_updates_of_scarce_nodes_have_no_spare_node_and_others_may(made: ResourceSet) -> None:
    settings = one(made, POOL).inputs["upgradeSettings"]
    assert (settings["maxSurge"], settings["maxUnavailable"], settings["undrainableNodeBehavior"]) == ("0", "1", "Cordon")
    surging = one(built(inference({"pools": {"updates": "surge"}})), POOL).inputs["upgradeSettings"]
    assert (surging["maxSurge"], surging["maxUnavailable"]) == ("1", "0")


@pytest.mark.failure("H1")
def test_the_autoscaler_alone_writes_the_number_of_nodes(made: ResourceSet) -> None:
    pool = one(made, POOL)
    assert (pool.inputs["enableAutoScaling"], pool.inputs["minCount"], pool.inputs["maxCount"]) == (True, 0, 4)
    assert pool.options.ignore_changes == ("count",)
    assert one(made, CLUSTER).options.ignore_changes == ("agentPoolProfiles[0].count",)


@pytest.mark.failure("E7")
def test_zones_are_named_only_where_the_file_names_them(made: ResourceSet) -> None:
    assert "availabilityZones" not in one(made, POOL).inputs
    assert one(built(training({"pools": {"zone": "2"}})), POOL).inputs["availabilityZones"] == ["2"]


def test_disks_are_managed_and_as_large_as_images_need(made: ResourceSet) -> None:
    pool = one(made, POOL).inputs
    assert (pool["osDiskType"], pool["osDiskSizeGB"], pool["scaleDownMode"]) == ("Managed", 500, "Delete")


def test_reserved_nodes_start_in_their_group_once_the_cluster_may_use_it() -> None:
    resources = built(training({"pools": RESERVED}))
    pool, right = one(resources, POOL), one(resources, "authorization:RoleAssignment", "reserved-reserved")
    assert pool.inputs["capacityReservationGroupID"] == GROUP
    assert right.inputs["scope"] == GROUP.split("/providers/")[0]
    assert right.inputs["roleDefinitionId"].endswith("b24988ac-6180-42a0-ab88-20f7382dd24c")
    assert right.urn in pool.property_dependencies["resourceName"]


def test_placement_groups_are_made_or_taken_only_where_asked_for(made: ResourceSet) -> None:
    assert "proximityPlacementGroupID" not in one(made, POOL).inputs
    own = built(training({"pools": {"placement": "own"}}))
    group = one(own, "compute:ProximityPlacementGroup")
    assert one(own, POOL).property_dependencies["proximityPlacementGroupID"] == (group.urn,)


@pytest.mark.failure("F1")
def test_what_aks_cannot_know_of_a_node_is_announced_by_tags(made: ResourceSet) -> None:
    assert one(made, POOL).inputs["tags"]["k8s.io_cluster-autoscaler_node-template_resources_rdma_ib"] == "8"
    assert not any("node-template" in key for key in one(built(inference()), POOL).inputs["tags"])


def test_aks_divides_gpus_where_it_installs_the_driver() -> None:
    resources = built(inference({"pools": {"sharing": {"mig": "1g.10gb"}, "nodes": {"min": 1, "max": 2}}}))
    pool = one(resources, POOL).inputs
    assert pool["gpuInstanceProfile"] == "MIG1g"
    assert "nvidia.com/mig.config" not in pool["nodeLabels"]


def test_a_nodes_pool_and_stack_are_in_its_tags(made: ResourceSet) -> None:
    tags = one(made, POOL).inputs["tags"]
    assert (tags["gpukit-pool"], tags["gpukit-stack"], tags["cost-center"]) == ("h100", STACK, "4711")
