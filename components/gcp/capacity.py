"""How a pool's nodes are bought, in the words of a GKE node pool: plain values that exclude each other where Google's do.

Source: GKE documentation, "About flex-start", "Consuming reserved zonal resources" and "Dynamic Workload Scheduler"; names of the node
pool's fields from the provider's schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from components.spec import Calendar, FlexStart, NodeRange, Pool, Queued, Reservation, Spot

RESERVATION_KEY = "compute.googleapis.com/reservation-name"
SECONDS_PER_HOUR = 3600
Affinity = Literal["NO_RESERVATION", "SPECIFIC_RESERVATION"]


class Phase(StrEnum):
    """Where a moment lies in a paid window."""

    BEFORE = "before"
    OPEN = "open"
    ENDED = "ended"


@dataclass(frozen=True, kw_only=True)
class Window:
    """The paid time of a future reservation."""

    starts: datetime
    ends: datetime

    def __str__(self) -> str:
        return f"{self.starts:%Y-%m-%d %H:%M} to {self.ends:%Y-%m-%d %H:%M} UTC"

    def phase(self, moment: datetime) -> Phase:
        if moment >= self.ends:
            return Phase.ENDED
        return Phase.OPEN if moment >= self.starts else Phase.BEFORE


@dataclass(frozen=True, kw_only=True)
class Purchase:
    """How nodes come. Raises ValueError for what GKE refuses together."""

    spot: bool = False
    flex_start: bool = False
    queued: bool = False
    """All nodes of a job at once, by a ProvisioningRequest."""
    max_run_seconds: int | None = None
    affinity: Affinity | None = None
    """None: nodes may use a matching open reservation, as Google does by itself."""
    reservation: str | None = None
    """Name as the affinity's value spells it, with its project or its block."""

    def __post_init__(self) -> None:
        scheduled = self.flex_start or self.queued
        _refuse(self.spot and scheduled, "spot nodes are not started by flex-start or a queue: use one of them")
        # D4: the default affinity is not "none", so it must be written out
        _refuse(
            scheduled and self.affinity != "NO_RESERVATION", "flex-start and queued nodes need reservation affinity NO_RESERVATION (D4)"
        )
        _refuse((self.affinity == "SPECIFIC_RESERVATION") != (self.reservation is not None), "a specific reservation needs its name (D6)")
        _refuse(self.spot and self.reservation is not None, "spot nodes do not come from a reservation: use one of them")
        _refuse(scheduled != (self.max_run_seconds is not None), "a longest run goes with flex-start and queued nodes, and with no others")

    @property
    def bounded(self) -> bool:
        """Whether nodes come when there is room and go after a time: neither repaired nor counted by hand."""
        return self.flex_start or self.queued


def _refuse(broken: bool, why: str) -> None:
    if broken:
        raise ValueError(why)


def purchase(pool: Pool) -> Purchase:
    """The purchase that the pool's `capacity` means."""
    match pool.capacity:
        case Spot():
            return Purchase(spot=True, affinity="NO_RESERVATION")
        case FlexStart(max_run_hours=hours):
            return Purchase(flex_start=True, max_run_seconds=hours * SECONDS_PER_HOUR, affinity="NO_RESERVATION")
        case Queued(max_run_hours=hours):
            return Purchase(flex_start=True, queued=True, max_run_seconds=hours * SECONDS_PER_HOUR, affinity="NO_RESERVATION")
        case Reservation() as reserved:
            return Purchase(affinity="SPECIFIC_RESERVATION", reservation=_named(reserved))
        case Calendar(id=name):
            return Purchase(affinity="SPECIFIC_RESERVATION", reservation=name)
        case _:
            return Purchase()


def _named(reserved: Reservation) -> str:
    """The reservation's name, in the project that shares it, or narrowed to one block. The spec's checks have seen that there is one."""
    if reserved.id is None:
        raise ValueError("capacity.id: the reservation has no name")
    if reserved.project is not None:
        return f"projects/{reserved.project}/reservations/{reserved.id}"
    return f"{reserved.id}/reservationBlocks/{reserved.block}" if reserved.block else reserved.id


def window(pool: Pool) -> Window | None:
    """The pool's paid window; None where capacity has no end."""
    capacity = pool.capacity
    return Window(starts=capacity.starts, ends=capacity.ends) if isinstance(capacity, Calendar) else None


def bounds(nodes: NodeRange, phase: Phase | None) -> NodeRange:
    """The autoscaler's bounds. D6: while a reservation is inactive no node may be asked for; pods that wait start them later."""
    return nodes if phase in (None, Phase.OPEN) else NodeRange(min=0, max=nodes.max)
