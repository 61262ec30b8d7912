"""GPU-AKS rules of agent pools: each failing program with its repaired twin."""

from __future__ import annotations

from typing import Any

import pytest

from components.unknown import Unknown
from policies import Level, Status
from policies.readers import azure_types as types
from tests.policies.azure_raw import POOL, inference, infiniband, judged, system
from tests.policies.raw import Raw


def inline(**changes: Any) -> Raw:
    gpu = {"name": "gpu", "mode": "User", "vmSize": "Standard_NC24ads_A100_v4", "count": 1, **changes}
    return inference().set("aks", [system(), gpu], "agentPoolProfiles")


# --- GPU-AKS-01


@pytest.mark.failure("H9")
@pytest.mark.failure("K10")
def test_a_gpu_pool_inside_its_cluster_is_refused() -> None:
    program = inline()
    (finding,) = judged(program, "GPU-AKS-01")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.MANDATORY)
    assert (finding.urn, finding.path) == (program.urn("aks"), "agentPoolProfiles[1].vmSize")
    assert finding.message.startswith("gpu: Standard_NC24ads_A100_v4 inside the cluster's resource. Azure merges this list with what runs")


@pytest.mark.failure("H9")
@pytest.mark.failure("K10")
def test_the_same_pool_as_a_resource_of_its_own_repairs_it() -> None:
    assert judged(inference(), "GPU-AKS-01") == []


@pytest.mark.failure("H9")
def test_the_classic_providers_default_pool_is_inside_its_cluster_too() -> None:
    program = Raw().add(
        "azure:containerservice/kubernetesCluster:KubernetesCluster",
        "aks",
        location="eastus",
        defaultNodePool={"name": "gpu", "vmSize": "Standard_NC4as_T4_v3", "nodeCount": 1},
    )
    (finding,) = judged(program, "GPU-AKS-01")
    assert (finding.status, finding.path) == (Status.VIOLATED, "defaultNodePool.vmSize")


@pytest.mark.parametrize("size", [Unknown("s"), "Standard_NEW_v9"])
def test_a_size_that_is_not_known_inside_the_cluster_is_no_pass(size: object) -> None:
    (finding,) = judged(inline(vmSize=size), "GPU-AKS-01")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_a_list_of_pools_that_is_not_known_is_no_pass() -> None:
    (finding,) = judged(inference().hide("aks", "agentPoolProfiles"), "GPU-AKS-01")
    assert finding.message.startswith("agentPoolProfiles: agentPoolProfiles is known only after the update")


# --- GPU-AKS-02


@pytest.mark.failure("E3")
def test_a_spot_pool_of_mode_system_is_refused() -> None:
    (finding,) = judged(inference().set("a10", "System", "mode"), "GPU-AKS-02")
    assert (finding.status, finding.path) == (Status.VIOLATED, "scaleSetPriority")
    assert "a spot pool of mode System, which AKS refuses" in finding.message


@pytest.mark.failure("E3")
def test_mode_user_repairs_it() -> None:
    assert judged(inference(), "GPU-AKS-02") == []
    assert judged(inference().set("a10", "System", "mode").set("a10", "Regular", "scaleSetPriority"), "GPU-AKS-02") == []


@pytest.mark.failure("E3")
def test_a_spot_pool_cannot_be_the_first_of_its_cluster() -> None:
    first = {"name": "first", "vmSize": "Standard_D4s_v5", "count": 1, "scaleSetPriority": "spot"}
    (finding,) = judged(inference().set("aks", [first, system()], "agentPoolProfiles"), "GPU-AKS-02")
    assert "the first pool of its cluster is spot" in finding.message
    assert judged(inference().set("aks", [system(), {**first, "mode": "User"}], "agentPoolProfiles"), "GPU-AKS-02") == []


def test_a_priority_that_is_hidden_on_a_system_pool_is_no_pass() -> None:
    (finding,) = judged(inference().set("a10", "System", "mode").hide("a10", "scaleSetPriority"), "GPU-AKS-02")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


# --- GPU-AKS-03, GPU-AKS-04


@pytest.mark.failure("E4")
@pytest.mark.parametrize("surge", ["10%", 1])
def test_a_spot_pool_with_surge_is_refused(surge: object) -> None:
    (finding,) = judged(inference().set("a10", {"maxSurge": surge}, "upgradeSettings"), "GPU-AKS-03")
    assert (
        finding.message
        == "a10: a spot pool with upgradeSettings.maxSurge, which AKS refuses (spot pools can't set max surge). Take it out."
    )


@pytest.mark.failure("E4")
def test_other_upgrade_settings_of_a_spot_pool_repair_it() -> None:
    assert judged(inference().set("a10", {"drainTimeoutInMinutes": 30}, "upgradeSettings"), "GPU-AKS-03") == []
    assert judged(infiniband(), "GPU-AKS-03") == []


@pytest.mark.parametrize(("key", "value"), [("scaleSetEvictionPolicy", "Delete"), ("spotMaxPrice", 1.5)])
def test_words_of_spot_on_a_regular_pool_are_refused(key: str, value: object) -> None:
    (finding,) = judged(infiniband().set("h100", value, key), "GPU-AKS-04")
    assert finding.status is Status.VIOLATED
    assert judged(infiniband(), "GPU-AKS-04") == []


@pytest.mark.parametrize(("price", "right"), [(-1, True), (0.5, True), (1.23456, True), (1.234567, False), (0, False)])
def test_a_maximum_price_is_one_that_aks_takes(price: float, *, right: bool) -> None:
    assert (judged(inference().set("a10", price, "spotMaxPrice"), "GPU-AKS-04") == []) is right


# --- GPU-AKS-05


@pytest.mark.failure("H1")
def test_a_number_of_nodes_beside_the_autoscaler_is_refused() -> None:
    (finding,) = judged(inference().set("a10", 2, "count"), "GPU-AKS-05")
    assert (finding.status, finding.level, finding.path) == (Status.VIOLATED, Level.MANDATORY, "count")


@pytest.mark.failure("H1")
def test_leaving_it_out_or_alone_repairs_it() -> None:
    assert judged(inference(), "GPU-AKS-05") == []
    fixed = inference().set("a10", 2, "count").set("a10", False, "enableAutoScaling")
    assert judged(fixed, "GPU-AKS-05") == []


@pytest.mark.parametrize("ignored", [("count",), ("*",)])
def test_ignoring_later_changes_of_it_repairs_it_too(ignored: tuple[str, ...]) -> None:
    program = inference().set("a10", 2, "count").with_options("a10", ignore_changes=ignored)
    assert judged(program, "GPU-AKS-05") == []


def test_a_system_pool_with_two_writers_is_advice() -> None:
    scaled = {**system(), "enableAutoScaling": True, "minCount": 1, "maxCount": 3}
    program = inference().set("aks", [scaled], "agentPoolProfiles")
    (finding,) = judged(program, "GPU-AKS-05")
    assert (finding.level, finding.path) == (Level.ADVISORY, "agentPoolProfiles[0].count")
    ignored = program.with_options("aks", ignore_changes=("agentPoolProfiles[0].count",))
    assert judged(ignored, "GPU-AKS-05") == []


# --- GPU-AKS-06 to GPU-AKS-09


@pytest.mark.failure("J6")
@pytest.mark.parametrize("key", ["scaleDownMode", "scaleSetEvictionPolicy"])
def test_nodes_that_are_only_switched_off_are_told(key: str) -> None:
    (finding,) = judged(inference().set("a10", "Deallocate", key), "GPU-AKS-06")
    assert (finding.level, finding.path) == (Level.ADVISORY, key)


@pytest.mark.failure("J6")
def test_deleting_them_repairs_it() -> None:
    assert judged(inference().set("a10", "Delete", "scaleDownMode"), "GPU-AKS-06") == []


@pytest.mark.failure("E7")
def test_an_ephemeral_disk_that_no_local_disk_proves_is_told() -> None:
    program = infiniband().set("h100", "Standard_NC24ads_A100_v4", "vmSize").set("h100", "Ephemeral", "osDiskType")
    (finding,) = judged(program, "GPU-AKS-07")
    assert "an ephemeral OS disk of 512 GiB on Standard_NC24ads_A100_v4, whose local disk (64 GiB) does not prove room" in finding.message


@pytest.mark.failure("E7")
def test_a_managed_disk_or_a_small_one_repairs_it() -> None:
    program = infiniband().set("h100", "Standard_NC24ads_A100_v4", "vmSize")
    assert judged(program, "GPU-AKS-07") == []
    assert judged(program.set("h100", "Ephemeral", "osDiskType").set("h100", 60, "osDiskSizeGB"), "GPU-AKS-07") == []


def test_public_addresses_of_gpu_nodes_are_told() -> None:
    (finding,) = judged(inference().set("a10", True, "enableNodePublicIP"), "GPU-AKS-08")
    assert finding.level is Level.ADVISORY
    assert judged(inference().set("a10", False, "enableNodePublicIP"), "GPU-AKS-08") == []


@pytest.mark.failure("E7")
def test_a_retired_size_is_refused_and_its_successor_passes() -> None:
    program = infiniband().set("h100", "Standard_NC6s_v3", "vmSize")
    (finding,) = judged(program, "GPU-AKS-09")
    assert finding.message.startswith("h100: Standard_NC6s_v3 is retired 2025-09-30")
    assert judged(infiniband(), "GPU-AKS-09") == []


@pytest.mark.failure("E7")
def test_a_region_without_the_size_is_refused() -> None:
    (finding,) = judged(infiniband().set("group", "South India", "location").without("reserved"), "GPU-ZONE-01")
    assert finding.message.startswith("h100: Standard_ND96isr_H100_v5 is not offered in southindia")


@pytest.mark.failure("E7")
def test_a_region_with_the_size_repairs_it() -> None:
    assert judged(infiniband(), "GPU-ZONE-01") == []


@pytest.mark.parametrize(("size", "statuses"), [("Standard_DS3_v2", []), ("Standard_B4ms", []), ("Standard_Q4s_v1", [Status.UNKNOWN])])
def test_a_system_pool_of_a_family_without_gpus_may_stand_inside_its_cluster(size: str, statuses: list[Status]) -> None:
    program = inference().set("aks", [system() | {"vmSize": size}], "agentPoolProfiles")
    assert [f.status for f in judged(program, "GPU-AKS-01")] == statuses
    assert [f.status for f in judged(program, "GPU-NODE-08")] == statuses
    assert [f.status for f in judged(program, "GPU-SCALE-08")] == statuses


@pytest.mark.failure("A8")
@pytest.mark.parametrize(("zones", "placed", "fails"), [(["1", "2"], True, [True]), (["1"], True, []), (["1", "2"], False, [])])
def test_a_proximity_placement_group_lies_in_one_zone(zones: list[str], placed: bool, fails: list[bool]) -> None:
    group = {"proximityPlacementGroupID": "@near"} if placed else {}
    program = inference().add(types.PLACEMENT_GROUP, "near", resourceGroupName="@group")
    program.add(
        POOL, "t4", resourceGroupName="@group", resourceName="@aks", vmSize="Standard_NC64as_T4_v3", availabilityZones=zones, **group
    )
    found = judged(program, "GPU-ZONE-02")
    assert [f.fails for f in found] == fails
    assert all(f.path == "proximityPlacementGroupID" and "a proximity placement group over 1, 2" in f.message for f in found)


def test_a_scale_set_over_several_zones_is_told_in_its_own_words() -> None:
    program = Raw(config={"azure-native:location": "eastus"}).add(
        types.SCALE_SET, "nd", sku={"name": "Standard_NC64as_T4_v3", "capacity": 2}, zones=["1", "2"], virtualMachineProfile={}
    )
    (finding,) = judged(program, "GPU-ZONE-03")
    assert finding.path == "zones"
    assert "scaling group" not in finding.message


@pytest.mark.parametrize(("made", "words"), [(False, "a cluster outside this program"), (True, "resourceName")])
def test_a_pool_of_a_cluster_that_cannot_be_told_is_that_of_another_program_where_this_one_makes_none(made: bool, words: str) -> None:
    program = Raw().add(POOL, "t4", resourceName=Unknown("resourceName"), vmSize="Standard_NC64as_T4_v3", count=0, mode="User")
    program = program.add(types.CLUSTER, "aks", location="eastus", agentPoolProfiles=[system()]) if made else program
    (finding,) = [f for f in judged(program, "GPU-COST-03") if f.urn == program.urn("t4")]
    assert (finding.status, words in finding.message) == (Status.UNKNOWN, True)
