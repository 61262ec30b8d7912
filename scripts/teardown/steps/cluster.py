"""Pools that the state does not know, and the cluster itself where no state knows it."""

from __future__ import annotations

from scripts.teardown import kinds as k
from scripts.teardown.model import Seen, Thing
from scripts.teardown.step import Step, delete_all


def _apart(seen: Seen) -> tuple[Thing, ...]:
    """Pools that can be deleted on their own. A cluster's last system pool cannot be: it goes with its cluster."""
    return tuple(pool for pool in seen.going([k.POOL]) if not pool.detail.get("with_cluster"))


def _unknown(seen: Seen) -> tuple[Thing, ...]:
    return tuple(pool for pool in _apart(seen) if pool.id not in seen.recorded)


POOLS = Step(
    id="pools",
    title="Delete node pools that no state knows",
    reason="K10, H9: pools are listed through the cloud's API, not from the state; one that is left keeps the cluster from being deleted",
    needs=frozenset({k.POOL}),
    touches=_unknown,
    act=delete_all,
    minutes=30,
)


def _cluster(seen: Seen) -> tuple[Thing, ...]:
    return (*_apart(seen), *seen.going([k.CLUSTER]))


CLUSTER = Step(
    id="cluster",
    title="Delete what is left of the cluster itself",
    reason="K11: what the engine did not end, or what no state knows",
    needs=frozenset({k.POOL, k.CLUSTER}),
    touches=_cluster,
    act=delete_all,
    minutes=40,
)
