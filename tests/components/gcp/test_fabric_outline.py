from __future__ import annotations

from ipaddress import IPv4Network

import pytest

from components import catalog
from components.catalog.gcp_networks import GcpNetworks, gcp_networks
from components.gcp.fabric_outline import FabricOutline, FabricsConflict, fabric_outline, one_fabric
from components.regional_addresses import plan

SUBNETS = plan(IPv4Network("10.64.0.0/16")).fabric
ZONE = "us-central1-a"


def needs(machine: str) -> GcpNetworks:
    found = gcp_networks(catalog.machine("gcp", machine))
    assert found is not None
    return found


def outline(machine: str) -> FabricOutline:
    return fabric_outline(needs(machine), ZONE, SUBNETS)


@pytest.mark.failure("D1")
@pytest.mark.parametrize(("machine", "count"), [("a3-highgpu-8g", 4), ("a3-edgegpu-8g", 4), ("a3-megagpu-8g", 8)])
def test_a_gpu_interface_has_a_vpc_of_its_own_and_there_is_no_further_one(machine: str, count: int) -> None:
    made = outline(machine)
    assert [i.network for i in made.interfaces] == [f"gpu-nic-{at}" for at in range(count)]
    assert len(made.vpcs) == count
    assert {(i.device_mode, i.mtu) for i in made.interfaces} == {("NetDevice", 8244)}
    assert not any(vpc.rdma for vpc in made.vpcs)


@pytest.mark.failure("D3")
@pytest.mark.parametrize("machine", ["a3-ultragpu-8g", "a4-highgpu-8g"])
def test_rdma_interfaces_share_one_vpc_of_the_zones_profile_after_the_extra_gvnic(machine: str) -> None:
    made = outline(machine)
    assert [i.network for i in made.interfaces] == ["gvnic-1", *(f"rdma-{at}" for at in range(8))]
    assert [(vpc.name, vpc.profile, len(vpc.subnets), vpc.mtu) for vpc in made.vpcs] == [
        ("gvnic-1", None, 1, 8896),
        ("rdma", "us-central1-a-vpc-roce", 8, 8896),
    ]
    assert [i.device_mode for i in made.interfaces] == ["NetDevice", *["RDMA"] * 8]


def test_every_interface_has_a_subnet_of_its_own() -> None:
    cidrs = [i.cidr for i in outline("a3-ultragpu-8g").interfaces]
    assert len(set(cidrs)) == len(cidrs) == 9


def test_pools_of_one_shape_share_the_networks_across_zones_where_those_are_not_bound_to_one() -> None:
    mega = needs("a3-megagpu-8g")
    assert one_fabric({"a": (mega, "us-central1-a"), "b": (mega, "us-central1-b")}) == (mega, "us-central1-a")


def test_h200_and_b200_pools_of_one_zone_share_their_networks() -> None:
    assert one_fabric({"a": (needs("a3-ultragpu-8g"), ZONE), "b": (needs("a4-highgpu-8g"), ZONE)}) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a3-megagpu-8g", ZONE), ("a3-highgpu-8g", ZONE)),
        (("a3-ultragpu-8g", ZONE), ("a3-ultragpu-8g", "us-central1-b")),
    ],
)
def test_two_fabrics_under_one_name_are_refused(one: tuple[str, str], other: tuple[str, str]) -> None:
    pools = {"one": (needs(one[0]), one[1]), "other": (needs(other[0]), other[1])}
    with pytest.raises(FabricsConflict, match="pools one and other need different fabric networks"):
        one_fabric(pools)


def test_no_pool_with_a_fabric_needs_no_network() -> None:
    assert one_fabric({}) is None
