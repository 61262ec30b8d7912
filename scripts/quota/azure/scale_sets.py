"""Nodes of AKS pools by their scale sets, and the zones in which a size is offered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from components.inventory import Market, NodePool
from components.naming import tag_key
from components.unknown import Unknown, known
from scripts.quota.door import Extras, InUse
from scripts.quota.nodes_in_use import RunningNodes
from scripts.quota.readings import Gap

from .session import Clients, ask, word


def in_use(clients: Clients, stacks: Sequence[str], regions: Sequence[str]) -> InUse:
    found = ask(
        "scale sets of the subscription",
        "Microsoft.Compute/virtualMachineScaleSets/read",
        lambda: list(clients.compute.virtual_machine_scale_sets.list_all()),
    )
    if isinstance(found, Gap):
        return InUse(gaps=(found,))
    return InUse(nodes=tuple(nodes for nodes in _nodes(found, stacks) if nodes.region in regions and nodes.count))


def _nodes(sets: Iterable[Any], stacks: Sequence[str]) -> Iterator[RunningNodes]:
    key = tag_key("azure", "stack")
    for scale_set in sets:
        stack = (scale_set.tags or {}).get(key)
        if stack is not None and stack in stacks and scale_set.sku is not None:
            profile = scale_set.virtual_machine_profile
            spot = profile is not None and profile.priority in ("Spot", "Low")
            yield RunningNodes(
                stack=stack,
                cloud="azure",
                region=str(scale_set.location),
                machine=str(scale_set.sku.name),
                market=Market.SPOT if spot else Market.ON_DEMAND,
                count=int(scale_set.sku.capacity or 0),
            )


def extras(clients: Clients, pools: Iterable[NodePool]) -> Extras:
    lines: list[str] = []
    gaps: list[Gap] = []
    listings: dict[str, list[Any] | Gap] = {}
    for pool in pools:
        if isinstance(pool.region, Unknown) or isinstance(pool.machines, Unknown):
            continue
        region = pool.region
        if region not in listings:
            told = f"location eq '{region}'"
            listings[region] = ask(
                region, "Microsoft.Compute/skus/read", lambda told=told: list(clients.compute.resource_skus.list(filter=told))
            )
        listing = listings[region]
        if isinstance(listing, Gap):
            gaps.append(listing)
        else:
            lines += [_offered(pool.name, machine, region, listing) for machine in pool.machines if known(machine)]
    return Extras(lines=tuple(lines), gaps=tuple(dict.fromkeys(gaps)))


def _offered(pool: str, machine: str, region: str, listing: Iterable[Any]) -> str:
    sku = next((row for row in listing if row.name == machine and row.resource_type == "virtualMachines"), None)
    if sku is None:
        return f"{pool}: {machine} is not offered in {region}"
    zones = sorted({zone for place in sku.location_info or () for zone in place.zones or ()})
    barred = sorted({word(limit.reason_code) for limit in sku.restrictions or ()})
    where = f"in zones {', '.join(zones)} of {region}" if zones else f"in {region} without zones"
    return f"{pool}: {machine} is offered {where}" + (f", but restricted for this subscription ({', '.join(barred)})" if barred else "")
