from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.gcp.capacity import Phase, Purchase
from components.gcp.fabric import Attachment
from components.gcp.node_pool import NodePoolArgs
from components.gcp.outline import PoolOutline, pool_outlines
from components.inventory import Market
from components.naming import Identity
from components.resource import Resource
from components.spec import NodeRange

from .specs import INFERENCE, POOL, TPU, TRAINING, built, inference, only, spec, training

IDENTITY = Identity(cloud="gcp", stack="s", cluster="c")


def pool(patch: dict[str, Any] | None = None, base: dict[str, Any] = TRAINING) -> Resource:
    """The first GPU pool of a cluster."""
    made = spec(base, patch)
    return only(built(made), POOL, f"lab-{made.pools[0].name}")


def config(patch: dict[str, Any] | None = None, base: dict[str, Any] = TRAINING) -> dict[str, Any]:
    return pool(patch, base).inputs["nodeConfig"]


@pytest.fixture(scope="module")
def mega() -> Resource:
    return pool()


@pytest.fixture(scope="module")
def l4() -> Resource:
    return pool(base=INFERENCE)


@pytest.mark.failure("D7")
def test_counts_are_totals_and_the_pool_lies_in_one_zone(mega: Resource) -> None:
    assert mega.inputs["nodeLocations"] == ["us-central1-a"]
    assert mega.inputs["autoscaling"] == {"totalMinNodeCount": 0, "totalMaxNodeCount": 4, "locationPolicy": "ANY"}
    assert "nodeCount" not in mega.inputs


@pytest.mark.failure("D1")
@pytest.mark.failure("D2")
def test_an_a3_mega_pool_has_exactly_eight_further_networks(mega: Resource) -> None:
    assert len(mega.inputs["networkConfig"]["additionalNodeNetworkConfigs"]) == 8


@pytest.mark.failure("D2")
def test_a_pool_is_attached_to_the_fabrics_networks_in_the_order_of_its_interfaces() -> None:
    made = built(training())
    wanted = only(made, POOL, "lab-h100").property_dependencies["networkConfig"]
    assert {urn.rpartition("::")[2] for urn in wanted if "gpu-nic" in urn} == {f"lab-gpu-nic-{at}" for at in range(8)}


@pytest.mark.failure("D3")
def test_an_rdma_pool_has_its_gvnic_and_then_the_rdma_network_with_each_subnet() -> None:
    extra = pool({"pools": {"machine": "a3-ultragpu-8g"}}).inputs["networkConfig"]["additionalNodeNetworkConfigs"]
    assert len(extra) == 9


def test_dranet_takes_no_networks_of_ours() -> None:
    made = pool({"pools": {"machine": "a4-highgpu-8g", "fabric": "dranet"}})
    assert made.inputs["networkConfig"] == {"enablePrivateNodes": True, "acceleratorNetworkProfile": "auto"}
    assert made.inputs["nodeConfig"]["labels"]["cloud.google.com/gke-networking-dra-driver"] == "true"


def test_without_fabric_a_node_has_its_own_interface_alone(l4: Resource) -> None:
    assert l4.inputs["networkConfig"] == {"enablePrivateNodes": True}


@pytest.mark.failure("D10")
def test_accelerator_and_driver_version_are_written_out(mega: Resource) -> None:
    assert mega.inputs["nodeConfig"]["guestAccelerators"] == [
        {"type": "nvidia-h100-mega-80gb", "count": 8, "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"}}
    ]


@pytest.mark.failure("C3")
@pytest.mark.failure("C7")
def test_on_ubuntu_the_operator_owns_driver_and_plugin_and_gke_installs_neither() -> None:
    made = config({"pools": {"image": "ubuntu"}}, INFERENCE)
    driver = made["guestAccelerators"][0]["gpuDriverInstallationConfig"]
    assert driver == {"gpuDriverVersion": "INSTALLATION_DISABLED"}
    assert made["labels"]["gke-no-default-nvidia-gpu-device-plugin"] == "true"
    assert made["imageType"] == "UBUNTU_CONTAINERD"
    assert made["shieldedInstanceConfig"]["enableSecureBoot"] is False


@pytest.mark.failure("C3")
@pytest.mark.failure("C7")
def test_on_cos_gkes_plugin_stays_and_with_it_the_driver(l4: Resource) -> None:
    assert "gke-no-default-nvidia-gpu-device-plugin" not in l4.inputs["nodeConfig"]["labels"]
    assert l4.inputs["nodeConfig"]["imageType"] == "COS_CONTAINERD"


@pytest.mark.failure("D11")
@pytest.mark.failure("H1")
def test_the_first_size_is_never_a_difference(mega: Resource, l4: Resource) -> None:
    for made in (mega, l4):
        assert {"initialNodeCount", "nodeCount"} <= set(made.options.ignore_changes)


def test_a_pool_starts_with_its_least_nodes_in_each_of_its_zones() -> None:
    assert pool({"pools": {"nodes": {"min": 2, "max": 4}}}).inputs["initialNodeCount"] == 2
    assert only(built(training({"system": {"nodes": {"min": 3, "max": 6}}})), POOL, "system").inputs["initialNodeCount"] == 2


def test_spot_is_the_nodes_own_word(mega: Resource) -> None:
    made = mega.inputs["nodeConfig"]
    assert made["spot"] is True
    assert made["reservationAffinity"] == {"consumeReservationType": "NO_RESERVATION"}
    assert "flexStart" not in made


def test_flex_start_nodes_have_a_bounded_life_no_repair_and_no_first_size() -> None:
    made = pool({"pools": {"capacity": {"mode": "flex_start", "max_run_hours": 24}}})
    assert made.inputs["nodeConfig"]["flexStart"] is True
    assert made.inputs["nodeConfig"]["maxRunDuration"] == "86400s"
    assert made.inputs["management"]["autoRepair"] is False
    assert "initialNodeCount" not in made.inputs


@pytest.mark.failure("D4")
@pytest.mark.failure("D13")
@pytest.mark.failure("D14")
def test_a_queued_pool_says_so_uses_no_reservation_and_is_neither_repaired_nor_placed() -> None:
    made = pool({"pools": {"capacity": {"mode": "queued"}}})
    assert made.inputs["queuedProvisioning"] == {"enabled": True}
    assert made.inputs["nodeConfig"]["reservationAffinity"]["consumeReservationType"] == "NO_RESERVATION"
    assert made.inputs["management"]["autoRepair"] is False
    assert "placementPolicy" not in made.inputs
    assert made.inputs["autoscaling"]["totalMinNodeCount"] == 0


@pytest.mark.failure("D6")
def test_a_reserved_pool_names_the_block_and_has_the_disks_that_the_machine_comes_with() -> None:
    made = config({"pools": {"machine": "a3-ultragpu-8g", "capacity": {"mode": "reservation", "id": "r", "block": "b"}}})
    assert made["reservationAffinity"] == {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["r/reservationBlocks/b"],
    }
    assert made["ephemeralStorageLocalSsdConfig"] == {"localSsdCount": 32}
    assert made["diskType"] == "hyperdisk-balanced"


@pytest.mark.failure("A8")
def test_nodes_that_talk_are_placed_compactly_where_google_lets_them() -> None:
    assert pool().inputs["placementPolicy"] == {"type": "COMPACT"}
    assert pool({"pools": {"placement": {"group": "mine"}}}).inputs["placementPolicy"] == {"type": "COMPACT", "policyName": "mine"}
    flex = {"capacity": {"mode": "flex_start"}}
    assert "placementPolicy" not in pool({"pools": flex}).inputs
    assert pool({"pools": {**flex, "machine": "a4-highgpu-8g"}}).inputs["placementPolicy"] == {"type": "COMPACT"}
    assert "placementPolicy" not in pool({"pools": {"capacity": {"mode": "reservation", "id": "r"}}}).inputs


def test_a_slice_of_several_hosts_is_placed_by_its_topology() -> None:
    made = pool(base=TPU)
    assert made.inputs["placementPolicy"] == {"type": "COMPACT", "tpuTopology": "4x4"}
    assert "guestAccelerators" not in made.inputs["nodeConfig"]
    assert [t["key"] for t in made.inputs["nodeConfig"]["taints"]] == ["google.com/tpu"]


def test_a_slice_of_one_host_needs_no_placement() -> None:
    patch = {"pools": {"machine": "ct6e-standard-8t", "topology": "2x4", "nodes": {"min": 0, "max": 3}}}
    assert "placementPolicy" not in pool(patch, TPU).inputs


@pytest.mark.failure("D13")
@pytest.mark.parametrize(("updates", "surge", "unavailable"), [("in_place", 0, 1), ("surge", 1, 0)])
def test_an_update_ends_nodes_first_unless_the_file_pays_for_more(updates: str, surge: int, unavailable: int) -> None:
    made = pool({"pools": {"updates": updates}}).inputs["upgradeSettings"]
    assert made == {"strategy": "SURGE", "maxSurge": surge, "maxUnavailable": unavailable}


def test_sharing_is_told_to_gkes_plugin() -> None:
    sliced = config({"pools": {"sharing": {"time_slices": 4}}}, INFERENCE)["guestAccelerators"][0]
    assert sliced["gpuSharingConfig"] == {"gpuSharingStrategy": "TIME_SHARING", "maxSharedClientsPerGpu": 4}
    assert config({"pools": {"sharing": {"mig": "1g.10gb"}}})["guestAccelerators"][0]["gpuPartitionSize"] == "1g.10gb"


def test_nodes_are_private_shielded_and_run_under_an_account_of_the_clusters_own(mega: Resource) -> None:
    made = mega.inputs["nodeConfig"]
    assert made["shieldedInstanceConfig"] == {"enableSecureBoot": True, "enableIntegrityMonitoring": True}
    assert made["workloadMetadataConfig"] == {"mode": "GKE_METADATA"}
    assert made["gvnic"] == {"enabled": True}
    assert any("serviceaccount" in urn for urn in mega.property_dependencies["nodeConfig"])


def test_machines_and_disks_carry_the_clusters_identity(mega: Resource) -> None:
    labels = mega.inputs["nodeConfig"]["resourceLabels"]
    assert (labels["gpukit-cluster"], labels["gpukit-pool"], labels["cost-center"]) == ("lab", "h100", "4711")


@pytest.mark.failure("F10")
def test_the_system_pool_spans_all_zones_and_repels_nothing() -> None:
    made = only(built(training()), POOL, "system")
    assert made.inputs["nodeLocations"] == ["us-central1-a", "us-central1-b"]
    assert "taints" not in made.inputs["nodeConfig"] or made.inputs["nodeConfig"]["taints"] == []


@pytest.mark.failure("F10")
def test_gpu_nodes_repel_what_asks_for_no_gpu(mega: Resource) -> None:
    assert mega.inputs["nodeConfig"]["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}]


@pytest.mark.failure("H2")
def test_a_pool_has_no_fixed_name(mega: Resource) -> None:
    assert "name" not in mega.inputs


def test_a_key_of_ones_own_encrypts_the_boot_disk() -> None:
    key = "projects/p/locations/us-central1/keyRings/r/cryptoKeys/k"
    assert config({"encryption_key": key})["bootDiskKmsKey"] == key


def args(outline: PoolOutline, count: int | None = None) -> NodePoolArgs:
    extra = len(outline.fabric.interfaces) if outline.fabric else 0
    attached: list[Any] = [Attachment] * (extra if count is None else count)
    return NodePoolArgs(outline=outline, cluster="c", location="us-central1", node_account="a", attachments=attached, identity=IDENTITY)


MEGA, [L4] = pool_outlines(training())[0], pool_outlines(inference())


@pytest.mark.failure("D1")
@pytest.mark.failure("D2")
@pytest.mark.parametrize("count", [0, 4, 7, 9])
def test_a_pool_with_another_number_of_networks_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="extra networks for 8 interfaces"):
        args(MEGA, count)


def test_a_pool_with_all_its_networks_is_not_refused() -> None:
    assert args(MEGA).outline is MEGA


QUEUE = Purchase(flex_start=True, queued=True, max_run_seconds=60, affinity="NO_RESERVATION")
RESERVED = Purchase(affinity="SPECIFIC_RESERVATION", reservation="r")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"zones": ("us-central1-a", "us-central1-b")}, "accelerators in several zones"),
        ({"purchase": QUEUE, "repair": True}, "repair of nodes with a bounded life"),
        ({"purchase": QUEUE, "repair": False, "nodes": NodeRange(min=1, max=2)}, "a least number of nodes"),
        ({"purchase": QUEUE, "repair": False, "placement": "own"}, "placement of queued nodes"),
        ({"purchase": RESERVED, "market": Market.RESERVATION, "placement": "own"}, "beside the reservation's"),
        ({"phase": Phase.ENDED}, "its window ended"),
        ({"driver_version": None}, "driver's version"),
    ],
)
def test_an_outline_that_gke_would_refuse_is_refused_first(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        args(replace(L4, **changes))
