"""What a set of resources amounts to, in the field's own terms and free of provider types.

Every value that a plan may not know is `Maybe[...]`: an `Unknown` carries its property path into cost, demand and findings.
Money and quota are judged from these facts alone, whatever program they were read from.
"""

from __future__ import annotations

from dataclasses import dataclass

from .clouds import CLOUDS, Cloud
from .network import InterfaceEndpoint, LoadBalancer, Nat, PublicAddress, SecurityGroup
from .nodes import GpuPool, Image, Interface, Interfaces, MachineChoice, Market, NodeCount, NodePool, Owner, Purchase
from .reading import Lost
from .services import Bucket, ControlPlane, Disk, FileSystem
from .software import Chart

__all__ = [
    "CLOUDS",
    "Bucket",
    "Chart",
    "Cloud",
    "ControlPlane",
    "Disk",
    "FileSystem",
    "GpuPool",
    "Image",
    "Interface",
    "InterfaceEndpoint",
    "Interfaces",
    "Inventory",
    "LoadBalancer",
    "Lost",
    "MachineChoice",
    "Market",
    "Nat",
    "NodeCount",
    "NodePool",
    "Owner",
    "PublicAddress",
    "Purchase",
    "SecurityGroup",
]


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """All facts of one stack."""

    project: str
    stack: str
    pools: tuple[NodePool, ...] = ()
    machine_choices: tuple[MachineChoice, ...] = ()
    interfaces: tuple[Interfaces, ...] = ()
    """Every interface list in the program, whether a pool of this program uses it or not."""
    security_groups: tuple[SecurityGroup, ...] = ()
    control_planes: tuple[ControlPlane, ...] = ()
    nats: tuple[Nat, ...] = ()
    endpoints: tuple[InterfaceEndpoint, ...] = ()
    addresses: tuple[PublicAddress, ...] = ()
    load_balancers: tuple[LoadBalancer, ...] = ()
    disks: tuple[Disk, ...] = ()
    buckets: tuple[Bucket, ...] = ()
    file_systems: tuple[FileSystem, ...] = ()
    charts: tuple[Chart, ...] = ()
    lost: tuple[Lost, ...] = ()

    @property
    def gpu_pools(self) -> tuple[GpuPool, ...]:
        return tuple(p for p in self.pools if isinstance(p, GpuPool))
