"""Nodes of a GKE pool as GKE counts them: `nodeCount`, `initialNodeCount` and `min/maxNodeCount` are per zone (D7), `total…` are not."""

from __future__ import annotations

from components.inventory import Counting, NodeCount
from components.unknown import Maybe, Unknown
from policies.readers.values import any_of, first

from .parts import Part

DEFAULT_NODES = 3
"""Nodes per zone that GKE starts when the program gives no number at all."""
PER_ZONE, TOTAL = ("minNodeCount", "maxNodeCount"), ("totalMinNodeCount", "totalMaxNodeCount")
Zones = Maybe[tuple[Maybe[str], ...]]


def counting(pool: Part) -> Counting:
    scaling = pool.read("autoscaling")
    return Counting(
        fixed=pool.whole("nodeCount"),
        initial=pool.whole("initialNodeCount"),
        autoscaled=scaling if isinstance(scaling, Unknown) else scaling is not None,
        per_zone=_given(pool, PER_ZONE),
        total=_given(pool, TOTAL),
        ignored=pool.resource.options.ignore_changes,
    )


def _given(pool: Part, keys: tuple[str, ...]) -> Maybe[bool]:
    """Whether one of the limits is there. Where all of both kinds are, a provider wrote 0 for those that the program left out."""
    filled = all(pool.read("autoscaling", key) is not None for key in (*PER_ZONE, *TOTAL))
    found = [pool.whole("autoscaling", key) for key in keys]
    return any_of([count if isinstance(count, Unknown) else bool(count) if filled else count is not None for count in found])


def nodes(pool: Part, written: Counting, zones: Zones) -> NodeCount:
    surge = _surge(pool)
    if isinstance(written.autoscaled, Unknown):
        hidden = written.autoscaled
        return NodeCount(minimum=hidden, desired=hidden, maximum=hidden, surge=surge)
    start = times(first(written.fixed, written.initial), zones)
    if not written.autoscaled:
        count = times(first(written.fixed, written.initial, DEFAULT_NODES), zones)
        return _of(count, count, count, surge)
    minimum = _limit(pool, "totalMinNodeCount", "minNodeCount", zones)
    maximum = _limit(pool, "totalMaxNodeCount", "maxNodeCount", zones)
    largest = maximum if maximum is not None else Unknown(pool.path("autoscaling"), "without a maximum")
    return _of(first(minimum, 0), _greatest(first(start, 0), first(minimum, 0)), largest, surge)


def _of(minimum: Maybe[int | None], desired: Maybe[int | None], maximum: Maybe[int | None], surge: Maybe[int]) -> NodeCount:
    return NodeCount(minimum=_number(minimum), desired=_number(desired), maximum=_number(maximum), surge=_blue_green(surge, maximum))


def _number(count: Maybe[int | None]) -> Maybe[int]:
    return 0 if count is None else count


def _limit(pool: Part, total: str, per_zone: str, zones: Zones) -> Maybe[int | None]:
    of_pool, of_zone = pool.whole("autoscaling", total), pool.whole("autoscaling", per_zone)
    if isinstance(of_pool, Unknown) or of_pool or of_zone is None:
        return of_pool
    return times(of_zone, zones)


def times(count: Maybe[int | None], zones: Zones) -> Maybe[int | None]:
    """Nodes over all zones. None stays None, nothing needs no zones."""
    if count is None or isinstance(count, Unknown) or count == 0:
        return count
    return zones if isinstance(zones, Unknown) else count * len(zones)


def _greatest(one: Maybe[int | None], other: Maybe[int | None]) -> Maybe[int | None]:
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return one if isinstance(one, Unknown) else other
    return max(one or 0, other or 0)


BLUE_GREEN = "BLUE_GREEN"
_ALL_NODES = -1
"""Stands for as many nodes as the pool has, until that number is known."""


def _surge(pool: Part) -> Maybe[int]:
    """Nodes that an upgrade adds, one zone after the other: `maxSurge`, by default 1; as many again for blue-green."""
    strategy = pool.text("upgradeSettings", "strategy")
    if isinstance(strategy, Unknown):
        return strategy
    if strategy == BLUE_GREEN:
        return _ALL_NODES
    surge = pool.whole("upgradeSettings", "maxSurge")
    if surge is not None:
        return surge
    unavailable = pool.whole("upgradeSettings", "maxUnavailable")
    return unavailable if isinstance(unavailable, Unknown) else 0 if unavailable else 1


def _blue_green(surge: Maybe[int], maximum: Maybe[int | None]) -> Maybe[int]:
    if isinstance(surge, Unknown) or surge != _ALL_NODES:
        return surge
    return _number(maximum)
