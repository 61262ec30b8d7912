"""Nodes of every kind: pools, their counts, images, interfaces and how their capacity is bought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Self

from components.unknown import Maybe, known

from .clouds import Cloud
from .gcp import Accelerator, GkePool


class Market(StrEnum):
    """How a node's capacity is bought: it decides price and quota."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    RESERVATION = "reservation"
    CAPACITY_BLOCK = "capacity_block"
    FLEX_START = "flex_start"
    QUEUED = "queued"
    CALENDAR = "calendar"


class Owner(StrEnum):
    """Who provides one part of the GPU stack on a node."""

    IMAGE = "image"
    GPU_OPERATOR = "gpu_operator"
    NETWORK_OPERATOR = "network_operator"
    CLOUD = "cloud"
    """The managed service itself: GKE's installer, AKS's driver, EKS Auto Mode."""
    NOBODY = "nobody"


@dataclass(frozen=True, kw_only=True)
class NodeCount:
    """Nodes of a pool over all its zones. `surge` is what an update may add on top of `maximum`."""

    minimum: Maybe[int]
    desired: Maybe[int]
    maximum: Maybe[int]
    surge: Maybe[int] = 0

    @property
    def now(self) -> Maybe[int]:
        """Nodes that the plan starts. An unknown desired number stays unknown: the minimum would be a guess."""
        return self.desired

    @property
    def with_surge(self) -> Maybe[int]:
        """The most nodes that can run at once, updates included."""
        if not known(self.maximum):
            return self.maximum
        return self.maximum + self.surge if known(self.surge) else self.surge


@dataclass(frozen=True, kw_only=True)
class Interface:
    """One network interface of a node, as the launch template orders it."""

    card: Maybe[int | None]
    """Network card index; None where the program gives none, which puts the interface on card 0 (A3)."""
    device: Maybe[int | None]
    """Device index on the card; None where the program gives none."""
    kind: Maybe[str]
    """`interface`, `efa` or `efa-only` on AWS."""
    groups: Maybe[tuple[Maybe[str], ...]] = ()
    """URNs of planned security groups, or ids of existing ones."""
    public_address: Maybe[bool] = False
    delete_on_termination: Maybe[bool | None] = None
    path: str = ""
    """Property path of the interface in its resource."""


@dataclass(frozen=True, kw_only=True)
class Interfaces:
    """The interface list of a pool and the resource that orders it. `items` is unknown as a whole when it cannot be counted."""

    urn: str
    items: Maybe[tuple[Interface, ...]]
    path: str = "networkInterfaces"
    complete: bool = True
    """False for an interface that is made by itself: which machine gets it, and in which place, is said elsewhere."""


@dataclass(frozen=True, kw_only=True)
class MachineChoice:
    """One place where a program names a machine type: node group, launch template, instance, override of a scaling group."""

    urn: str
    cloud: Cloud
    region: Maybe[str] | None
    """None where the region is that of a cluster, which is judged by itself."""
    machine: Maybe[str]
    path: str


@dataclass(frozen=True, kw_only=True)
class Image:
    """Operating system image of a pool and what it ships."""

    kind: Maybe[str]
    """The cloud's own word: `AL2023_x86_64_NVIDIA`, `BOTTLEROCKET_x86_64_NVIDIA`, `CUSTOM`, `COS_CONTAINERD` …"""
    driver: Maybe[bool | None]
    """Whether it ships the NVIDIA driver; None where the image is the user's own and says nothing."""
    toolkit: Maybe[bool | None] = None
    """Whether it ships the NVIDIA container toolkit; None as for `driver`."""
    path: str = ""


@dataclass(frozen=True, kw_only=True)
class Purchase:
    """What a managed node group and its launch template say about capacity, each for itself: AWS asks for both, and for agreement."""

    group_word: Maybe[str]
    """The group's capacity type: ON_DEMAND, SPOT, CAPACITY_BLOCK."""
    template_word: Maybe[str | None]
    """The template's market type: spot, capacity-block."""
    reserved: Maybe[bool]
    """Whether the template asks for reserved capacity."""
    target: Maybe[str | None]
    """The reservation or resource group that it names: URN of a planned one, id or ARN of an existing one."""
    target_placement: Maybe[str | None] = None
    """Placement group of a planned reservation."""
    template_machine: Maybe[str | None] = None
    group_machines: Maybe[bool] = False
    """Whether the group itself lists machine types."""
    own_placement: bool = False
    """Whether the pool's placement group is one that this program makes."""


@dataclass(frozen=True, kw_only=True)
class ManagedGroup:
    """How a managed node group is set up, beside what it buys."""

    physical_name: Maybe[str | None] = None
    """A name that the program fixes (H2)."""
    replaced_in_place: bool = False
    """Whether a replacement deletes the old group first."""
    desired_ignored: bool = False
    """Whether later changes of the desired size are left to others (H1)."""
    desired_misspelt: str = ""
    """An ignored path that means the desired size and is spelt as Python spells it, so that nothing is ignored."""
    update_strategy: Maybe[str | None] = None
    """`DEFAULT` or `MINIMAL`; None for the default."""
    group_disk: Maybe[bool] = False
    """Whether the group itself gives a disk size."""
    template: bool = False
    """Whether it uses a launch template."""
    own_image: Maybe[str | None] = None
    """Image id in the template."""
    image_type: Maybe[str | None] = None
    """Image type that the group itself names."""
    user_data: Maybe[bool] = False
    """Whether the template tells the node how to start."""
    raid0: Maybe[bool] = False
    """Whether local disks are made into storage for images and pods."""
    release: Maybe[str | None] = None
    """Release of the image that the group is pinned to."""
    tagged: Maybe[frozenset[str]] = frozenset()
    """Kinds of resources that the template tags: instance, volume, network-interface."""
    scaling_tags: Maybe[frozenset[str]] = frozenset()
    """Keys of the tags that the program puts on the group's scaling group itself (F1)."""


@dataclass(frozen=True, kw_only=True)
class Consolidation:
    """When an autoscaler that owns its nodes takes them away."""

    policy: Maybe[str | None]
    """`WhenEmpty`, `WhenEmptyOrUnderutilized`, `WhenUnderutilized`; None for the default."""
    expires: Maybe[bool]
    """Whether nodes end by age."""


@dataclass(frozen=True, kw_only=True)
class NodePool:
    """Nodes of one kind: a managed node group, a scaling group, a set of instances."""

    urn: str
    name: str
    cloud: Cloud
    region: Maybe[str]
    machines: Maybe[tuple[Maybe[str], ...]]
    """Machine types that the pool may start; the dearest of them counts."""
    market: Maybe[Market]
    nodes: NodeCount
    bounds: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Nodes of single machines at most, where the pool's limit is in GPUs, processors or memory."""
    zones: Maybe[tuple[Maybe[str], ...]] = ()
    image: Image | None = None
    interfaces: Interfaces | None = None
    """None where the machine starts with one plain interface, as nothing orders others."""
    other_interfaces: Mapping[int, Interfaces | None] = field(default_factory=lambda: MappingProxyType({}))
    """What stands in for `interfaces` on single machines, by their position in `machines`."""
    cluster: Maybe[str | None] = None
    """URN of the planned cluster, or the name of an existing one."""
    placement_group: Maybe[str | None] = None
    reservation: Maybe[str | None] = None
    purchase: Purchase | None = None
    """Of managed node groups with a launch template."""
    labels: Maybe[Mapping[str, Maybe[str]]] = field(default_factory=lambda: MappingProxyType({}))
    taints: Maybe[tuple[str, ...]] = ()
    root_disk_gib: Maybe[int | None] = None
    """Block storage that every node brings; None where the image decides."""
    root_disk_kind: Maybe[str | None] = None
    """The cloud's own word (`gp3`); None where the image decides."""
    driver_owners: Maybe[tuple[Owner, ...]] | None = None
    """Everyone who would install the driver, by what the plan says; one is right, none or two is a fault. None where nothing tells."""
    toolkit_owners: Maybe[tuple[Owner, ...]] | None = None
    """The same for the container toolkit."""
    cloud_driver: Maybe[bool] = False
    """Whether the managed service itself installs the driver, as GKE does unless it is told not to."""
    cloud_toolkit: Maybe[bool] = False
    """The same for the container toolkit: AKS brings both or neither."""
    attached: Maybe[tuple[Accelerator, ...]] = ()
    """GPUs that are attached to machines that carry none by themselves (N1 on GCP)."""
    gke: GkePool | None = None
    """Of pools on GKE."""
    placement_strategy: Maybe[str | None] = None
    """Of a placement group that this program makes: `cluster`, `spread`, `partition`."""
    subnets: Maybe[tuple[Maybe[str], ...]] = ()
    """URNs of planned subnets, or ids of existing ones."""
    kubernetes_version: Maybe[str | None] = None
    """The pool's own; None where it follows its cluster."""
    managed: ManagedGroup | None = None
    """Of managed node groups on AWS."""
    consolidation: Consolidation | None = None
    """Of pools whose nodes Karpenter makes."""
    scaling_tags: Maybe[frozenset[str]] | None = None
    """Keys of the tags on a scaling group of the program's own (F1); None for other pools, managed ones too."""
    paths: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Property path of each fact (`machines`, `maximum`, `image` …) in its resource, for messages."""

    def of_machine(self, machine: str) -> Self:
        """The pool as large as it may be with nodes of `machine` alone."""
        most = self.bounds.get(machine)
        return self if most is None else replace(self, nodes=replace(self.nodes, maximum=most))


@dataclass(frozen=True, kw_only=True)
class GpuPool(NodePool):
    """A pool with accelerators, or one that may have them: its machine is unknown or in no catalogue."""
