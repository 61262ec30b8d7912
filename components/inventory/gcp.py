"""What only Google Cloud knows: how GKE is told about a pool, the cluster's switches, and the networks of GPU interfaces."""

from __future__ import annotations

from dataclasses import dataclass

from components.unknown import Maybe


@dataclass(frozen=True, kw_only=True)
class Accelerator:
    """An entry of `guestAccelerators`: what a machine carries by itself, written out, or what is attached to an N1 machine."""

    kind: Maybe[str]
    """The accelerator type (`nvidia-h100-80gb`, `nvidia-tesla-t4`), without the path of a self link."""
    count: Maybe[int]
    driver: Maybe[str | None] = None
    """`gpu_driver_version`: LATEST, DEFAULT, INSTALLATION_DISABLED; None where the program leaves it to GKE."""
    partition: Maybe[str | None] = None
    """`gpu_partition_size`: the MIG profile."""
    path: str = ""


@dataclass(frozen=True, kw_only=True)
class ExtraNetwork:
    """One additional network interface of every node of a pool. Planned networks whose ids are unknown come in no certain order."""

    network: Maybe[str]
    """URN of a planned VPC; name or self link of an existing one."""
    subnet: Maybe[str]
    """URN of a planned subnetwork; name or self link of an existing one."""
    path: str


@dataclass(frozen=True, kw_only=True)
class Affinity:
    """`reservationAffinity` of a pool's nodes."""

    kind: Maybe[str | None]
    """NO_RESERVATION, ANY_RESERVATION, ANY_RESERVATION_THEN_FAIL, SPECIFIC_RESERVATION; None where the program writes none."""
    key: Maybe[str | None]
    names: Maybe[tuple[Maybe[str], ...]]
    """Reservations by URN when planned, else as written."""


@dataclass(frozen=True, kw_only=True)
class Counting:
    """How the program writes a pool's size down. Where the numbers lead stands in the pool's `NodeCount`."""

    fixed: Maybe[int | None]
    """`nodeCount`: per zone."""
    initial: Maybe[int | None]
    """`initialNodeCount`: per zone."""
    autoscaled: Maybe[bool]
    per_zone: Maybe[bool]
    """Whether the autoscaler's limits are given per zone (`minNodeCount`, `maxNodeCount`)."""
    total: Maybe[bool]
    """Whether they are given for the whole pool (`totalMinNodeCount`, `totalMaxNodeCount`)."""
    ignored: tuple[str, ...] = ()
    """Properties whose changes the program ignores."""


@dataclass(frozen=True, kw_only=True)
class GkePool:
    """What GKE is told about a pool beside what every pool has."""

    inline: bool
    """Part of the cluster resource, not one of its own."""
    accelerators: Maybe[tuple[Accelerator, ...]]
    extra_networks: Maybe[tuple[ExtraNetwork, ...]]
    accelerator_network_profile: Maybe[str | None]
    spot: Maybe[bool]
    flex_start: Maybe[bool]
    queued: Maybe[bool]
    max_run: Maybe[str | None]
    """`maxRunDuration`, such as `604800s`."""
    affinity: Affinity
    placement: Maybe[str | None]
    """`placementPolicy.type`: COMPACT."""
    placement_policy: Maybe[str | None]
    """URN of a planned resource policy, or the name of an existing one."""
    tpu_topology: Maybe[str | None]
    auto_repair: Maybe[bool | None]
    auto_upgrade: Maybe[bool | None]
    upgrade_strategy: Maybe[str | None]
    max_surge: Maybe[int | None]
    max_unavailable: Maybe[int | None]
    gvnic: Maybe[bool | None]
    counting: Counting
    zones_chosen: bool = True
    """False where neither pool nor cluster names zones, so that GKE spreads the pool over those of the region."""
    prefix: str = ""
    """Goes before property paths: `nodePools[0].` in a cluster."""


@dataclass(frozen=True, kw_only=True)
class GkeCluster:
    """The switches of a GKE cluster that pools and charts depend on."""

    urn: str
    name: str
    autopilot: Maybe[bool]
    multi_networking: Maybe[bool | None]
    datapath: Maybe[str | None]
    """`datapathProvider`; ADVANCED_DATAPATH is Dataplane V2."""
    vpc_native: Maybe[bool]
    private_nodes: Maybe[bool | None]
    network: Maybe[str | None]
    subnet: Maybe[str | None]
    """URNs of planned ones, else as written."""
    release_channel: Maybe[str | None]
    exclusions: Maybe[tuple[Maybe[str], ...]]
    """Scopes of the maintenance exclusions."""
    provisioned: Maybe[tuple[Maybe[str], ...]]
    """Resource types with limits of node auto-provisioning; () where it is off."""
    removes_default_pool: Maybe[bool]


@dataclass(frozen=True, kw_only=True)
class Vpc:
    """A VPC network."""

    urn: str
    name: str
    mtu: Maybe[int | None]
    profile: Maybe[str | None]
    """Network profile, as written: `…/us-central1-a-vpc-roce`."""


@dataclass(frozen=True, kw_only=True)
class Subnetwork:
    """A subnetwork."""

    urn: str
    name: str
    network: Maybe[str]
    region: Maybe[str]
    cidr: Maybe[str | None]
    private_google_access: Maybe[bool | None]
    purpose: Maybe[str | None]


@dataclass(frozen=True, kw_only=True)
class FirewallRule:
    """A VPC firewall rule, as far as traffic between GPU interfaces cares."""

    urn: str
    network: Maybe[str]
    allows_all: Maybe[bool]
    """Whether it lets every port of TCP and UDP in, from whatever sources it names."""
    sources: Maybe[tuple[Maybe[str], ...]]


@dataclass(frozen=True, kw_only=True)
class CloudNat:
    """Where a Cloud NAT serves: VPC of its router, and the subnetworks that it names."""

    urn: str
    network: Maybe[str | None]
    every_subnet: Maybe[bool]
    subnets: Maybe[tuple[Maybe[str], ...]]


@dataclass(frozen=True, kw_only=True)
class MachineReservation:
    """A specific reservation that the program makes: nodes match it in every property or not at all (D6)."""

    urn: str
    name: str
    zone: Maybe[str | None]
    machine: Maybe[str | None]
    count: Maybe[int | None]
    local_ssds: Maybe[int]
    specific: Maybe[bool]
    """`specificReservationRequired`: only nodes that name it use it."""


@dataclass(frozen=True, kw_only=True)
class PodNetwork:
    """A `Network` or `GKENetworkParamSet` object: without them nodes have the interfaces and no pod can use them."""

    urn: str
    kind: str
    name: Maybe[str | None]
    params: Maybe[str | None]
    """Of a Network: the parameter set that it refers to."""
    vpc: Maybe[str | None]
    """Of a parameter set: name of its VPC, or URN of the planned one."""
    device_mode: Maybe[str | None]


@dataclass(frozen=True, kw_only=True)
class CriticalQuota:
    """A ResourceQuota that admits pods of system-critical priority: GKE refuses such pods in namespaces without one (C4)."""

    urn: str
    namespace: Maybe[str | None]
    classes: Maybe[tuple[Maybe[str], ...]]
    """Priority classes in its scope selector."""


@dataclass(frozen=True, kw_only=True)
class QueuedUse:
    """Something in a cluster that asks for nodes by queued provisioning (Kueue's ProvisioningRequestConfig)."""

    urn: str
    name: str
    provisioning_class: Maybe[str | None]


GoogleFact = GkeCluster | Vpc | Subnetwork | FirewallRule | CloudNat | MachineReservation | PodNetwork | CriticalQuota | QueuedUse
