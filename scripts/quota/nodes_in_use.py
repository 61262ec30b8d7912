"""Nodes that run for a stack -> what they use of each quota, counted as demand is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from components.demand import demand
from components.inventory import Cloud, Inventory, Market, NodeCount, NodePool

from .readings import OwnUsage


@dataclass(frozen=True, kw_only=True)
class RunningNodes:
    """Nodes of one machine type and market that carry a stack's identity."""

    stack: str
    cloud: Cloud
    region: str
    machine: str
    market: Market
    count: int


def own_usage(running: Iterable[RunningNodes]) -> OwnUsage:
    """By region and code, each stack's part. Nodes of which no quota is known use none that could be told."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for nodes in running:
        pool = NodePool(
            urn="",
            name=nodes.machine,
            cloud=nodes.cloud,
            region=nodes.region,
            machines=(nodes.machine,),
            market=nodes.market,
            nodes=NodeCount(minimum=nodes.count, desired=nodes.count, maximum=nodes.count),
        )
        for drawn in demand(Inventory(project="", stack=nodes.stack, pools=(pool,))):
            if drawn.code and drawn.need:
                by_stack = found.setdefault((str(drawn.region), drawn.code), {})
                by_stack[nodes.stack] = by_stack.get(nodes.stack, 0.0) + drawn.need
    return found
