"""What is known about a cluster at one moment: the record `gpukit/signals/1`, from live sources or from a file.

`None` means that nobody looked, or that the answer did not come: it is never read as "none" or "zero". An empty list is an answer.
Times carry their zone. Counters are Prometheus series of the DCGM exporter (or of a cloud's own metrics) under their own names and labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from math import isfinite
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from components.inventory import Cloud, Market

from .matrix import LATEST

SCHEMA = "gpukit/signals/1"

Count = Annotated[int, Field(ge=0, le=10**15)]
Machines = Annotated[int, Field(ge=0, le=1_000_000)]
"""Of one pool, or GPUs of one machine: no cloud sells more, and larger figures would end in infinite costs."""
Usd = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, le=LATEST, allow_inf_nan=False)]
"""Since 1970."""
Moment = Annotated[AwareDatetime, Field(ge=datetime(1970, 1, 1, tzinfo=UTC), le=datetime.fromtimestamp(LATEST, UTC))]
"""A present that windows can be reckoned from, back and forth."""
Number = Annotated[float, Field(allow_inf_nan=False)]


def _value(value: object) -> object:
    """A sample that is none (null, NaN, infinity) is absurd, and no reason to refuse a file."""
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return "NaN"
    return value


Value = Annotated[float | str, BeforeValidator(_value)]
"""Of a counter."""
Text = Annotated[str, Field(min_length=1, max_length=2048)]
SourceName = Literal["kubernetes", "dcgm", "cloud", "serving"]
Workload = Literal["training", "inference"]


class Frozen(BaseModel):
    """Immutable; unknown keys are errors, since a misspelt one would pass for missing data."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, defer_build=True)


class Source(Frozen):
    """One place that was asked."""

    name: SourceName
    """`kubernetes`: the cluster's API; `dcgm`: a Prometheus-compatible endpoint; `cloud`: the cloud's own metrics; `serving`: request counts."""
    read_at: AwareDatetime
    """By the source's own clock where it gives one."""
    error: str | None = None
    """Why it did not answer; None when it did."""


class Node(Frozen):
    """A node of the cluster."""

    name: Text
    pool: Text
    created: AwareDatetime | None = None
    """None: not known, and then no grace can be judged."""
    ready: bool = True
    gpus: Machines | None = None
    """Physical GPUs; None: as many as its pool's machine has. 0: a node without GPUs, such as a system node."""
    aliases: tuple[Text, ...] = ()
    """Other names by which counters may speak of it: addresses, and its exporter's pod."""


class Pod(Frozen):
    """A pod that asks for GPUs (of any resource name), running, waiting, or ended within the observed time; or a job's on a GPU node."""

    namespace: Text
    name: Text
    phase: Literal["Pending", "Running", "Succeeded", "Failed", "Unknown"]
    """`status.phase`, not the STATUS column: a pod in CrashLoopBackOff or Terminating is Running, one that waits for its image Pending."""
    gpus: Machines = 1
    """0: it asks for none, such as the launcher of an MPI job; then it counts on a GPU node alone, and if it belongs to a job."""
    node: Text | None = None
    pool: Text | None = None
    """Pool that it waits for, where its selectors name one; None: it may start on any."""
    since: AwareDatetime | None = None
    """Start of a running pod, creation of a waiting one."""
    ended: AwareDatetime | None = None
    kind: str = ""
    """Kind of the object that owns it: Job, Deployment, StatefulSet, Notebook …"""


class Queue(Frozen):
    """A job queue (Kueue ClusterQueue, Volcano queue …)."""

    name: Text
    pending: Count
    """Workloads that wait."""
    admitted: Count = 0
    """Workloads that hold quota."""


class Requests(Frozen):
    """What model servers were asked; of a training cluster it says nothing."""

    count: Count
    """In the observed time."""
    last: AwareDatetime | None = None
    basis: str = ""
    """Where the figure comes from, in a few words."""


class Series(Frozen):
    """One counter of one GPU or one MIG instance, as a Prometheus range query gives it."""

    metric: Mapping[str, str]
    """Labels, `__name__` among them."""
    values: tuple[tuple[Seconds, Value], ...] = ()
    """(seconds since 1970, value), in any order; what is no number (null, NaN) counts as absurd. Where several samples fell into one step: the highest."""
    least: tuple[tuple[Seconds, Number], ...] = ()
    """The lowest of each step, where it differs from `values`."""
    dropped: Count = 0
    """Impossible values that were taken out of `values` before it was written."""
    source: Literal["dcgm", "cloud"] = "dcgm"


class Figure(Frozen):
    """One measure of one machine, or of all, by the cloud's own metrics, folded over the observed time."""

    what: Literal["network", "utilisation"]
    """`network`: bytes per second, one way; `utilisation`: of GPUs, in percent."""
    metric: Text
    """As the cloud names it."""
    machine: Text | None = None
    """As the cloud names it; None: the figure is of all machines of its pool, or of the cluster."""
    pool: Text | None = None
    """None: of whichever pool of the cluster."""
    highest: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    samples: Count
    expected: Annotated[int, Field(ge=1, le=10**15)]
    """Samples of a whole series, without those that the cloud does not show yet."""
    last_at: AwareDatetime


class Heartbeat(Frozen):
    """What a cluster says of one of its pools from within (`gpukit heartbeat`), by way of the cloud's metrics."""

    pool: Text
    source: Text
    gpus_least: Count
    gpus_most: Count
    """GPUs that sent counters, at least and at most in the observed time."""
    busy_gpus: Count
    """At most in the observed time, as the next two."""
    pods: Count
    """GPU pods that ran or waited."""
    queued: Count
    """Workloads that waited in queues or held quota."""
    last_active: AwareDatetime | None = None
    samples: Count
    """Of the figure that has the fewest."""
    expected: Annotated[int, Field(ge=1, le=10**15)]
    last_at: AwareDatetime


class Pool(Frozen):
    """GPU machines of one kind, as the cloud counts them."""

    name: Text
    machine: str | None = None
    market: Market | None = None
    gpus_per_node: Machines | None = None
    current: Machines | None = None
    """Machines that bill now; None: the cloud was not asked."""
    minimum: Machines | None = None
    maximum: Machines | None = None
    usd_per_node_hour: Usd | None = None
    window_starts: AwareDatetime | None = None
    window_ends: AwareDatetime | None = None
    """Paid time of a capacity block or calendar reservation. Outside of it its machines are billed by the hour."""
    opted_out: bool = False
    """A tag of its own keeps the idle tools away from it."""


class Allowed(Frozen):
    """What the stack file's `idle` allowed when the record was written."""

    grace_minutes: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
    strongest_action: Literal["notify", "scale_to_zero", "destroy"]


class Cluster(Frozen):
    """Everything that was found out about one cluster."""

    name: Text
    cloud: Cloud | None = None
    """None: the signals come from a file that does not say."""
    account: str | None = None
    region: str | None = None
    stack: str | None = None
    workload: Workload | None = None
    owner: str | None = None
    expires: date | None = None
    """Last day of its lease."""
    tags: Mapping[str, str] | None = None
    """Of the cluster resource. None: not read, so that an opt-out could be among them."""
    opted_out: bool = False
    """The stack file or an operator keeps the idle tools away."""
    allowed: Allowed | None = None
    """None: the record is older than this field, or made of counters alone."""
    other_usd_per_hour: Usd | None = None
    """What it costs beside its GPU nodes: control plane, NAT, disks."""
    sources: tuple[Source, ...] = ()
    pools: tuple[Pool, ...] | None = None
    nodes: tuple[Node, ...] | None = None
    pods: tuple[Pod, ...] | None = None
    queues: tuple[Queue, ...] | None = None
    requests: Requests | None = None
    figures: tuple[Figure, ...] | None = None
    """By the cloud's own metrics, the second source. None: not asked."""
    heartbeats: tuple[Heartbeat, ...] | None = None
    series: tuple[Series, ...] = ()
    counters: tuple[str, ...] | None = None
    """Names that the metrics' endpoint serves for this cluster: each GPU must have each of them. None: not known what is missing."""
    step_seconds: Annotated[float, Field(gt=0, le=300)] = 60.0
    """Distance of samples that the series should have."""

    @field_validator("pools", "nodes")
    @classmethod
    def _once(cls, items: tuple[Pool, ...] | tuple[Node, ...] | None) -> tuple[Pool, ...] | tuple[Node, ...] | None:
        """One node listed twice would stand for a machine of which nothing is known."""
        names = [item.name for item in items or ()]
        twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
        if twice is not None:
            raise ValueError(f"{twice!r} is listed twice: give each name once")
        return items


class Record(Frozen):
    """What `gpukit idle --record FILE` writes and `--from FILE` reads."""

    schema_: Annotated[Literal["gpukit/signals/1"], Field(alias="schema")]
    recorded_at: Moment
    """The present of every verdict that follows from it."""
    clusters: tuple[Cluster, ...]
