"""The networks that a GPU fabric adds to a cluster, as plain values: built by Fabric, attached by NodePool, offered to pods on the cluster.

One cluster has one fabric: the objects through which pods ask for an interface are cluster-wide and their names are fixed
(`gpu-nic-0` …, `gvnic-1`, `rdma-0` …), as NVIDIA's and Google's recipes expect them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

from components.catalog.gcp_networks import GcpNetworks

DeviceMode = Literal["NetDevice", "RDMA"]
GPU_NIC, GVNIC, RDMA = "gpu-nic", "gvnic", "rdma"


class FabricsConflict(ValueError):
    """Two pools would need different networks under the same names. The text names both."""


@dataclass(frozen=True, kw_only=True)
class Interface:
    """One extra network interface of a node, and the network through which a pod asks for it."""

    network: str
    """Name of the cluster's Network object, and of the subnet."""
    vpc: str
    """Name, in the fabric, of the VPC."""
    cidr: IPv4Network
    device_mode: DeviceMode
    mtu: int


@dataclass(frozen=True, kw_only=True)
class Vpc:
    """One VPC of the fabric."""

    name: str
    mtu: int
    profile: str | None
    """Name of the zonal network profile that makes it an RDMA network."""
    subnets: tuple[Interface, ...]

    @property
    def rdma(self) -> bool:
        return self.profile is not None


@dataclass(frozen=True, kw_only=True)
class FabricOutline:
    """Every interface beyond a node's own, in the order in which the node has them."""

    interfaces: tuple[Interface, ...]
    zone: str
    profile: str | None

    @property
    def vpcs(self) -> tuple[Vpc, ...]:
        names = dict.fromkeys(interface.vpc for interface in self.interfaces)
        return tuple(self._vpc(name, tuple(i for i in self.interfaces if i.vpc == name)) for name in names)

    def _vpc(self, name: str, subnets: tuple[Interface, ...]) -> Vpc:
        return Vpc(name=name, mtu=subnets[0].mtu, profile=self.profile if name == RDMA else None, subnets=subnets)


def fabric_outline(needs: GcpNetworks, zone: str, subnets: Sequence[IPv4Network]) -> FabricOutline:
    """The networks that nodes of `needs` have in `zone`, their addresses taken from `subnets` in order.

    D1: exactly as many as the catalogue says: one more takes the place of a GPU's interface on A3 Mega. D3: RDMA interfaces share one
    VPC made from the zone's RDMA profile.
    """
    ordinary = [f"{GPU_NIC}-{at}" for at in range(needs.gpu_networks)] + [f"{GVNIC}-{at + 1}" for at in range(needs.gvnic_networks)]
    rdma = [f"{RDMA}-{at}" for at in range(needs.rdma_subnets)]
    named: list[tuple[str, str, DeviceMode]] = [*((name, name, "NetDevice") for name in ordinary), *((name, RDMA, "RDMA") for name in rdma)]
    interfaces = tuple(
        Interface(network=network, vpc=vpc, cidr=cidr, device_mode=mode, mtu=needs.mtu)
        for (network, vpc, mode), cidr in zip(named, subnets[: len(named)], strict=True)
    )
    return FabricOutline(interfaces=interfaces, zone=zone, profile=f"{zone}-{needs.network_profile}" if needs.network_profile else None)


def one_fabric(needed: dict[str, tuple[GcpNetworks, str]]) -> tuple[GcpNetworks, str] | None:
    """The networks and the zone that all pools (name to what it needs) share; None where none needs any. Raises FabricsConflict."""
    found: dict[tuple[object, ...], str] = {}
    for pool, (needs, zone) in needed.items():
        found.setdefault(_shape(needs, zone), pool)
    if len(found) > 1:
        one, other = list(found.values())[:2]
        raise FabricsConflict(
            f"pools {one} and {other} need different fabric networks, whose names in a cluster are the same: put them into two clusters, "
            "or set fabric: none on one"
        )
    return next(iter(needed.values()), None)


def _shape(needs: GcpNetworks, zone: str) -> tuple[object, ...]:
    """RDMA networks are bound to a zone, the others are not."""
    bound = zone if needs.network_profile else None
    return needs.gpu_networks, needs.gvnic_networks, needs.rdma_subnets, needs.mtu, bound
