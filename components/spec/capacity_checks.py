"""How a pool's capacity is bought against what its cloud and its machine offer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from components.inventory import Cloud
from components.refusals import Verdict, verdict

from . import Calendar, CapacityBlock, FlexStart, OwnPlacement, Queued, Reservation, Spot

if TYPE_CHECKING:
    from .pool_checks import PoolAt

MODES: Mapping[Cloud, tuple[str, ...]] = MappingProxyType(
    {
        "aws": ("on_demand", "spot", "reservation", "capacity_block"),
        "gcp": ("on_demand", "spot", "reservation", "flex_start", "queued", "calendar"),
        "azure": ("on_demand", "spot", "reservation"),
    }
)
_NOT_HERE: Mapping[tuple[str, Cloud], str] = MappingProxyType(
    {
        ("capacity_block", "gcp"): "capacity blocks are sold by AWS: use calendar for a window in the future, or flex_start",
        ("capacity_block", "azure"): "capacity blocks are sold by AWS: use reservation with a capacity reservation group",
        ("flex_start", "aws"): "flex-start is a mode of GCP: use capacity_block for a window in the future, or spot",
        ("flex_start", "azure"): "flex-start is a mode of GCP: use spot, or reservation with a capacity reservation group",
        ("queued", "aws"): "queued provisioning is a mode of GCP: use capacity_block for all nodes at once, or spot",
        ("queued", "azure"): "queued provisioning is a mode of GCP: use reservation with a capacity reservation group",
        ("calendar", "aws"): "calendar mode is a mode of GCP: use capacity_block",
        ("calendar", "azure"): "calendar mode is a mode of GCP: use reservation with a capacity reservation group",
    }
)
_RESERVATION_FIELDS: Mapping[str, tuple[Cloud, ...]] = MappingProxyType(
    {"id": ("aws", "gcp"), "group": ("aws", "azure"), "project": ("gcp",), "block": ("gcp",), "placement_group": ("aws",)}
)
AWS_RESERVATION = r"cr-[0-9a-f]{8,17}"
AWS_GROUP = r"arn:aws[a-z-]*:resource-groups:[a-z0-9-]+:\d{12}:group/\S+"
AZURE_GROUP = r"/subscriptions/[^/\s]+/resourceGroups/[^/\s]+/providers/Microsoft\.Compute/capacityReservationGroups/[^/\s]+"
GCP_NAME = r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?"
SHORTEST_BLOCK = timedelta(hours=1)
"""Judgement: nodes are drained before the end, so that none of a shorter window would ever run a job."""
LONGEST_BLOCK = timedelta(days=182)
"""A capacity block with all its extensions."""


def check(at: PoolAt) -> Iterator[Verdict]:
    """Refusals of the pool's `capacity` and of what does not go with it."""
    capacity, mode = at.pool.capacity, at.path("capacity.mode")
    if capacity.mode not in MODES[at.cloud]:
        yield verdict(mode, capacity.mode, _NOT_HERE[capacity.mode, at.cloud], "cloud", allowed=MODES[at.cloud])
        return
    match capacity:
        case Spot():
            yield from _spot(at, capacity)
        case Reservation():
            yield from _reservation(at, capacity)
        case CapacityBlock():
            yield from _capacity_block(at, capacity)
        case FlexStart() | Queued():
            yield from _when_there_is_room(at)
        case Calendar() if not re.fullmatch(GCP_NAME, capacity.id):
            yield verdict(at.path("capacity.id"), capacity.id, "give the name of the future reservation")
        case _:
            pass
    yield from _placement(at)


def _spot(at: PoolAt, capacity: Spot) -> Iterator[Verdict]:
    mode = at.path("capacity.mode")
    for machine in at.machines:
        if machine.spot is False:
            yield verdict(
                mode, "spot", f"{machine.name} is not sold on the spot market: use on_demand or reservation", "cloud", *at.machine_paths()
            )
    if capacity.max_usd_per_hour is not None and at.cloud != "azure":
        why = f"node pools on {at.cloud} take no price limit and pay at most the on-demand price: remove it"
        yield verdict(at.path("capacity.max_usd_per_hour"), capacity.max_usd_per_hour, why, "cloud", mode)
    if at.pool.updates == "surge" and at.cloud == "azure":
        yield verdict(at.path("updates"), "surge", "spot pools on Azure cannot surge: use in_place", "cloud", mode)


def _reservation(at: PoolAt, capacity: Reservation) -> Iterator[Verdict]:
    base, mode = at.path("capacity"), at.path("capacity.mode")
    for field, clouds in _RESERVATION_FIELDS.items():
        value = getattr(capacity, field)
        if value is not None and at.cloud not in clouds:
            yield verdict(f"{base}.{field}", value, f"reservations on {at.cloud} have no such field: remove it", "cloud", mode)
    yield from _target(at, capacity)
    if capacity.project is not None and capacity.block is not None:
        why = "blocks can be targeted within the same project only: remove block or project"
        yield verdict(f"{base}.block", capacity.block, why, "cloud", f"{base}.project")


def _target(at: PoolAt, capacity: Reservation) -> Iterator[Verdict]:
    """B1: without its target the nodes start beside the reservation, and both are paid."""
    base = at.path("capacity")
    if at.cloud == "azure":
        yield from _form(at, "group", capacity.group, AZURE_GROUP, "the id of the capacity reservation group (/subscriptions/…)")
        return
    if at.cloud == "gcp":
        yield from _form(at, "id", capacity.id, GCP_NAME, "the reservation's name")
        return
    if (capacity.id is None) == (capacity.group is None):
        why = "give one of id (cr-…) and group (ARN of a resource group): without a target the nodes start beside the paid capacity"
        yield verdict(f"{base}.id", capacity.id, why, "cloud", f"{base}.group", f"{base}.mode")
        return
    if capacity.id is not None:
        yield from _form(at, "id", capacity.id, AWS_RESERVATION, "the reservation's id, cr-…")
    else:
        yield from _form(at, "group", capacity.group, AWS_GROUP, "the ARN of the resource group")


def _form(at: PoolAt, field: str, value: str | None, form: str, what: str) -> Iterator[Verdict]:
    path = at.path(f"capacity.{field}")
    if value is None:
        why = f"is missing: give {what}; without a target the nodes start beside the paid capacity"
        yield verdict(path, value, why, "cloud", at.path("capacity.mode"))
    elif not re.fullmatch(form, value):
        yield verdict(path, value, f"give {what}", "cloud", at.path("capacity.mode"))


def _capacity_block(at: PoolAt, capacity: CapacityBlock) -> Iterator[Verdict]:
    yield from _form(at, "id", capacity.id, AWS_RESERVATION, "the block's capacity reservation id, cr-…")
    if capacity.ends - capacity.starts > LONGEST_BLOCK:
        why = f"the window is longer than {LONGEST_BLOCK.days} days, the most that a block can last with its extensions"
        yield verdict(at.path("capacity.ends"), capacity.ends.isoformat(), why, at.path("capacity.starts"))
    if capacity.ends - capacity.starts <= SHORTEST_BLOCK:
        why = "the window is over before its nodes have run a job: give the end that the block was bought with"
        yield verdict(at.path("capacity.ends"), capacity.ends.isoformat(), why, at.path("capacity.starts"))
    for machine in at.machines:
        if machine.capacity_block is False:
            why = f"{machine.name} is not sold in capacity blocks: use reservation, spot or on_demand"
            yield verdict(at.path("capacity.mode"), capacity.mode, why, "cloud", *at.machine_paths())


def _when_there_is_room(at: PoolAt) -> Iterator[Verdict]:
    mode = at.path("capacity.mode")
    if at.pool.nodes.min > 0:
        why = f"{at.pool.market} pools start from zero, since nodes come only when there is room: set min: 0"
        yield verdict(at.path("nodes.min"), at.pool.nodes.min, why, mode)
    if at.pool.node_auto_repair:
        why = f"nodes of {at.pool.market} pools cannot be replaced by repair: remove it or set false"
        yield verdict(at.path("node_auto_repair"), True, why, mode)


def _placement(at: PoolAt) -> Iterator[Verdict]:
    placement, capacity = at.pool.placement, at.pool.capacity
    path, mode = at.path("placement"), at.path("capacity.mode")
    if placement == "own" and isinstance(capacity, Reservation | CapacityBlock | Calendar | Queued):
        # A9: a group of our own lies outside the capacity that is paid for.
        why = f"a placement group of its own lies outside {capacity.mode} capacity: use auto"
        if isinstance(capacity, Reservation) and at.cloud == "aws":
            why += ", and name the group of the reservation in capacity.placement_group if it has one"
        yield verdict(path, placement, why, mode)
    given = capacity.placement_group if isinstance(capacity, Reservation) else None
    if given is not None and (placement == "none" or (isinstance(placement, OwnPlacement) and placement.group != given)):
        shown = placement if isinstance(placement, str) else placement.group
        yield verdict(
            path, shown, f"the reservation was made in the placement group {given}: use auto", at.path("capacity.placement_group")
        )
