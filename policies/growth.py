"""What a change adds in nodes: pools that are new or may hold more nodes than before. An ended lease refuses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from components.inventory import Inventory, NodeCount
from components.unknown import Maybe, Unknown

NOTHING = NodeCount(minimum=0, desired=0, maximum=0)


@dataclass(frozen=True, kw_only=True)
class Growth:
    """One pool that grows, with its fewest and most nodes before and after."""

    pool: str
    before: NodeCount | None
    """None: a new pool."""
    after: NodeCount

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.pool}: {_range(self.after)} nodes, a new pool"
        return f"{self.pool}: {_range(self.after)} nodes, before {_range(self.before)}"


def growth(before: Inventory, after: Inventory) -> tuple[Growth, ...]:
    """Pools of `after` that are not in `before` or may hold more nodes there. A number that is not known, before or after, counts as
    growth: unknown is never a pass.
    """
    return tuple(_growing(before, after))


def _growing(before: Inventory, after: Inventory) -> Iterator[Growth]:
    there = {(pool.urn, pool.name): pool.nodes for pool in before.pools}  # pools inside a cluster's resource share its URN
    for pool in after.pools:
        held = there.get((pool.urn, pool.name))
        if held is None and pool.nodes.maximum != 0:
            yield Growth(pool=pool.name, before=None, after=pool.nodes)
        elif _more(held or NOTHING, pool.nodes):
            yield Growth(pool=pool.name, before=held, after=pool.nodes)


def _more(before: NodeCount, after: NodeCount) -> bool:
    return any(_above(now, then) for now, then in ((after.minimum, before.minimum), (after.maximum, before.maximum)))


def _above(now: Maybe[int], then: Maybe[int]) -> bool:
    return isinstance(now, Unknown) or isinstance(then, Unknown) or now > then


def _range(nodes: NodeCount) -> str:
    return f"{_shown(nodes.minimum)} to {_shown(nodes.maximum)}"


def _shown(number: Maybe[int]) -> str:
    return "?" if isinstance(number, Unknown) else str(number)
