"""The stack file's contents as frozen, cloud-neutral, plain values: TrainingSpec and InferenceSpec.

These models are the whole schema of `gpukit:cluster` (all clouds, all capacity modes, all reserved sections), so that later releases
break no file. A model says what one field may hold; what fields mean together is judged by `checks`, and `reading` collects
every error of both at once. What a cloud family does not build yet it refuses by name (`refuse_unbuilt`); nothing is ever ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from ipaddress import IPv4Network
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from components.inventory import Cloud

from .capacity import Calendar, Capacity, CapacityBlock, FlexStart, OnDemand, Queued, Reservation, Spot
from .fields import Above0, Amount, Cidr, Count, Day, Email, Flag, Frozen, FrozenMap, Moment, Name, Text, TextMap, name_form, text_only
from .pools import Mig, NodeRange, OwnPlacement, Pool, System, TimeSlices

__all__ = [
    "Access", "Bucket", "Budget", "Calendar", "Capacity", "CapacityBlock", "ClusterSpec", "Commitment", "ExistingNetwork", "FlexStart",
    "Idle", "IdleWatch", "InferenceSpec", "Interruption", "Lease", "Mig", "Model", "Moment", "Monitoring", "Network", "NodeRange", "OnDemand", "OwnPlacement", "Pool",
    "Pricing", "Queue", "Queued", "Reservation", "Serving", "SharedFilesystem", "Spec", "Spot", "Storage", "System", "Team", "TimeSlices",
    "TrainingSpec",
]  # fmt: skip

Environment = Literal["dev", "staging", "prod"]
Workload = Literal["training", "inference"]
Nat = Literal["single", "per_zone", "none"]

DEFAULT_KUBERNETES_VERSION = "1.35"
DEFAULT_GPU_DISK_GIB: Mapping[Workload, int] = {"training": 500, "inference": 200}
"""B11: images are 10-20 GB; a 20 GB root disk evicts pods."""


class Lease(Frozen):
    """How long the cluster is wanted."""

    expires: Day
    """After this day: no growth, and the idle tools may act."""

    def expired(self, today: date) -> bool:
        """Whether `today` lies after the last day of the lease."""
        return today > self.expires


class ExistingNetwork(Frozen):
    """A network that is there already. Ids in the cloud's own form."""

    network: Text
    """VPC id, VPC network name or VNet id."""
    node_subnets: TextMap
    """Zone to subnet for nodes: private, routed to a NAT or to endpoints."""
    control_plane_subnets: tuple[Text, ...] = ()
    """AWS: subnets of the control plane's interfaces; default: those of the nodes."""
    pod_range: Text | None = None
    """GCP: name of the secondary range for pods."""
    service_range: Text | None = None
    """GCP: name of the secondary range for services."""
    host_project: Text | None = None
    """GCP: project of a shared VPC."""
    fabric_cidr: Cidr | None = None
    """GCP: private range of the networks that a GPU fabric adds; needed by pools with a fabric."""


class Network(Frozen):
    """The cluster's network: made from a range, or `existing`."""

    zones: tuple[Text, ...] = ()
    """Zones with subnets, by name or id."""
    cidr: Cidr = IPv4Network("10.64.0.0/16")
    """Private range of the network."""
    nat: Nat | None = None
    """Way out for private nodes; default: single in dev, per_zone in staging and prod."""
    existing: ExistingNetwork | None = None
    """Use this network instead of making one."""
    flow_logs: Flag = False
    """Record the network's flows."""
    endpoints: Literal["none", "private"] = "none"
    """`private` adds interface endpoints for clusters without a way to the internet."""


class Kubeconfig(Frozen):
    """AWS: how whoever uses the kubeconfig gets a token."""

    profile: Text | None = None
    """AWS: profile of the person's own AWS configuration."""
    role: Text | None = None
    """AWS: IAM role to take on for the token; it needs a place among the admins or viewers."""


class Access(Frozen):
    """Who reaches the Kubernetes API."""

    api: Literal["public", "private"] = "public"
    """`private`: in-cluster resources need a runner inside the network."""
    api_cidrs: tuple[Cidr, ...] = ()
    """Who may reach a public API. Never defaults to everyone."""
    admins: tuple[Text, ...] = ()
    """IAM role or user ARNs, Google groups or members, Entra group object ids. AWS and Azure need one, or nobody can use the cluster."""
    viewers: tuple[Text, ...] = ()
    """As `admins`, with read access only."""
    kubeconfig: Kubeconfig = Kubeconfig()
    """Profile and role that the kubeconfig carries."""


class Bucket(Frozen):
    """An object store bucket; kept when the cluster is destroyed."""

    name: Name
    """Unique in the cluster; the cloud's name is made from it."""
    use: Literal["checkpoint", "dataset", "model", "scratch"] = "scratch"
    """Decides versioning and expiry."""


class SharedFilesystem(Frozen):
    """A managed parallel file system; kept when the cluster is destroyed."""

    tib: Amount
    """Size; valid sizes depend on cloud and tier."""
    mb_s_per_tib: Above0 = 125
    """Throughput per TiB."""
    mount: Text = "/shared"
    """Path in pods."""
    tier: Text | None = None
    """The cloud's own word for the kind of file system."""
    bucket: Text | None = None
    """Name of a bucket of this stack to link."""


class Storage(Frozen):
    """Data that outlives the cluster."""

    buckets: tuple[Bucket, ...] = ()
    """Object store buckets."""
    shared_filesystem: SharedFilesystem | None = None
    """One file system for all pools."""


class Team(Frozen):
    """A team and its share of the GPUs."""

    name: Name
    """Unique in the cluster."""
    gpus: Count
    """GPUs that the team may always have."""


class Queue(Frozen):
    """Job queue of a training cluster."""

    teams: tuple[Team, ...] = ()
    """Teams that share the pools."""


class Serving(Frozen):
    """Model server of an inference cluster."""

    server: Literal["triton", "vllm"] = "triton"
    """Which model server."""
    p99_ms: Above0 | None = None
    """Latency that scaling aims at."""
    public: Flag = False
    """Whether services may be reached from the internet."""


class Budget(Frozen):
    """Ceilings of cost at maximum size; a stack may only tighten those of policies/limits.yaml."""

    hourly_usd: Amount | None = None
    """Most dollars per hour with every pool at its maximum and surging."""
    monthly_usd: Amount | None = None
    """Most dollars per month with every pool at its maximum."""
    alert_emails: tuple[Email, ...] = ()
    """Who hears from the cloud's own budget alarm."""


class Commitment(Frozen):
    """A discount that is agreed with the cloud: an assumption of the cost, stated with it."""

    kind: Literal["savings_plan", "reserved", "committed_use", "negotiated"]
    """Kind of agreement."""
    pool: Name
    """Pool that it applies to."""
    discount_percent: Annotated[float, Field(gt=0, lt=100, strict=True)]
    """Percent below on-demand."""


class Interruption(Frozen):
    """How often spot nodes of a pool are taken away: an assumption of the expected cost, stated with it."""

    pool: Name
    """Spot pool that it applies to."""
    per_day: Annotated[float, Field(gt=0, le=1440, strict=True, allow_inf_nan=False)]
    """Interruptions of the pool's work in a day."""
    lost_minutes: Annotated[float, Field(gt=0, strict=True, allow_inf_nan=False)]
    """Work that each one repeats: since the last checkpoint, and starting again."""


class Pricing(Frozen):
    """What is known about prices beyond the catalogue."""

    commitments: tuple[Commitment, ...] = ()
    """Discounts per pool."""
    interruptions: tuple[Interruption, ...] = ()
    """How often spot pools are interrupted."""
    nat_gb_per_month: Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False)] | None = None
    """Traffic through each NAT gateway that the cost assumes."""


class IdleWatch(Frozen):
    """A function in the account that looks by itself, warns, and scales idle pools to zero where `strongest_action` allows it."""

    schedule_minutes: Annotated[int, Field(ge=5, le=60, strict=True)] = 15
    """Time between two looks."""
    notify_arn: Text | None = None
    """SNS topic that hears of it; default: one of its own, with the e-mail addresses of `idle.notify`."""


class Idle(Frozen):
    """What the idle tools may do to this stack."""

    grace_minutes: Annotated[int, Field(ge=15, strict=True)] = 60
    """Time between the warning and the action."""
    strongest_action: Literal["notify", "scale_to_zero", "destroy"] = "scale_to_zero"
    """Destroying is opted into."""
    notify: tuple[Text, ...] = ()
    """E-mail addresses, or `env:NAME` for a webhook address that the variable NAME holds."""
    watch: IdleWatch | None = None
    """AWS: looks by the cluster's heartbeat, without a machine of yours; `{}` switches it on."""


class Monitoring(Frozen):
    """Metrics and logs."""

    metrics: Literal["none", "cloud", "prometheus"] = "none"
    """Where GPU metrics go."""
    log_retention_days: Above0 | None = None
    """How long logs are kept; default by environment."""


class Model(Frozen):
    """What the cluster is sized for (sizing)."""

    name: Text
    """Name of the model."""
    parameters_billions: Amount
    """Size of the model."""
    precision: Literal["fp32", "bf16", "fp16", "fp8", "fp4"] = "bf16"
    """Number format of the weights."""


def _cluster_name(value: str) -> str:
    return value and name_form(value)


class Spec(Frozen):
    """Fields that both workloads share."""

    cloud: Cloud
    """Where the cluster runs."""
    account: Text
    """Account id, project id or subscription id: compared with the credentials before any write."""
    environment: Environment = "dev"
    """Sets defaults for protection, NAT and log retention."""
    owner: Text
    """Team that answers for the cluster."""
    name: Annotated[str, AfterValidator(_cluster_name), BeforeValidator(text_only), Field(strict=True)] = ""
    """Cluster name; default: the stack name."""
    lease: Lease | None = None
    """How long the cluster is wanted."""
    kubernetes_version: Text = DEFAULT_KUBERNETES_VERSION
    """Minor version, in quotes."""
    network: Network = Network()
    """Network of the cluster."""
    access: Access = Access()
    """Who reaches the Kubernetes API."""
    system: System = System()
    """CPU pool for the cluster's own pods."""
    pools: Annotated[tuple[Pool, ...], Field(min_length=1)]
    """GPU pools."""
    storage: Storage = Storage()
    """Data that outlives the cluster."""
    budget: Budget = Budget()
    """Cost ceilings."""
    pricing: Pricing = Pricing()
    """Prices beyond the catalogue."""
    idle: Idle = Idle()
    """What the idle tools may do."""
    monitoring: Monitoring = Monitoring()
    """Metrics and logs."""
    model: Model | None = None
    """What the cluster is sized for."""
    addon_versions: TextMap = Field(default_factory=FrozenMap)
    """AWS: version of each EKS add-on by its name; one without is EKS's default for the minor version when the cluster is made."""
    billing_account: Text | None = None
    """GCP: needed for a budget."""
    encryption_key: Text | None = None
    """GCP: KMS key that encrypts disks and Kubernetes secrets; default: Google's own keys."""
    tags: TextMap = Field(default_factory=FrozenMap)
    """The user's own tags on every resource that carries tags."""

    @property
    def protected(self) -> bool:
        """Deletion protection: on in prod and staging, off in dev."""
        return self.environment != "dev"

    @property
    def nat(self) -> Nat:
        return self.network.nat or ("single" if self.environment == "dev" else "per_zone")

    @property
    def zones(self) -> tuple[str, ...]:
        """Zones in which the network has subnets for nodes."""
        return tuple(self.network.existing.node_subnets) if self.network.existing else self.network.zones

    def zone_of(self, pool: Pool) -> str | None:
        """The one zone that `pool` lives in: its own, else the first of the network. None where the cloud chooses."""
        return pool.zone or (self.zones[0] if self.zones else None)


class TrainingSpec(Spec):
    """A cluster for training jobs."""

    workload: Literal["training"]
    """`training`: jobs over many nodes, with the fast fabric."""
    queue: Queue = Queue()
    """Job queue."""


class InferenceSpec(Spec):
    """A cluster for model serving."""

    workload: Literal["inference"]
    """`inference`: services that scale with requests."""
    serving: Serving = Serving()
    """Model server."""


ClusterSpec = Annotated[TrainingSpec | InferenceSpec, Field(discriminator="workload")]
