import pytest

from components import catalog
from components.catalog.gcp_networks import gcp_networks


@pytest.mark.parametrize(
    ("machine", "gpu_networks", "gvnic_networks", "rdma_subnets", "mtu"),
    [
        ("a3-highgpu-8g", 4, 0, 0, 8244),
        ("a3-megagpu-8g", 8, 0, 0, 8244),
        ("a3-ultragpu-8g", 0, 1, 8, 8896),
        ("a4-highgpu-8g", 0, 1, 8, 8896),
        ("a4x-highgpu-4g", 0, 1, 4, 8896),
    ],
)
def test_a_pool_with_fabric_needs_its_extra_networks(
    machine: str, gpu_networks: int, gvnic_networks: int, rdma_subnets: int, mtu: int
) -> None:
    needs = gcp_networks(catalog.machine("gcp", machine))

    assert needs is not None
    assert (needs.gpu_networks, needs.gvnic_networks, needs.rdma_subnets, needs.mtu) == (gpu_networks, gvnic_networks, rdma_subnets, mtu)


def test_gpu_interfaces_are_as_many_as_the_machine_has() -> None:
    for machine in catalog.machines("gcp"):
        needs = gcp_networks(machine)
        if needs:
            assert needs.gpu_networks + needs.rdma_subnets == machine.rdma_interfaces, machine.name


@pytest.mark.parametrize("machine", ["a3-highgpu-1g", "g2-standard-4", "a4x-maxgpu-4g-metal"])
def test_a_machine_that_takes_no_extra_networks_needs_none(machine: str) -> None:
    assert gcp_networks(catalog.machine("gcp", machine)) is None
