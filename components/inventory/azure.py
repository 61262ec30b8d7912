"""What AKS and Azure alone ask of clusters and pools, beside the facts that every cloud has."""

from __future__ import annotations

from dataclasses import dataclass

from components.unknown import Maybe, Unknown


@dataclass(frozen=True, kw_only=True)
class AksPool:
    """The settings of one agent pool. Machine, market, nodes and zones are in the `NodePool` of the same `urn` and `name`."""

    urn: str
    name: str
    cluster: Maybe[str | None]
    """URN of the planned cluster, or the name of an existing one."""
    at: str = ""
    """Where in its resource the pool stands: `agentPoolProfiles[1].` inside a cluster, "" for a resource of its own."""
    mode: Maybe[str | None] = None
    """`System`, `User` or `Gateway`; None where the program leaves it to AKS."""
    priority: Maybe[str | None] = None
    """`Spot` or `Regular`; None for the default, `Regular`."""
    eviction_policy: Maybe[str | None] = None
    spot_max_price: Maybe[float | None] = None
    """US dollars an hour; -1 for the on-demand price."""
    max_surge: Maybe[str | None] = None
    autoscaled: Maybe[bool] = False
    given_name: Maybe[str | None] = None
    """As the program writes it; None where the provider makes one."""
    name_property: str = "agentPoolName"
    count: Maybe[int | None] = None
    """The number of nodes that the program itself writes."""
    minimum: Maybe[int | None] = None
    maximum: Maybe[int | None] = None
    """The autoscaler's bounds as written, whether it is on or not."""
    count_ignored: bool = False
    """Whether the program leaves later changes of `count` alone (H1)."""
    driver: Maybe[str | None] = None
    """`Install` or `None`; None for the default, `Install`."""
    managed_gpu: Maybe[bool] = False
    """Whether AKS runs the whole GPU stack (`nvidia.managementMode: Managed`)."""
    gpu_slices: Maybe[str | None] = None
    """MIG profile of every GPU."""
    os_sku: Maybe[str | None] = None
    os_disk: Maybe[str | None] = None
    """`Ephemeral` or `Managed`; None where AKS chooses."""
    os_disk_gib: Maybe[int | None] = None
    scale_down: Maybe[str | None] = None
    """`Delete` or `Deallocate`; None for the default, `Delete`."""
    public_addresses: Maybe[bool] = False
    subnet: Maybe[str | None] = None
    """URN of the planned subnet, or the id of an existing one."""
    capacity_group: Maybe[str | None] = None
    """URN of the planned capacity reservation group, or the id of an existing one."""
    after: frozenset[str] = frozenset()
    """URNs of the roles and feature flags that are there before it, by any chain of dependencies."""

    @property
    def inline(self) -> bool:
        """Whether the pool is part of its cluster's resource (H9)."""
        return bool(self.at)

    def path(self, prop: str) -> str:
        return f"{self.at}{prop}"


@dataclass(frozen=True, kw_only=True)
class AksNetwork:
    """What a cluster says of its own addresses, and of the pools inside it."""

    overlay: Maybe[bool]
    """Whether pods have addresses that the virtual network does not know."""
    pods: Maybe[str | None]
    services: Maybe[str | None]
    """Ranges as written; None where AKS takes its own."""
    profiles: Maybe[int]
    """How many pools are written inside."""


@dataclass(frozen=True, kw_only=True)
class AksCluster:
    urn: str
    name: str
    identity: Maybe[str | None] = None
    """`SystemAssigned`, `UserAssigned` or `None`; None where the program gives none."""
    identities: tuple[Maybe[str], ...] = ()
    """User-assigned ones: URNs of planned identities, ids of existing ones."""
    automatic: Maybe[bool] = False
    """AKS Automatic, whose nodes stand in a subscription of the vendor (E15)."""
    node_provisioning: Maybe[bool] = False
    """Whether AKS makes nodes of any size by itself."""
    local_accounts: Maybe[bool] = True
    private: Maybe[bool] = False
    authorized_ranges: Maybe[tuple[Maybe[str], ...]] = ()
    strangers: tuple[str, ...] = ()
    """Names of what the program itself puts into the group of the nodes."""
    untold: Unknown | None = None
    """Why it cannot be told whether something that keeps data stands in that group; None where it can."""
    node_group: Maybe[str | None] = None
    """Name of the nodes' resource group; None where AKS makes one up."""
    group_taken: bool = False
    """Whether the program makes a resource group of that name itself."""
    network: AksNetwork | None = None
    """None for clusters of the classic provider."""
    upgrades: Maybe[str | None] = None
    """Channel of automatic upgrades: `none`, `patch`, `stable`, `rapid`, `node-image`; None where the program names none."""


@dataclass(frozen=True, kw_only=True)
class ReservedMachines:
    """One capacity reservation: machines that are paid for whether they run or not."""

    urn: str
    name: str
    machine: Maybe[str]
    capacity: Maybe[int]
    zones: Maybe[tuple[Maybe[str], ...]] = ()
    group: Maybe[str | None] = None
    """URN of the planned group, or the name of an existing one."""


@dataclass(frozen=True, kw_only=True)
class CapacityGroup:
    """A capacity reservation group that the program makes."""

    urn: str
    name: str


@dataclass(frozen=True, kw_only=True)
class AzureRole:
    """A role that an identity gets somewhere."""

    urn: str
    name: str
    identity: Maybe[str | None]
    """URN of the planned identity whose principal gets it, else the principal's id."""


@dataclass(frozen=True, kw_only=True)
class AzureSubnet:
    urn: str
    name: str
    at: str = ""
    """Where in its virtual network it stands; "" for a resource of its own."""
    nat: Maybe[bool] = False
    """Whether its traffic leaves through a NAT gateway."""
    service_endpoints: Maybe[frozenset[str]] = frozenset()
    """Services that it reaches without NAT: `Microsoft.Storage` …"""
    guard: Maybe[str | None] = None
    """URN of the planned network security group that guards it, or the id of an existing one."""
    cidr: Maybe[str | None] = None
    """Its own range; the first of several."""
    spaces: Maybe[tuple[Maybe[str], ...]] = ()
    """Address ranges of its virtual network, where the program makes that."""


@dataclass(frozen=True, kw_only=True)
class AzurePrivateLink:
    """A private endpoint."""

    urn: str
    services: Maybe[frozenset[str]]
    """Parts of the service that it leads to: `blob`, `registry` …"""


@dataclass(frozen=True, kw_only=True)
class SubnetGuard:
    """A network security group, as far as nodes of one subnet care."""

    urn: str
    name: str
    closes_nodes: Maybe[bool]
    """Whether a rule denies what nodes send to each other before another allows it."""
    opens_to_all: Maybe[frozenset[str]]
    """Ports that it opens to every address: `22`, `*` …"""


@dataclass(frozen=True, kw_only=True)
class UpgradeWindow:
    """A maintenance configuration of a cluster."""

    urn: str
    cluster: Maybe[str | None]


@dataclass(frozen=True, kw_only=True)
class RdmaContainer:
    """A container that asks for RDMA devices."""

    urn: str
    name: str
    path: str
    resource: str
    """`rdma/ib` …"""
    locks_memory: Maybe[bool]
    """Whether it may pin memory (IPC_LOCK, or privileged)."""


@dataclass(frozen=True, kw_only=True)
class NicPolicy:
    """What the Network Operator is told to run on nodes with fast network cards."""

    urn: str
    name: str
    at: str = ""
    """Where in its resource the policy stands; "" for a resource of its own."""
    cluster: Maybe[str | None]
    """URN of the planned cluster; None where it cannot be told."""
    shared: Maybe[str | None] = None
    """Configuration text of the shared device plugin; None without one."""
    exclusive: Maybe[str | None] = None
    """Configuration text of the SR-IOV device plugin; None without one."""


@dataclass(frozen=True, kw_only=True)
class FeatureFlag:
    """A preview feature that the program registers in the subscription."""

    urn: str
    feature: Maybe[str | None]


@dataclass(frozen=True, kw_only=True)
class AzureBudget:
    urn: str
    name: str
    of_group: Maybe[bool]
    """Whether it counts one resource group alone."""


AzureFact = (
    AksPool
    | AksCluster
    | ReservedMachines
    | CapacityGroup
    | AzureRole
    | AzureSubnet
    | AzurePrivateLink
    | SubnetGuard
    | UpgradeWindow
    | RdmaContainer
    | NicPolicy
    | FeatureFlag
    | AzureBudget
)


@dataclass(frozen=True, kw_only=True)
class AzureFacts:
    """All of them of one stack."""

    pools: tuple[AksPool, ...] = ()
    clusters: tuple[AksCluster, ...] = ()
    reserved: tuple[ReservedMachines, ...] = ()
    groups: tuple[CapacityGroup, ...] = ()
    roles: tuple[AzureRole, ...] = ()
    subnets: tuple[AzureSubnet, ...] = ()
    links: tuple[AzurePrivateLink, ...] = ()
    guards: tuple[SubnetGuard, ...] = ()
    windows: tuple[UpgradeWindow, ...] = ()
    rdma: tuple[RdmaContainer, ...] = ()
    nic_policies: tuple[NicPolicy, ...] = ()
    features: tuple[FeatureFlag, ...] = ()
    budgets: tuple[AzureBudget, ...] = ()
