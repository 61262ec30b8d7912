"""What a set of resources amounts to, in the field's own terms and free of provider types.

Every value that a plan may not know is `Maybe[...]`: an `Unknown` carries its property path into cost, demand and findings.
Money and quota are judged from these facts alone, whatever program they were read from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from .azure import (
    AksCluster,
    AksNetwork,
    AksPool,
    AzureBudget,
    AzureFact,
    AzureFacts,
    AzurePrivateLink,
    AzureRole,
    AzureSubnet,
    CapacityGroup,
    FeatureFlag,
    NicPolicy,
    RdmaContainer,
    ReservedMachines,
    SubnetGuard,
    UpgradeWindow,
)
from .changes import Replacement
from .clouds import CLOUDS, Cloud
from .cluster_objects import AddOn, ClusterAccess, Container, Manifest, Pod, StackOutput, Workload
from .gcp import (
    Accelerator,
    Affinity,
    CloudNat,
    Counting,
    CriticalQuota,
    ExtraNetwork,
    FirewallRule,
    GkeCluster,
    GkePool,
    GoogleFact,
    MachineReservation,
    PodNetwork,
    QueuedUse,
    Subnetwork,
    Vpc,
)
from .network import InterfaceEndpoint, LoadBalancer, Nat, PublicAddress, RouteTable, SecurityGroup, Subnet
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
    "Accelerator",
    "AddOn",
    "Affinity",
    "AksCluster",
    "AksNetwork",
    "AksPool",
    "AzureBudget",
    "AzureFact",
    "AzureFacts",
    "AzurePrivateLink",
    "AzureRole",
    "AzureSubnet",
    "Bucket",
    "CapacityGroup",
    "Chart",
    "Cloud",
    "CloudNat",
    "ClusterAccess",
    "Consolidation",
    "Container",
    "ControlPlane",
    "Counting",
    "CriticalQuota",
    "Disk",
    "ExtraNetwork",
    "FeatureFlag",
    "FileSystem",
    "FirewallRule",
    "GkeCluster",
    "GkePool",
    "GoogleFact",
    "GpuPool",
    "Image",
    "Interface",
    "InterfaceEndpoint",
    "Interfaces",
    "Inventory",
    "LoadBalancer",
    "Lost",
    "MachineChoice",
    "MachineReservation",
    "ManagedGroup",
    "Manifest",
    "Market",
    "Nat",
    "NicPolicy",
    "NodeCount",
    "NodePool",
    "Owner",
    "Pod",
    "PodNetwork",
    "PublicAddress",
    "Purchase",
    "QueuedUse",
    "RdmaContainer",
    "Replacement",
    "ReservedMachines",
    "RouteTable",
    "SecurityGroup",
    "StackOutput",
    "Subnet",
    "SubnetGuard",
    "Subnetwork",
    "UpgradeWindow",
    "Vpc",
    "Workload",
]

G = TypeVar("G", bound=GoogleFact)


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
    azure: AzureFacts = field(default_factory=AzureFacts)
    google: tuple[GoogleFact, ...] = ()
    """What only Google Cloud knows."""
    subnets: tuple[Subnet, ...] = ()
    route_tables: tuple[RouteTable, ...] = ()
    add_ons: tuple[AddOn, ...] = ()
    manifests: tuple[Manifest, ...] = ()
    workloads: tuple[Workload, ...] = ()
    accesses: tuple[ClusterAccess, ...] = ()
    outputs: tuple[StackOutput, ...] = ()
    lost: tuple[Lost, ...] = ()
    replacements: tuple[Replacement, ...] = ()

    @cached_property
    def gpu_pools(self) -> tuple[GpuPool, ...]:
        return tuple(p for p in self.pools if isinstance(p, GpuPool))

    @cached_property
    def gke_clusters(self) -> Mapping[str, GkeCluster]:
        """GKE clusters of the program by URN."""
        return {cluster.urn: cluster for cluster in self.of_google(GkeCluster)}

    def of_google(self, kind: type[G]) -> tuple[G, ...]:
        """Google Cloud's facts of one kind."""
        return tuple(fact for fact in self.google if isinstance(fact, kind))
