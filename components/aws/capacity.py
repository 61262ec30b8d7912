"""Capacity that is paid for before a node starts: what a launch template targets, and what a paid window lets a pool do at a moment.

Source of the times: Capacity Blocks in the EC2 user guide and "Create a managed node group with Capacity Blocks" in the EKS user guide.
EC2 ends a block's instances from 30 minutes before its end on; EKS scales the group down 40 minutes before it, by a scheduled action of
its own that stays untouched.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from components.spec import CapacityBlock, NodeRange, Pool, Reservation

DRAIN_BEFORE_END = timedelta(minutes=45)
"""B15: five minutes before EKS's own action (judgement): jobs end by then, with their last checkpoint written."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """The reserved capacity that nodes start in: one of the two, or nodes would start beside it and both be paid (B2)."""

    reservation: str | None = None
    """Id, `cr-…`."""
    group: str | None = None
    """ARN of a resource group of reservations."""

    def __post_init__(self) -> None:
        if (self.reservation is None) == (self.group is None):
            raise ValueError("reserved capacity: give either the reservation's id or the ARN of its resource group (B2)")


class Phase(StrEnum):
    """Where a moment lies in a paid window."""

    BEFORE = "before"
    OPEN = "open"
    DRAINING = "draining"
    """Paid still, but nothing may start any more."""
    ENDED = "ended"


@dataclass(frozen=True, kw_only=True)
class Window:
    """The paid time of a capacity block."""

    starts: datetime
    ends: datetime

    @property
    def drains(self) -> datetime:
        """When the pool scales to zero, and jobs must be done."""
        return self.ends - DRAIN_BEFORE_END

    def __str__(self) -> str:
        return f"{self.starts:%Y-%m-%d %H:%M} to {self.ends:%Y-%m-%d %H:%M} UTC, drained from {self.drains:%H:%M} on"

    def phase(self, moment: datetime) -> Phase:
        if moment >= self.ends:
            return Phase.ENDED
        if moment >= self.drains:
            return Phase.DRAINING
        return Phase.OPEN if moment >= self.starts else Phase.BEFORE


@dataclass(frozen=True, kw_only=True)
class Size:
    """A node group's size as it is created. The desired one belongs to the autoscaler, or to a block's schedule, from then on."""

    minimum: int
    desired: int
    maximum: int


def target(pool: Pool) -> Target | None:
    """What the pool's nodes must start in; None where they start wherever there is room."""
    match pool.capacity:
        case Reservation(id=reservation, group=group):
            return Target(reservation=reservation, group=group)
        case CapacityBlock(id=reservation):
            return Target(reservation=reservation)
        case _:
            return None


def window(pool: Pool) -> Window | None:
    """The pool's paid window; None where capacity has no end."""
    capacity = pool.capacity
    return Window(starts=capacity.starts, ends=capacity.ends) if isinstance(capacity, CapacityBlock) else None


def first_size(nodes: NodeRange, phase: Phase | None) -> Size:
    """The size at which a pool is created. A block has no node before its window, and all of them, being paid for, in it."""
    match phase:
        case None:
            return Size(minimum=nodes.min, desired=nodes.min, maximum=nodes.max)
        case Phase.OPEN:
            return Size(minimum=0, desired=nodes.max, maximum=nodes.max)
        case _:
            return Size(minimum=0, desired=0, maximum=nodes.max)
