"""What a set of resources amounts to, in the field's own terms and free of provider types.

Every value that a plan may not know is `Maybe[...]`: an `Unknown` carries its property path into cost, demand and findings.
Money and quota are judged from these facts alone, whatever program they were read from.
"""

from __future__ import annotations

from dataclasses import dataclass

from .clouds import CLOUDS, Cloud
from .cluster_objects import AddOn, ClusterAccess, Container, Manifest, Pod, StackOutput, Workload
from .network import InterfaceEndpoint, Nat, PublicAddress, RouteTable, SecurityGroup, Subnet
from .nodes import (
    Consolidation,
    GpuPool,
    Image,
    Interface,
    Interfaces,
    MachineChoice,
    ManagedGroup,
    Market,
    NodeCount,
    NodePool,
    Owner,
    Purchase,
)
from .reading import Lost
from .services import Bucket, ControlPlane, Disk, FileSystem
from .software import Chart

__all__ = [
    "CLOUDS",
    "AddOn",
    "Bucket",
    "Chart",
    "Cloud",
    "ClusterAccess",
    "Consolidation",
    "Container",
    "ControlPlane",
    "Disk",
    "FileSystem",
    "GpuPool",
    "Image",
    "Interface",
    "InterfaceEndpoint",
    "Interfaces",
    "Inventory",
    "Lost",
    "MachineChoice",
    "ManagedGroup",
    "Manifest",
    "Market",
    "Nat",
    "NodeCount",
    "NodePool",
    "Owner",
    "Pod",
    "PublicAddress",
    "Purchase",
    "RouteTable",
    "SecurityGroup",
    "StackOutput",
    "Subnet",
    "Workload",
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
    disks: tuple[Disk, ...] = ()
    buckets: tuple[Bucket, ...] = ()
    file_systems: tuple[FileSystem, ...] = ()
    charts: tuple[Chart, ...] = ()
    subnets: tuple[Subnet, ...] = ()
    route_tables: tuple[RouteTable, ...] = ()
    add_ons: tuple[AddOn, ...] = ()
    manifests: tuple[Manifest, ...] = ()
    workloads: tuple[Workload, ...] = ()
    accesses: tuple[ClusterAccess, ...] = ()
    outputs: tuple[StackOutput, ...] = ()
    lost: tuple[Lost, ...] = ()

    @property
    def gpu_pools(self) -> tuple[GpuPool, ...]:
        return tuple(p for p in self.pools if isinstance(p, GpuPool))
