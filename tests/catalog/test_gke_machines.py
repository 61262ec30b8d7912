from __future__ import annotations

import pytest

from components import catalog
from components.catalog import UnknownName
from components.catalog.gke_images import gke_image, plugin_image
from components.catalog.gke_machines import gke_machine, local_ssds


@pytest.mark.parametrize(
    ("machine", "accelerator", "disk"),
    [
        ("g2-standard-4", "nvidia-l4", "pd-balanced"),
        ("a2-ultragpu-8g", "nvidia-a100-80gb", "pd-balanced"),
        ("a3-highgpu-8g", "nvidia-h100-80gb", "pd-balanced"),
        ("a3-megagpu-8g", "nvidia-h100-mega-80gb", "pd-balanced"),
        ("a3-ultragpu-8g", "nvidia-h200-141gb", "hyperdisk-balanced"),
        ("a4-highgpu-8g", "nvidia-b200", "hyperdisk-balanced"),
        ("ct6e-standard-4t", "tpu-v6e-slice", "hyperdisk-balanced"),
    ],
)
def test_a_machine_is_spelt_as_gke_spells_it(machine: str, accelerator: str, disk: str) -> None:
    kind = gke_machine(catalog.machine("gcp", machine))
    assert kind is not None
    assert (kind.accelerator, kind.boot_disk) == (accelerator, disk)


@pytest.mark.parametrize(
    ("machine", "count"),
    [
        ("a3-megagpu-8g", 16),
        ("a3-ultragpu-8g", 32),
        ("a2-ultragpu-2g", 2),
        ("a3-highgpu-1g", 2),
        ("a2-highgpu-8g", 0),
        ("g2-standard-96", 0),
    ],
)
def test_local_disks_are_counted_where_they_come_with_the_machine(machine: str, count: int) -> None:
    assert local_ssds(catalog.machine("gcp", machine)) == count


def test_the_small_a3_machines_are_sold_in_fewer_ways_than_the_large_one() -> None:
    small, large = gke_machine(catalog.machine("gcp", "a3-highgpu-4g")), gke_machine(catalog.machine("gcp", "a3-highgpu-8g"))
    assert small is not None
    assert large is not None
    assert "reservation" not in small.modes
    assert large.modes == ()


def test_every_row_names_machines_that_exist() -> None:
    known = {name for machine in catalog.machines("gcp") for name in (machine.name, machine.family)}
    named = {name for machine in catalog.machines("gcp") if (kind := gke_machine(machine)) for name in kind.machines}
    assert named <= known


@pytest.mark.parametrize("machine", ["e2-standard-4", "tpu7x-standard-4t", "ct5l-hightpu-4t"])
def test_a_machine_without_a_row_is_not_guessed(machine: str) -> None:
    assert gke_machine(catalog.machine("gcp", machine)) is None


def test_another_clouds_machine_is_none_of_gkes() -> None:
    assert gke_machine(catalog.machine("aws", "p4d.24xlarge")) is None


def test_a_plugins_image_has_the_version_of_its_transport() -> None:
    versions = {held.transport: held.plugin.split()[-1] for held in catalog.transports.transports("gcp") if held.plugin}
    assert {t: plugin_image(t).rpartition(":")[2] for t in versions} == versions


def test_a_part_that_is_not_held_is_named() -> None:
    with pytest.raises(UnknownName, match="device-injector"):
        gke_image("device-injectr")
    with pytest.raises(UnknownName):
        plugin_image("infiniband")
