from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from scripts.sandbox import api_server, load
from scripts.sandbox.kinds import tokens as k8s
from scripts.sandbox.kinds.gcp import node_pool
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.passing import catch_up
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.store import Record
from tests.sandbox.gcp_cloud import GPU, MEGA, NONE, PROJECT, REGION, ZONE, Gcp
from tests.sandbox.kinds.gcp.test_network import ROCE, refused

INSIDE = f"k8s/gcp/{PROJECT}/{ZONE}/lab"
L4: dict[str, Any] = {"machineType": "g2-standard-8", "guestAccelerators": [GPU]}
MEGAS: dict[str, Any] = {"machineType": "a3-megagpu-8g", "guestAccelerators": [MEGA]}
FLEX: dict[str, Any] = {"flexStart": True, "maxRunDuration": "3600s", "reservationAffinity": NONE}
BOUNDED: dict[str, Any] = {"initialNodeCount": None, "management": {"autoRepair": False}}
NAMED = {"consumeReservationType": "SPECIFIC_RESERVATION", "key": "compute.googleapis.com/reservation-name", "values": ["held"]}


@pytest.fixture
def cluster(gcp: Gcp) -> Record:
    return gcp.cluster(enableMultiNetworking=True)


def allocatable(gcp: Gcp) -> list[dict[str, str]]:
    return [api_server.seen(gcp.world, node)["status"]["allocatable"] for node in gcp.world.store.of_kind(k8s.NODE, INSIDE)]


def test_nodes_carry_gkes_labels_the_pools_own_and_the_gpu_taint(gcp: Gcp, cluster: Record):
    pool = gcp.pool(cluster, config={**L4, "spot": True, "labels": {"team": "a"}, "resourceLabels": {"gpukit-stack": "dev"}})
    (node,) = gcp.world.store.of_kind(k8s.NODE, INSIDE)
    labels = node.state["metadata"]["labels"]
    assert labels["cloud.google.com/gke-nodepool"] == pool.state["name"]
    assert labels["cloud.google.com/gke-accelerator"] == "nvidia-l4"
    assert (labels["cloud.google.com/gke-spot"], labels["team"]) == ("true", "a")
    assert node.state["spec"]["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
    (machine,) = gcp.running()
    assert machine.tags["gpukit-stack"] == "dev"
    assert [d.tags["gpukit-stack"] for d in gcp.all(t.DISK)] == ["dev"]


def test_a_node_offers_gpus_when_somebody_brings_driver_and_plugin(gcp: Gcp, cluster: Record):
    gcp.pool(cluster, config=L4)
    assert allocatable(gcp)[0]["nvidia.com/gpu"] == "1"


@pytest.mark.parametrize(
    ("accelerator", "labels", "expected"),
    [
        ({"gpuDriverInstallationConfig": {"gpuDriverVersion": "INSTALLATION_DISABLED"}}, {}, "0"),
        ({}, {"gke-no-default-nvidia-gpu-device-plugin": "true"}, "0"),
        ({"gpuSharingConfig": {"gpuSharingStrategy": "TIME_SHARING", "maxSharedClientsPerGpu": 4}}, {}, "4"),
    ],
)
def test_what_a_node_offers_follows_from_its_accelerators_settings(
    gcp: Gcp, cluster: Record, accelerator: dict[str, Any], labels: dict[str, str], expected: str
):
    gcp.pool(cluster, config={**L4, "guestAccelerators": [{**GPU, **accelerator}], "labels": labels})
    assert allocatable(gcp)[0]["nvidia.com/gpu"] == expected


def test_a_tpu_host_offers_its_chips_and_says_its_topology(gcp: Gcp, cluster: Record):
    gcp.pool(cluster, config={"machineType": "ct6e-standard-4t"}, placementPolicy={"type": "COMPACT", "tpuTopology": "2x4"})
    (node,) = gcp.world.store.of_kind(k8s.NODE, INSIDE)
    assert node.state["metadata"]["labels"]["cloud.google.com/gke-tpu-topology"] == "2x4"
    assert allocatable(gcp)[0]["google.com/tpu"] == "4"
    assert node.state["spec"]["taints"][0]["key"] == "google.com/tpu"


@pytest.mark.failure("D7")
def test_counts_are_per_zone_and_a_pool_without_zones_takes_all_of_its_clusters(gcp: Gcp):
    cluster = gcp.cluster(location=REGION, nodeLocations=[f"{REGION}-a", f"{REGION}-b"])
    gcp.pool(cluster, location=REGION, initialNodeCount=3)
    assert len(gcp.running()) == 6
    one = gcp.pool(cluster, location=REGION, initialNodeCount=1, nodeLocations=[ZONE])
    assert len(node_pool.instances(gcp.world, one)) == 1


def test_total_limits_are_totals_and_zonal_ones_multiply(gcp: Gcp):
    cluster = gcp.cluster(location=REGION, nodeLocations=[f"{REGION}-a", f"{REGION}-b"])
    total = gcp.pool(cluster, location=REGION, initialNodeCount=None, autoscaling={"totalMinNodeCount": 3, "totalMaxNodeCount": 4})
    zonal = gcp.pool(cluster, location=REGION, initialNodeCount=None, autoscaling={"minNodeCount": 1, "maxNodeCount": 4})
    assert (len(node_pool.instances(gcp.world, total)), node_pool.bounds(total)) == (3, (3, 4))
    assert (len(node_pool.instances(gcp.world, zonal)), node_pool.bounds(zonal)) == (2, (2, 8))


@pytest.mark.parametrize(
    ("config", "changes", "match"),
    [
        ({"machineType": "a2-highgpu-9g"}, {}, "does not exist in zone"),
        ({**L4, "guestAccelerators": [{**GPU, "type": "nvidia-tesla-t4"}]}, {}, "does not fit machine type"),
        ({**L4, "guestAccelerators": [{**GPU, "count": 2}]}, {}, "does not fit machine type"),
        ({"machineType": "e2-standard-4", "guestAccelerators": [GPU]}, {}, "takes no accelerators"),
        ({"machineType": "a3-highgpu-1g"}, {}, "not offered as on_demand"),
        ({"machineType": "a4-highgpu-8g", "spot": True, "diskType": "pd-balanced"}, {}, "use hyperdisk-balanced"),
        ({**L4, **FLEX}, {"initialNodeCount": None}, "auto-repair to be off"),
        ({**L4, **FLEX, "spot": True}, BOUNDED, "cannot be combined with Spot"),
        ({**L4, **FLEX, "reservationAffinity": None}, BOUNDED, "requires reservation affinity NO_RESERVATION"),
        ({**L4, **FLEX}, {**BOUNDED, "initialNodeCount": 2}, "not counted by hand"),
        ({**L4}, {"queuedProvisioning": {"enabled": True}}, "requires reservation affinity to be set to none"),
        ({**L4, "reservationAffinity": {**NAMED, "values": ["a", "b"]}}, {}, "exactly one reservation"),
        ({**L4, "reservationAffinity": NAMED, "spot": True}, {}, "Spot VMs cannot consume a reservation"),
        ({**L4, "reservationAffinity": NAMED}, {"placementPolicy": {"type": "COMPACT"}}, "brings its own placement"),
        ({**L4, **FLEX}, {**BOUNDED, "placementPolicy": {"type": "COMPACT"}}, "compact placement with flex-start"),
        ({**L4}, {"upgradeSettings": {"strategy": "BLUE_GREEN"}, "placementPolicy": {"type": "COMPACT"}}, "blue-green"),
        ({**L4}, {"autoscaling": {"totalMaxNodeCount": 4, "minNodeCount": 1}}, "cannot be used together"),
        ({**L4}, {"autoscaling": {"totalMinNodeCount": 5, "totalMaxNodeCount": 4}}, "is above the most"),
        ({**L4}, {"nodeCount": 2}, "both initial_node_count and node_count"),
        ({**L4}, {"nodeLocations": ["europe-west4-a"]}, "not a zone of the cluster's region"),
        ({**L4}, {"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 0}}, "cannot both be 0"),
        ({**L4}, {"cluster": "gone"}, "Not found: .*clusters/gone"),
    ],
)
def test_what_gke_refuses_of_a_pool(gcp: Gcp, cluster: Record, config: dict[str, Any], changes: dict[str, Any], match: str):
    refused(lambda: gcp.pool(cluster, config=config, **changes), match)
    assert not gcp.running()


def test_flex_start_queued_and_reserved_pools_that_fit_are_accepted(gcp: Gcp, cluster: Record):
    gcp.pool(cluster, config={**L4, **FLEX}, **BOUNDED)
    gcp.pool(cluster, config={**L4, **FLEX}, queuedProvisioning={"enabled": True}, **BOUNDED)
    gcp.pool(cluster, config={**L4, "reservationAffinity": NAMED}, initialNodeCount=0)
    assert len(gcp.all(t.NODE_POOL)) == 3


@pytest.mark.failure("D1")
def test_a3_mega_takes_eight_networks_beside_its_own_and_no_ninth(gcp: Gcp, cluster: Record):
    pairs = gcp.networks(9)
    wrong = {"additionalNodeNetworkConfigs": pairs}
    refused(lambda: gcp.pool(cluster, config={**MEGAS, "spot": True}, networkConfig=wrong), "exceed the 9 of machine type")
    gcp.pool(cluster, config={**MEGAS, "spot": True}, networkConfig={"additionalNodeNetworkConfigs": pairs[:8]})
    assert len(gcp.running()[0].state["networkInterfaces"]) == 9


@pytest.mark.failure("D2")
def test_additional_networks_need_a_cluster_that_was_made_for_them(gcp: Gcp):
    cluster = gcp.cluster()
    extra = {"additionalNodeNetworkConfigs": gcp.networks(1)}
    refused(lambda: gcp.pool(cluster, networkConfig=extra), "multi-networking enabled")


def test_networks_are_used_once_and_rdma_ones_in_their_zone_with_many_subnetworks(gcp: Gcp, cluster: Record):
    (pair,) = gcp.networks(1)
    refused(lambda: gcp.pool(cluster, networkConfig={"additionalNodeNetworkConfigs": [pair, pair]}), "more than one interface")
    rdma = gcp.network(networkProfile=ROCE)
    pairs = [{"network": rdma.id, "subnetwork": gcp.subnetwork(rdma, f"10.9{at}.0.0/24").id} for at in range(2)]
    gcp.pool(cluster, networkConfig={"additionalNodeNetworkConfigs": pairs})
    elsewhere = gcp.network(networkProfile=ROCE.replace("us-central1-a", "us-central1-b"))
    wrong = [{"network": elsewhere.id, "subnetwork": gcp.subnetwork(elsewhere, "10.80.0.0/24").id}]
    refused(lambda: gcp.pool(cluster, networkConfig={"additionalNodeNetworkConfigs": wrong}), "has the RDMA profile of zone us-central1-b")
    both = {"additionalNodeNetworkConfigs": [pair], "acceleratorNetworkProfile": "auto"}
    refused(lambda: gcp.pool(cluster, networkConfig=both), "cannot be combined with an accelerator network profile")


def test_quota_is_looked_at_before_the_first_nodes_and_by_each_later_one(gcp: Gcp, cluster: Record):
    with gcp.world.store.transaction():
        gcp.world.store.set_meta(quotas={"NVIDIA_L4_GPUS": 2, "PREEMPTIBLE_NVIDIA_L4_GPUS": 1, "GPUS_ALL_REGIONS": 3})
    refused(lambda: gcp.pool(cluster, config=L4, initialNodeCount=3), r"NVIDIA_L4_GPUS.*requires '3\.0' and is short '1\.0'")
    pool = gcp.pool(cluster, config=L4, initialNodeCount=2)
    with gcp.world.store.transaction():
        failure = node_pool.set_total(gcp.world, pool, 3)
    assert failure is not None
    assert "Quota 'NVIDIA_L4_GPUS' exceeded. Limit: 2.0 in region us-central1" in str(failure)
    gcp.pool(cluster, config={**L4, "spot": True})
    refused(lambda: gcp.pool(cluster, config={**L4, "spot": True}), "PREEMPTIBLE_NVIDIA_L4_GPUS")


def test_flex_start_counts_against_the_preemptible_quota_and_all_regions_count_together(gcp: Gcp, cluster: Record):
    with gcp.world.store.transaction():
        gcp.world.store.set_meta(quotas={"PREEMPTIBLE_NVIDIA_L4_GPUS": 9, "GPUS_ALL_REGIONS": 1})
    flex = gcp.pool(cluster, config={**L4, **FLEX}, **BOUNDED)
    with gcp.world.store.transaction():
        assert node_pool.set_total(gcp.world, flex, 1) is None
        failure = node_pool.set_total(gcp.world, flex, 2)
    assert "GPUS_ALL_REGIONS' exceeded. Limit: 1.0 globally" in str(failure)


def test_a_zone_without_stock_leaves_a_pool_with_its_error_and_the_next_update_tries_again(gcp: Gcp, cluster: Record):
    fault = gcp.world.faults.add("capacity", {"machine": "g2-*", "zone": ZONE})
    with pytest.raises(NotReady, match=r"GCE_STOCKOUT.*ZONE_RESOURCE_POOL_EXHAUSTED"):
        gcp.pool(cluster, config=L4)
    (pool,) = gcp.all(t.NODE_POOL)
    assert pool.status == "RUNNING_WITH_ERROR"
    gcp.world.faults.clear(fault.id)
    assert gcp.change(pool).status == "RUNNING"
    assert len(gcp.running()) == 1


@pytest.mark.failure("D6")
def test_a_known_reservation_must_fit_be_open_and_have_room(gcp: Gcp, cluster: Record):
    with gcp.world.store.transaction():
        for name, machine in (("other", "g2-standard-4"), ("held", "g2-standard-8")):
            from scripts.sandbox.kinds.gcp import reserved

            reserved.declared(gcp.world, {"id": name, "zone": ZONE, "machine": machine, "count": 1})
    wrong = {**L4, "reservationAffinity": {**NAMED, "values": ["other"]}}
    refused(lambda: gcp.pool(cluster, config=wrong), "holds machine type g2-standard-4, not g2-standard-8")
    pool = gcp.pool(cluster, config={**L4, "reservationAffinity": NAMED})
    with gcp.world.store.transaction():
        failure = node_pool.set_total(gcp.world, pool, 2)
    assert "does not have enough capacity: 1 of 1 in use" in str(failure)


def test_a_calendars_window_opens_and_ends_its_machines(gcp: Gcp, cluster: Record):
    from scripts.sandbox.kinds.gcp import reserved

    now = gcp.world.clock.now()
    with gcp.world.store.transaction():
        starts, ends = (now + timedelta(hours=1)).isoformat(), (now + timedelta(hours=3)).isoformat()
        reserved.declared(gcp.world, {"id": "held", "zone": ZONE, "machine": "g2-standard-8", "count": 1, "starts": starts, "ends": ends})
    pool = gcp.pool(cluster, config={**L4, "reservationAffinity": NAMED}, initialNodeCount=0)
    with gcp.world.store.transaction():
        assert "held is CREATING" in str(node_pool.set_total(gcp.world, pool, 1))
    gcp.world.clock.advance(timedelta(hours=1))
    catch_up(gcp.world)
    with gcp.world.store.transaction():
        assert node_pool.set_total(gcp.world, pool, 1) is None
    gcp.world.clock.advance(timedelta(hours=2))
    catch_up(gcp.world)
    assert not gcp.running()


def test_machines_with_a_bounded_life_end_after_it(gcp: Gcp, cluster: Record):
    pool = gcp.pool(cluster, config={**L4, **FLEX}, **BOUNDED)
    with gcp.world.store.transaction():
        node_pool.set_total(gcp.world, pool, 1)
    gcp.world.clock.advance(timedelta(minutes=59))
    catch_up(gcp.world)
    assert len(gcp.running()) == 1
    gcp.world.clock.advance(timedelta(minutes=2))
    catch_up(gcp.world)
    assert not gcp.running() + gcp.world.store.of_kind(k8s.NODE, INSIDE)


def test_labels_reach_running_nodes_and_another_machine_type_rolls_them(gcp: Gcp, cluster: Record):
    pool = gcp.pool(cluster)
    before = gcp.running()
    gcp.change(pool, nodeConfig={**pool.inputs["nodeConfig"], "labels": {"new": "yes"}})
    (node,) = gcp.world.store.of_kind(k8s.NODE, INSIDE)
    assert node.state["metadata"]["labels"]["new"] == "yes"
    assert gcp.running() == before
    gcp.change(pool, nodeConfig={**pool.inputs["nodeConfig"], "machineType": "e2-standard-8"})
    assert [i.state["machineType"] for i in gcp.running()] == ["e2-standard-8"]


def test_smaller_limits_bring_a_pool_down(gcp: Gcp, cluster: Record):
    pool = gcp.pool(cluster, initialNodeCount=4)
    gcp.change(pool, autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 2})
    assert len(gcp.running()) == 2


def test_load_grows_a_pool_by_its_identity_and_shows_pods_on_its_nodes(gcp: Gcp, cluster: Record):
    labels = {"gpukit-stack": "dev", "gpukit-pool": "l4"}
    gcp.pool(cluster, config={**L4, "resourceLabels": labels}, initialNodeCount=None)
    done = load.set_load(gcp.world, stack="dev", pool="l4", nodes=6, gpu_busy=0.5)
    assert (done["desired"], done["running"], done["pending"]) == (4, 4, 2)
    assert {i.state["gpuBusy"] for i in gcp.running()} == {0.5}
    load.set_load(gcp.world, stack="dev", pool="l4", nodes=0, gpu_busy=0)
    assert not gcp.running() + gcp.world.store.of_kind(k8s.POD, INSIDE)


def test_autopilot_takes_no_node_pools(gcp: Gcp):
    cluster = gcp.cluster(enableAutopilot=True)
    with pytest.raises(Refusal, match="Autopilot"):
        gcp.pool(cluster)
