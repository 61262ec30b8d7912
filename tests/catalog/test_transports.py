import pytest

from components import catalog
from components.catalog.transports import transport, transports


@pytest.mark.parametrize(
    ("cloud", "machine", "name", "floor"),
    [
        ("aws", "p5.48xlarge", "efa", 300),
        ("gcp", "a3-megagpu-8g", "tcpxo", 250),
        ("gcp", "a3-highgpu-8g", "tcpx", 25),
        ("gcp", "a4-highgpu-8g", "gib", 100),
        ("azure", "Standard_ND96isr_H100_v5", "infiniband", 100),
    ],
)
def test_a_machine_with_fabric_has_a_transport_and_a_floor(cloud: str, machine: str, name: str, floor: float) -> None:
    found = transport(catalog.machine(cloud, machine))

    assert found is not None
    assert (found.transport, found.floor_gb_s) == (name, floor)
    assert found.log_marker


def test_a_family_without_a_floor_keeps_the_transport_and_says_nothing_about_bandwidth() -> None:
    found = transport(catalog.machine("aws", "p4d.24xlarge"))

    assert found is not None
    assert found.env["FI_PROVIDER"] == "efa"
    assert found.floor_gb_s is None


def test_a_machine_without_fabric_has_no_transport() -> None:
    assert transport(catalog.machine("aws", "g5.2xlarge")) is None
    assert transport(catalog.machine("gcp", "a3-highgpu-1g")) is None


def test_every_family_named_by_a_transport_has_machines_with_fabric() -> None:
    for cloud in ("aws", "gcp", "azure"):
        with_fabric = {machine.family for machine in catalog.machines(cloud) if machine.fabric}
        for held in transports(cloud):
            assert set(held.families) - {"*"} <= with_fabric
