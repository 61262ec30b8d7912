from __future__ import annotations

from typing import Any

import pytest

from components.gcp.outline import PoolOutline, installers, pool_outlines, system_outline
from components.inventory import Owner
from components.ownership import NO_GPU, FabricPlugin

from .specs import INFERENCE, TPU, TRAINING, spec, training


def outline(patch: dict[str, Any] | None = None, base: dict[str, Any] = TRAINING) -> PoolOutline:
    return pool_outlines(spec(base, patch))[0]


@pytest.mark.parametrize(
    ("machine", "interfaces"),
    [("a2-highgpu-8g", 1), ("a3-highgpu-8g", 5), ("a3-megagpu-8g", 9), ("a3-ultragpu-8g", 10), ("a4-highgpu-8g", 10)],
)
@pytest.mark.failure("D1")
def test_a_training_node_has_its_own_interface_and_those_of_its_fabric(machine: str, interfaces: int) -> None:
    slots = outline({"pools": {"machine": machine}}).slots
    assert len(slots) == interfaces
    assert [slot.name for slot in slots] == [f"eth{at}" for at in range(interfaces)]


def test_an_inference_pool_has_a_fabric_only_where_its_file_asks() -> None:
    h100 = {"pools": {"machine": "a3-highgpu-8g"}}
    assert outline(h100, INFERENCE).fabric is None
    assert outline({"pools": {**h100["pools"], "fabric": "auto"}}, INFERENCE).fabric is not None


def test_small_a3_machines_have_no_fabric() -> None:
    assert outline({"pools": {"machine": "a3-highgpu-4g"}}).fabric is None


@pytest.mark.failure("C5")
@pytest.mark.failure("I5")
def test_on_cos_gke_owns_the_stack_and_one_exporter_where_metrics_are_wanted() -> None:
    made = outline().ownership
    assert {made.driver, made.toolkit, made.device_plugin, made.mig_manager} == {Owner.CLOUD}
    assert {made.nfd, made.gfd, made.exporter} == {Owner.NOBODY}
    assert made.fabric_plugin is FabricPlugin.CLOUD
    assert outline({"monitoring": {"metrics": "cloud"}}).ownership.exporter is Owner.CLOUD


@pytest.mark.failure("C5")
@pytest.mark.failure("I5")
def test_on_ubuntu_the_operator_owns_all_of_it() -> None:
    made = outline({"pools": {"image": "ubuntu"}, "monitoring": {"metrics": "cloud"}}, INFERENCE).ownership
    assert {made.driver, made.toolkit, made.device_plugin, made.exporter, made.mig_manager} == {Owner.GPU_OPERATOR}


def test_a_tpu_pool_has_no_part_of_nvidias_stack() -> None:
    made = outline(base=TPU)
    assert (made.accelerator, made.driver_version) == (None, None)
    assert made.placement == "slice 4x4"
    assert made.gpus_per_node == 4


def test_the_system_pool_is_the_clusters_own() -> None:
    made = system_outline(training())
    assert (made.ownership, made.taints, made.zones) == (NO_GPU, (), ("us-central1-a", "us-central1-b"))


def test_an_installer_goes_where_its_fabric_is_and_nowhere_else() -> None:
    pools = [
        {"name": "one", "machine": "a3-ultragpu-8g", "zone": "us-central1-b", "capacity": {"mode": "spot"}},
        {"name": "two", "machine": "a4-highgpu-8g", "zone": "us-central1-b", "capacity": {"mode": "spot"}},
        {"name": "off", "machine": "a3-megagpu-8g", "zone": "us-central1-b", "capacity": {"mode": "spot"}, "fabric": "none"},
    ]
    assert installers(pool_outlines(training({"pools": pools}))) == {"gib": ("nvidia-h200-141gb", "nvidia-b200")}


def test_repair_stays_off_where_a_replacement_may_find_no_room() -> None:
    assert outline().repair
    assert outline(base=INFERENCE).repair
    assert not outline({"pools": {"capacity": {"mode": "reservation", "id": "r"}}}).repair
    assert outline({"pools": {"capacity": {"mode": "reservation", "id": "r"}, "node_auto_repair": True}}).repair


def test_disks_are_of_the_kind_that_the_machine_takes() -> None:
    assert (outline().boot_disk, outline().local_ssds) == ("pd-balanced", 16)
    assert outline({"pools": {"machine": "a4-highgpu-8g"}}).boot_disk == "hyperdisk-balanced"
    assert outline(base=INFERENCE).local_ssds == 0
