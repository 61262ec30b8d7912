"""Inventory -> cost, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from components.inventory import Inventory
from components.pricing import STALE_DAYS, PriceOverlay, Terms
from components.resource import name_of
from components.unknown import Unknown

from .assumptions import NAT_GB_PER_MONTH, Assumptions, Discount, Restarts
from .control_planes import control_plane
from .disks import root_disks, volume
from .nodes import attached, nodes, sizes
from .result import Cost, Entry, Unbounded
from .storage import bucket, file_system
from .traffic import address, endpoint, load_balancer, nat


def cost(  # noqa: PLR0913 # one parameter an input
    inventory: Inventory,
    *,
    now: datetime,
    overlay: PriceOverlay | None = None,
    commitments: Sequence[Discount] = (),
    interruptions: Sequence[Restarts] = (),
    nat_gb_per_month: float | None = None,
    stale_days: int = STALE_DAYS,
) -> Cost:
    """What `inventory` costs by the catalogue's figures, with negotiated rates and commitments first.

    Discounts, interruptions and NAT traffic are assumptions: the lines that rest on them say so.
    """
    terms = Terms(now=now, overlay=overlay or PriceOverlay(), stale_days=stale_days)
    assumed = Assumptions(
        commitments=commitments,
        interruptions=interruptions,
        nat_gb_per_month=NAT_GB_PER_MONTH if nat_gb_per_month is None else nat_gb_per_month,
    )
    return Cost.of([*_pools(inventory, assumed, terms), *_services(inventory, assumed, terms), *_lost(inventory)])


def _pools(inventory: Inventory, assumed: Assumptions, terms: Terms) -> Iterator[Entry]:
    for pool in inventory.pools:
        yield from sizes(pool)
        yield from nodes(pool, assumed, terms)
        yield from attached(pool, terms)
        yield from root_disks(pool, terms)


def _services(inventory: Inventory, assumed: Assumptions, terms: Terms) -> Iterator[Entry]:
    planes = (control_plane(plane, terms) for plane in inventory.control_planes if not plane.existing)
    yield from (line for line in planes if line is not None)
    for gateway in inventory.nats:
        yield from nat(gateway, assumed.nat_gb_per_month, terms)
    yield from (endpoint(found, terms) for found in inventory.endpoints)
    yield from (address(found, terms) for found in inventory.addresses)
    yield from (load_balancer(found, terms) for found in inventory.load_balancers)
    yield from (volume(disk, terms) for disk in inventory.disks)
    yield from (file_system(system, terms) for system in inventory.file_systems)
    yield from (bucket(found) for found in inventory.buckets)


def _lost(inventory: Inventory) -> Iterator[Unbounded]:
    for lost in inventory.lost:
        yield Unbounded(urn=lost.urn, name=name_of(lost.urn) or lost.type, missing=Unknown(lost.type, lost.reason), readable=False)
