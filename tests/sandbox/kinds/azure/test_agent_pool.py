"""AKS node pools: what AKS refuses, and what stands in the node resource group afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox import api_server
from scripts.sandbox.kinds import tokens as k
from scripts.sandbox.kinds.azure import nodes
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.cluster_rules import minor
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.store import Record
from tests.sandbox.azure import A10, A100, CPU, H100, REGION, SUBSCRIPTION, Azure

SPOT: dict[str, Any] = {"scaleSetPriority": "Spot", "scaleSetEvictionPolicy": "Delete", "spotMaxPrice": -1}


def node(azure: Azure, pool: Record) -> dict[str, Any]:
    """The first node of a pool as its API server shows it."""
    (first, *_) = azure.nodes(pool)
    record = azure.world.store.get(k.NODE, nodes.key_of(pool), nodes.node_name(first))
    assert record is not None
    return api_server.seen(azure.world, record)


def install(azure: Azure, pool: Record, chart: str, **values: Any) -> None:
    with azure.world.store.transaction():
        azure.world.store.put(
            Record(kind=k.RELEASE, key=nodes.key_of(pool), id=f"x/{chart}", state={"chart": chart, "values": values}, status="deployed")
        )


def test_a_pool_is_a_scale_set_in_the_node_group_with_machines_interfaces_and_disks(azure: Azure):
    cluster = azure.cluster()
    pool = azure.pool(count=2, tags={"gpukit-pool": "gpu"})
    group = f"/resourceGroups/MC_lab-rg_lab_{REGION}/"
    assert group in azure.scale_set(pool).id
    assert [vm.state["size"] for vm in azure.nodes(pool)] == [A100, A100]
    for kind in (t.DISK, t.INTERFACE):
        parts = [part for part in azure.all(kind) if part.parent in {vm.ref for vm in azure.nodes(pool)}]
        assert len(parts) == 2
        assert all(group in part.id and part.tags["gpukit-pool"] == "gpu" for part in parts)
    assert {p["name"] for p in azure.now(cluster).state["agentPoolProfiles"]} == {"system", "gpu"}


def test_a_deleted_pool_leaves_nothing(azure: Azure):
    azure.cluster()
    before = {r.ref for r in azure.world.store}
    azure.delete(azure.pool(count=2))
    assert {r.ref for r in azure.world.store} == before


def test_a_node_has_the_pools_labels_taints_and_aks_own(azure: Azure):
    azure.cluster()
    pool = azure.pool(nodeLabels={"team": "a"}, nodeTaints=["nvidia.com/gpu=present:NoSchedule"], **SPOT)
    shown = node(azure, pool)
    labels, taints = shown["metadata"]["labels"], shown["spec"]["taints"]
    assert (labels["team"], labels["kubernetes.azure.com/agentpool"], labels["node.kubernetes.io/instance-type"]) == ("a", "gpu", A100)
    assert labels["kubernetes.azure.com/accelerator"] == "nvidia"
    assert {(x["key"], x["value"], x["effect"]) for x in taints} == {
        ("nvidia.com/gpu", "present", "NoSchedule"),
        ("kubernetes.azure.com/scalesetpriority", "spot", "NoSchedule"),
    }
    azure.change(pool, nodeLabels={"team": "b"})
    assert node(azure, pool)["metadata"]["labels"]["team"] == "b"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({"mode": "System", **SPOT}, "a spot pool can't be a system pool", marks=pytest.mark.failure("E3")),
        pytest.param({"upgradeSettings": {"maxSurge": "1"}, **SPOT}, "Spot pools can't set max surge", marks=pytest.mark.failure("E4")),
        ({"scaleSetEvictionPolicy": "Delete"}, "only be set for spot pools"),
        ({**SPOT, "spotMaxPrice": 1.2345678}, "five decimals"),
        ({"enableAutoScaling": True, "minCount": 2, "maxCount": 4, "count": 1}, "not in the range of minCount 2 and maxCount 4"),
        ({"minCount": 0, "maxCount": 4}, "need enableAutoScaling"),
        ({"mode": "System", "count": 0}, "at least one node"),
        pytest.param(
            {"vmSize": "Standard_ND999_v9"}, "not allowed in your subscription in location 'eastus'", marks=pytest.mark.failure("E7")
        ),
        pytest.param({"vmSize": H100, "availabilityZones": ["1"]}, r"AvailabilityZoneNotSupported.*'1'", marks=pytest.mark.failure("E7")),
        ({"osDiskType": "Ephemeral", "osDiskSizeGB": 512}, r"VMCacheSizeTooSmall.*but the OS disk requires 549755813888 bytes"),
        ({"agentPoolName": "Has-Dash"}, "starting with a letter"),
    ],
)
def test_aks_refuses_a_pool_by_its_own_rules(azure: Azure, changes: dict[str, Any], words: str):
    azure.cluster()
    with pytest.raises(Refusal, match=words):
        azure.pool(**changes)
    assert azure.pool().status == "Succeeded"


@pytest.mark.failure("E10")
@pytest.mark.parametrize(("name", "value"), [("gpuProfile", {"driver": "None"}), ("osDiskSizeGB", 256), ("scaleSetPriority", "Spot")])
def test_what_is_fixed_at_creation_never_changes(azure: Azure, name: str, value: Any):
    azure.cluster()
    pool = azure.pool(gpuProfile={"driver": "Install"}, osDiskSizeGB=128)
    with pytest.raises(Refusal, match=f"PropertyChangeNotAllowed: Changing property 'properties.{name}'"):
        azure.change(pool, **{name: value})


def test_the_last_system_pool_stays(azure: Azure):
    azure.cluster()
    (system,) = azure.all(t.AGENT_POOL)
    with pytest.raises(Refusal, match="at least one system agent pool"):
        azure.delete(system)
    azure.pool("second", mode="System", vmSize=CPU)
    azure.delete(system)
    assert not azure.there(system)


@pytest.mark.failure("E8")
@pytest.mark.parametrize(("code", "spot"), [("StandardNCADSA100v4Family", False), ("cores", False), ("lowPriorityCores", True)])
def test_three_quotas_hold_a_pool(azure: Azure, code: str, spot: bool):
    azure.cluster()
    with azure.world.store.transaction():
        azure.world.store.set_meta(quotas={code: 4 + 24})
    extra: dict[str, Any] = SPOT if spot else {}
    with pytest.raises(
        Refusal, match=rf"ErrCode_InsufficientVCPUQuota: Insufficient vcpu quota requested 48, remaining \d+ for family {code}"
    ):
        azure.pool(count=2, **extra)
    failure = azure.resize(azure.pool(count=0, **extra), 2)
    assert failure is not None
    assert failure.code == "OperationNotAllowed"
    assert "results in exceeding approved" in failure.message
    assert "Additional Required: 24" in failure.message


def test_spot_counts_against_no_family(azure: Azure):
    azure.cluster()
    with azure.world.store.transaction():
        azure.world.store.set_meta(quotas={"Standard NC ADS A100 v4 Family": 0, "StandardNCADSA100v4Family": 0})
    assert len(azure.nodes(azure.pool(**SPOT))) == 1


@pytest.mark.parametrize(
    ("changes", "code"),
    [({}, "AllocationFailed"), ({"availabilityZones": ["1"]}, "ZonalAllocationFailed"),
     ({"osDiskType": "Ephemeral", "osDiskSizeGB": 60}, "OverconstrainedAllocationRequest")],
)  # fmt: skip
def test_without_stock_the_pool_is_there_and_failed(azure: Azure, changes: dict[str, Any], code: str):
    azure.cluster()
    azure.world.faults.add("capacity", {"machine": A100})
    with pytest.raises(NotReady, match=code):
        azure.pool(**changes)
    failed = next(p for p in azure.all(t.AGENT_POOL) if p.id.endswith("/gpu"))
    assert (failed.status, failed.state["provisioningState"]) == ("Failed", "Failed")
    azure.world.faults.clear()
    assert azure.change(failed).status == "Succeeded"
    assert len(azure.nodes(failed)) == 1


@pytest.mark.parametrize(
    ("driver", "operator", "gpus"), [("Install", False, "1"), ("None", True, "1"), ("None", False, "0")], ids=["AKS", "operator", "nobody"]
)
@pytest.mark.failure("C2")
def test_a_gpu_counts_when_somebody_brings_the_driver(azure: Azure, driver: str, operator: bool, gpus: str):
    azure.cluster()
    pool = azure.pool(gpuProfile={"driver": driver})
    install(azure, pool, "gpu-operator", driver={"enabled": operator})
    assert node(azure, pool)["status"]["allocatable"]["nvidia.com/gpu"] == gpus


@pytest.mark.failure("E2")
@pytest.mark.parametrize(("driver", "gpus"), [("None", "0"), ("Install", "1")])
def test_a_fraction_of_an_a10_runs_with_aks_own_driver_alone(azure: Azure, driver: str, gpus: str):
    azure.cluster()
    pool = azure.pool(vmSize=A10, gpuProfile={"driver": driver})
    install(azure, pool, "gpu-operator", driver={"enabled": driver == "None"})
    assert node(azure, pool)["status"]["allocatable"]["nvidia.com/gpu"] == gpus


@pytest.mark.failure("E13")
def test_infiniband_shows_with_the_operator_and_its_policy_only(azure: Azure):
    azure.cluster()
    pool = azure.pool(vmSize=H100, gpuProfile={"driver": "None"})
    install(azure, pool, "network-operator")
    assert "rdma/ib" not in node(azure, pool)["status"]["allocatable"]
    config = '{"resourceList": [{"resourcePrefix": "rdma", "resourceName": "ib"}]}'
    with azure.world.store.transaction():
        azure.world.store.put(
            Record(
                kind=nodes.POLICY,
                key=nodes.key_of(pool),
                id="nic-cluster-policy",
                state={"spec": {"sriovDevicePlugin": {"config": config}}},
            )
        )
    assert node(azure, pool)["status"]["allocatable"]["rdma/ib"] == "8"


@pytest.mark.failure("E1")
def test_nodes_share_a_fabric_when_the_feature_is_registered_and_only_then(azure: Azure):
    azure.cluster()
    lost = azure.pool("lost", vmSize=H100, count=2)
    assert len({vm.state["infinibandPartition"] for vm in azure.nodes(lost)}) == 2
    azure.make(t.FEATURE, providerNamespace="Microsoft.ContainerService", featureName="AKSInfinibandSupport")
    together, apart = azure.pool("one", vmSize=H100, count=2), azure.pool("two", vmSize=H100)
    assert len({vm.state["infinibandPartition"] for vm in azure.nodes(together)}) == 1
    assert {vm.state["infinibandPartition"] for vm in azure.nodes(together)}.isdisjoint(
        vm.state["infinibandPartition"] for vm in azure.nodes(apart)
    )


def test_a_reservation_group_wants_an_identity_with_rights(azure: Azure):
    azure.cluster()
    group = azure.reservation()
    reserved = {"vmSize": H100, "capacityReservationGroupID": group.id}
    with pytest.raises(Refusal, match=r"LinkedAuthorizationFailed.*capacityReservationGroups/deploy/action"):
        azure.pool(**reserved)
    azure.grant(f"/subscriptions/{SUBSCRIPTION}/resourceGroups/reserved-rg")
    pool = azure.pool(count=2, **reserved)
    assert len(azure.nodes(pool)) == 2
    assert azure.resize(pool, 3).code == "AllocationFailed"


def test_a_group_without_the_size_is_left_out_silently(azure: Azure):
    azure.cluster()
    group = azure.reservation(size=H100)
    azure.grant(f"/subscriptions/{SUBSCRIPTION}/resourceGroups/reserved-rg")
    pool = azure.pool(vmSize=A100, capacityReservationGroupID=group.id)
    assert azure.scale_set(pool).state["reservationGroup"] == ""


def test_deallocated_nodes_keep_their_disks_and_start_again(azure: Azure):
    azure.cluster()
    pool = azure.pool(scaleDownMode="Deallocate")
    disks = len(azure.all(t.DISK))
    azure.resize(pool, 0)
    assert (azure.nodes(pool), len(azure.all(t.DISK))) == ([], disks)
    azure.resize(pool, 1)
    assert [vm.state["instanceId"] for vm in azure.nodes(pool)] == ["0"]


def test_with_the_autoscaler_a_programs_count_does_not_move_the_pool(azure: Azure):
    azure.cluster()
    pool = azure.pool(enableAutoScaling=True, minCount=0, maxCount=4, count=0)
    azure.resize(pool, 3)
    azure.change(pool, nodeLabels={"a": "b"})
    assert len(azure.nodes(pool)) == 3
    azure.change(pool, maxCount=2)
    assert len(azure.nodes(pool)) == 2


def test_a_mig_profile_makes_each_instance_a_device(azure: Azure):
    azure.cluster()
    pool = azure.pool(gpuInstanceProfile="MIG3g")
    install(azure, pool, "nvidia-device-plugin")
    assert node(azure, pool)["status"]["allocatable"]["nvidia.com/gpu"] == "2"


def test_pods_of_all_nodes_at_maximum_fit_the_overlay(azure: Azure):
    azure.cluster(networkProfile={"networkPlugin": "azure", "networkPluginMode": "overlay", "podCidr": "192.168.0.0/22"})
    with pytest.raises(Refusal, match="InsufficientSubnetSize: Pre-allocated IPs 1280 exceeds IPs available 1024"):
        azure.pool(enableAutoScaling=True, minCount=0, maxCount=4, count=0)


def test_minors_are_counted_behind_the_first_point():
    assert [minor(version) for version in ("1.35", "1.35.2", "", "x")] == [35, 35, 0, 0]
