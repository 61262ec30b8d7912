"""How a pool's capacity is bought: one model per mode, each with what that mode needs. Which cloud has which mode: capacity_checks."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .fields import Above0, Amount, Frozen, Moment, Text

MaxRunHours = Annotated[int, Field(ge=1, le=168, strict=True)]


class OnDemand(Frozen):
    """Nodes at list price, for as long as they run."""

    mode: Literal["on_demand"] = "on_demand"


class Spot(Frozen):
    """Spare capacity that the cloud may take back at short notice."""

    mode: Literal["spot"]
    max_usd_per_hour: Amount | None = None
    """Azure: highest price per node; default: up to the on-demand price."""


class Reservation(Frozen):
    """Capacity that is paid for whether it is used or not."""

    mode: Literal["reservation"]
    id: Text | None = None
    """AWS `cr-…`; GCP: name of the reservation."""
    group: Text | None = None
    """AWS: ARN of a resource group of reservations; Azure: id of the capacity reservation group."""
    project: Text | None = None
    """GCP: the project that shares the reservation."""
    block: Text | None = None
    """GCP: block of the reservation."""
    placement_group: Text | None = None
    """AWS: the placement group in which the reservation was made, if any (A9)."""
    nodes: Above0 | None = None
    """Reserved nodes, when fewer than the pool's maximum."""


class _Window(Frozen):
    starts: Moment
    """Start of the paid window."""
    ends: Moment
    """End of the paid window."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.starts >= self.ends:
            raise ValueError(f"starts {self.starts.isoformat()} is not before ends {self.ends.isoformat()}: give starts < ends")
        return self


class CapacityBlock(_Window):
    """AWS: nodes paid up front for a fixed window."""

    mode: Literal["capacity_block"]
    id: Text
    """The block's capacity reservation id, `cr-…`."""


class FlexStart(Frozen):
    """GCP: nodes that start when there is room and run for a bounded time."""

    mode: Literal["flex_start"]
    max_run_hours: MaxRunHours = 168
    """Longest life of a node, at most 7 days."""


class Queued(Frozen):
    """GCP: all nodes of a job at once, when there is room for all of them."""

    mode: Literal["queued"]
    max_run_hours: MaxRunHours = 168
    """Longest life of a node, at most 7 days."""


class Calendar(_Window):
    """GCP: a future reservation for a fixed window."""

    mode: Literal["calendar"]
    id: Text
    """Name of the future reservation."""


Capacity = Annotated[OnDemand | Spot | Reservation | CapacityBlock | FlexStart | Queued | Calendar, Field(discriminator="mode")]
