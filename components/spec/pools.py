"""Pools of the stack file: the system pool and the GPU pools, with how nodes are placed and GPUs are shared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from components.inventory import Market

from .capacity import Capacity, OnDemand
from .fields import Count, Flag, Frozen, FrozenMap, Name, Text, TextMap


class NodeRange(Frozen):
    """A pool's size in nodes, over all its zones."""

    min: Count = 0
    """Nodes that always run. 0 costs nothing while nobody asks (J7)."""
    max: Annotated[int, Field(ge=1, le=10_000, strict=True)]
    """Nodes that may run at most: what budget and quota are judged by."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min > self.max:
            raise ValueError(f"min is {self.min}, above max {self.max}: give min <= max")
        return self


class System(Frozen):
    """The untainted CPU pool that carries the cluster's own pods."""

    machine: Text | None = None
    """Default: the cloud's small general-purpose machine."""
    nodes: NodeRange = NodeRange(min=2, max=4)
    """Size of the pool; at least 1 node always runs."""
    disk_gib: Annotated[int, Field(ge=30, le=16_384, strict=True)] = 100
    """Root disk of each node."""


class OwnPlacement(Frozen):
    """A placement group that is there already."""

    group: Text
    """Name of the placement group."""


class Mig(Frozen):
    """Each GPU divided in hardware."""

    mig: Text
    """A MIG profile such as `1g.10gb`, or a layout name of the MIG manager such as `all-1g.10gb`."""


class TimeSlices(Frozen):
    """Each GPU offered several times, without isolation of memory or faults."""

    time_slices: Annotated[int, Field(ge=2, le=48, strict=True)]
    """How often each GPU is offered."""


def _sharing_form(value: object) -> str | None:
    if isinstance(value, Mig | TimeSlices):
        return "~mig" if isinstance(value, Mig) else "~time_slices"
    if not isinstance(value, Mapping):
        return "~word"
    forms = [key for key in ("mig", "time_slices") if key in value]
    return f"~{forms[0]}" if len(forms) == 1 else None


def _placement_form(value: object) -> str:
    return "~group" if isinstance(value, OwnPlacement | Mapping) else "~word"


Sharing = Annotated[
    Annotated[Literal["none"], Tag("~word")] | Annotated[Mig, Tag("~mig")] | Annotated[TimeSlices, Tag("~time_slices")],
    Discriminator(
        _sharing_form,
        custom_error_type="one_of",
        custom_error_message="write none, {mig: PROFILE} or {time_slices: NUMBER}, and only one of them",
    ),
]
Placement = Annotated[
    Annotated[Literal["auto", "none", "own"], Tag("~word")] | Annotated[OwnPlacement, Tag("~group")], Discriminator(_placement_form)
]


class Pool(Frozen):
    """Nodes of one GPU machine (a spot pool without fabric may mix machines)."""

    name: Name
    """Unique in the cluster; part of names, labels and tags."""
    machine: Text | None = None
    """Machine type as the cloud spells it."""
    machines: tuple[Text, ...] = ()
    """Instead of `machine`: alternatives of a spot pool without fabric."""
    zone: Text | None = None
    """Name or id; GPU pools live in one zone (A8, F7). Inference pools may leave it out: the first zone of the network then."""
    nodes: NodeRange = NodeRange(min=0, max=1)
    """The pool's total on every cloud."""
    capacity: Capacity = OnDemand()
    """How the nodes are bought."""
    image: Text = "auto"
    """auto, or the family's own word (al2023, bottlerocket, ubuntu, cos …): decides who installs the driver."""
    fabric: Literal["auto", "none", "dranet"] = "auto"
    """`auto` wires the machine's fast fabric where it has one; `dranet` (GCP) leaves its networks to GKE's managed DRANET."""
    placement: Placement = "auto"
    """`own` makes a placement group, `{group: …}` uses one that is there; `auto` decides by fabric and capacity (A9)."""
    sharing: Sharing = "none"
    """none, `{mig: …}` or `{time_slices: n}`."""
    updates: Literal["in_place", "surge"] = "in_place"
    """`in_place` needs no spare capacity; `surge` starts new nodes first, billed and counted against quota."""
    disk_gib: Annotated[int, Field(ge=50, le=16_384, strict=True)] | None = None
    """Root disk of each node; default: 500 for training, 200 for inference (B11)."""
    topology: Text | None = None
    """GCP: TPU slice topology such as 4x4."""
    node_auto_repair: Flag | None = None
    """Default: on for inference, off for training pools on reserved or queued capacity."""
    labels: TextMap = Field(default_factory=FrozenMap)
    """Labels on the pool's nodes."""

    @property
    def machine_types(self) -> tuple[str, ...]:
        return (self.machine,) if self.machine is not None else self.machines

    @property
    def market(self) -> Market:
        return Market(self.capacity.mode)
