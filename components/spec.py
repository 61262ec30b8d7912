"""The stack file's contents as frozen, cloud-neutral, plain values: TrainingSpec and InferenceSpec.

These models are the whole schema of `gpukit:cluster` (all clouds, all capacity modes, all reserved sections), so that later releases
break no file. `stacks/settings.py` reads the config into them and reports every error at once.
What a cloud family does not build yet it refuses by name (`refuse_unbuilt` of that family); nothing is ever ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from ipaddress import IPv4Network
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from .inventory import Cloud, Market

Environment = Literal["dev", "staging", "prod"]
Workload = Literal["training", "inference"]

DEFAULT_KUBERNETES_VERSION = "1.35"
DEFAULT_GPU_DISK_GIB: Mapping[Workload, int] = {"training": 500, "inference": 200}
"""B11: images are 10-20 GB; a 20 GB root disk evicts pods."""


def _text_only(value: object) -> object:
    """YAML turns bare dates and numbers into something else: say so instead of guessing what was meant."""
    if isinstance(value, bool | int | float | date | datetime):
        raise ValueError("write it in quotes: YAML reads the bare value as a number or a date")
    return value


def _names(value: str) -> str:
    if not value or len(value) > 40 or not value.isascii() or not value[0].isalpha() or value != value.lower():
        raise ValueError("start with a lower-case letter and use at most 40 of a-z, 0-9 and -")
    if not all(c.isalnum() or c == "-" for c in value) or value.endswith("-"):
        raise ValueError("use a-z, 0-9 and -, ending in a letter or digit")
    return value


Text = Annotated[str, BeforeValidator(_text_only), Field(strict=True)]
Name = Annotated[str, BeforeValidator(_text_only), AfterValidator(_names), Field(strict=True)]
Moment = Annotated[AwareDatetime, Field(description='ISO 8601 with time zone, in quotes: "2027-01-11T11:30Z"')]
Day = Annotated[date, Field(description='A day in quotes: "2027-03-01"')]
Cidr = IPv4Network


class Frozen(BaseModel):
    """Immutable, without unknown keys, without silent conversions between types."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=False, use_attribute_docstrings=True)


class Lease(Frozen):
    expires: Day
    """After this day: no growth, and the idle tools may act."""


class ExistingNetwork(Frozen):
    """A network that is there already. Ids in the cloud's own form."""

    network: Text
    """VPC id, VPC network name or VNet id."""
    node_subnets: Mapping[str, Text]
    """Zone to subnet for nodes: private, routed to a NAT or to endpoints."""
    control_plane_subnets: tuple[Text, ...] = ()
    pod_range: Text | None = None
    """GKE: name of the secondary range for pods."""
    service_range: Text | None = None
    host_project: Text | None = None
    """GCP: project of a shared VPC."""


class Network(Frozen):
    zones: tuple[Text, ...] = ()
    cidr: Cidr = IPv4Network("10.64.0.0/16")
    nat: Literal["single", "per_zone", "none"] | None = None
    """Default: single in dev, per_zone in staging and prod."""
    existing: ExistingNetwork | None = None
    flow_logs: bool = False
    endpoints: Literal["none", "private"] = "none"
    """`private` adds interface endpoints for clusters without a way to the internet."""


class Access(Frozen):
    api: Literal["public", "private"] = "public"
    """`private`: in-cluster resources need a runner inside the network."""
    api_cidrs: tuple[Cidr, ...] = ()
    """Who may reach a public API. Never defaults to everyone."""
    admins: tuple[Text, ...] = ()
    """IAM role or user ARNs, Google groups or members, Entra group object ids."""
    viewers: tuple[Text, ...] = ()


class NodeRange(Frozen):
    min: Annotated[int, Field(ge=0, strict=True)]
    max: Annotated[int, Field(ge=1, le=10_000, strict=True)]

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min > self.max:
            raise ValueError(f"min is {self.min}, above max {self.max}: give min <= max")
        return self


class System(Frozen):
    """The untainted CPU pool that carries the cluster's own pods."""

    machine: Text | None = None
    """Default: the cloud's small general-purpose machine (catalogue)."""
    nodes: NodeRange = NodeRange(min=2, max=4)
    disk_gib: Annotated[int, Field(ge=30, le=16_384, strict=True)] = 100


class OnDemand(Frozen):
    mode: Literal["on_demand"] = "on_demand"


class Spot(Frozen):
    mode: Literal["spot"]
    max_usd_per_hour: Annotated[float, Field(gt=0)] | None = None
    """Azure: highest price per node; default: up to the on-demand price."""


class Reservation(Frozen):
    mode: Literal["reservation"]
    id: Text | None = None
    """AWS `cr-…`; GCP reservation name."""
    group: Text | None = None
    """AWS resource-group ARN; Azure capacity reservation group id."""
    project: Text | None = None
    """GCP: the project that shares the reservation."""
    block: Text | None = None
    """GCP: block of the reservation."""
    placement_group: Text | None = None
    """AWS: the placement group in which the reservation was made, if any (A9)."""
    nodes: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Reserved nodes, when fewer than the pool's maximum."""


class _Window(Frozen):
    starts: Moment
    ends: Moment

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.starts >= self.ends:
            raise ValueError(f"starts is {self.starts.isoformat()}, not before ends {self.ends.isoformat()}: give starts < ends")
        return self


class CapacityBlock(_Window):
    mode: Literal["capacity_block"]
    id: Text
    """The block's capacity reservation id, `cr-…`."""


class FlexStart(Frozen):
    mode: Literal["flex_start"]
    max_run_hours: Annotated[int, Field(ge=1, le=168, strict=True)] = 168


class Queued(Frozen):
    mode: Literal["queued"]
    max_run_hours: Annotated[int, Field(ge=1, le=168, strict=True)] = 168


class Calendar(_Window):
    mode: Literal["calendar"]
    id: Text
    """Name of the future reservation."""


Capacity = Annotated[OnDemand | Spot | Reservation | CapacityBlock | FlexStart | Queued | Calendar, Field(discriminator="mode")]


class OwnPlacement(Frozen):
    group: Text
    """Name of an existing placement group."""


class Mig(Frozen):
    mig: Text
    """A MIG profile such as `1g.10gb`, or a layout name of the MIG manager such as `all-1g.10gb`."""


class TimeSlices(Frozen):
    time_slices: Annotated[int, Field(ge=2, le=48, strict=True)]


class Pool(Frozen):
    name: Name
    machine: Text | None = None
    machines: tuple[Text, ...] = ()
    """Instead of `machine`: alternatives of a spot pool without fabric."""
    zone: Text | None = None
    """Name or id; GPU pools live in one zone (A8, F7)."""
    nodes: NodeRange = NodeRange(min=0, max=1)
    """The pool's total on every cloud."""
    capacity: Capacity = OnDemand()
    image: Text = "auto"
    """auto, or the family's own word (al2023, bottlerocket, ubuntu, cos …): decides who installs the driver."""
    fabric: Literal["auto", "none"] = "auto"
    placement: Literal["auto", "none", "own"] | OwnPlacement = "auto"
    sharing: Literal["none"] | Mig | TimeSlices = "none"
    updates: Literal["in_place", "surge"] = "in_place"
    disk_gib: Annotated[int, Field(ge=50, le=16_384, strict=True)] | None = None
    topology: Text | None = None
    """TPU slice topology such as 4x4."""
    node_auto_repair: bool | None = None
    """Default: on for inference, off for training pools on reserved or queued capacity."""
    labels: Mapping[str, Text] = {}

    @property
    def machine_types(self) -> tuple[str, ...]:
        return (self.machine,) if self.machine is not None else self.machines

    @property
    def market(self) -> Market:
        return Market(self.capacity.mode)


class Bucket(Frozen):
    name: Name
    use: Literal["checkpoint", "dataset", "model", "scratch"] = "scratch"


class SharedFilesystem(Frozen):
    tib: Annotated[float, Field(gt=0)]
    mb_s_per_tib: Annotated[int, Field(gt=0, strict=True)] = 125
    mount: Text = "/shared"
    tier: Text | None = None
    bucket: Text | None = None
    """Name of a bucket of this stack to link."""


class Storage(Frozen):
    buckets: tuple[Bucket, ...] = ()
    shared_filesystem: SharedFilesystem | None = None


class Team(Frozen):
    name: Name
    gpus: Annotated[int, Field(ge=0, strict=True)]


class Queue(Frozen):
    teams: tuple[Team, ...] = ()


class Serving(Frozen):
    server: Literal["triton", "vllm"] = "triton"
    p99_ms: Annotated[int, Field(gt=0, strict=True)] | None = None
    public: bool = False


class Budget(Frozen):
    hourly_usd: Annotated[float, Field(gt=0)] | None = None
    monthly_usd: Annotated[float, Field(gt=0)] | None = None
    alert_emails: tuple[Text, ...] = ()


class Commitment(Frozen):
    kind: Literal["savings_plan", "reserved", "committed_use", "negotiated"]
    pool: Name
    discount_percent: Annotated[float, Field(gt=0, lt=100)]


class Pricing(Frozen):
    commitments: tuple[Commitment, ...] = ()


class Idle(Frozen):
    grace_minutes: Annotated[int, Field(ge=15, strict=True)] = 60
    strongest_action: Literal["notify", "scale_to_zero", "destroy"] = "scale_to_zero"
    notify: tuple[Text, ...] = ()


class Monitoring(Frozen):
    metrics: Literal["none", "cloud", "prometheus"] = "none"
    log_retention_days: Annotated[int, Field(ge=1, strict=True)] | None = None


class Model(Frozen):
    """What the cluster is sized for (sizing)."""

    name: Text
    parameters_billions: Annotated[float, Field(gt=0)]
    precision: Literal["fp32", "bf16", "fp16", "fp8", "fp4"] = "bf16"


class Spec(Frozen):
    """Fields that both workloads share."""

    cloud: Cloud
    account: Text
    """Account id, project id or subscription id: compared with the credentials before any write."""
    environment: Environment = "dev"
    owner: Text
    name: str = ""
    """Cluster name; default: the stack name."""
    lease: Lease | None = None
    kubernetes_version: Text = DEFAULT_KUBERNETES_VERSION
    network: Network = Network()
    access: Access = Access()
    system: System = System()
    pools: tuple[Pool, ...]
    storage: Storage = Storage()
    budget: Budget = Budget()
    pricing: Pricing = Pricing()
    idle: Idle = Idle()
    monitoring: Monitoring = Monitoring()
    model: Model | None = None
    billing_account: Text | None = None
    """GCP: needed for a budget."""
    tags: Mapping[str, Text] = {}

    @property
    def protected(self) -> bool:
        """Deletion protection: on in prod and staging, off in dev."""
        return self.environment != "dev"

    @property
    def nat(self) -> Literal["single", "per_zone", "none"]:
        return self.network.nat or ("single" if self.environment == "dev" else "per_zone")


class TrainingSpec(Spec):
    workload: Literal["training"]
    queue: Queue = Queue()


class InferenceSpec(Spec):
    workload: Literal["inference"]
    serving: Serving = Serving()


ClusterSpec = Annotated[TrainingSpec | InferenceSpec, Field(discriminator="workload")]
