"""Interfaces, network, and everything else with the target's identity."""

from __future__ import annotations

from scripts.teardown import kinds as k
from scripts.teardown.model import Seen, Thing
from scripts.teardown.step import Step, delete_all


def _free(seen: Seen) -> tuple[Thing, ...]:
    """Interfaces that nothing uses. One in use goes with what uses it."""
    return tuple(each for each in seen.going([k.INTERFACE]) if not each.detail.get("attached"))


INTERFACES = Step(
    id="interfaces",
    title="Delete network interfaces that were left behind",
    reason="K5: they hold security groups and subnets for up to half an hour, or for ever",
    needs=frozenset({k.INTERFACE}),
    touches=_free,
    act=delete_all,
    minutes=30,
)


_IN_NETWORK = (*k.BALANCERS, k.INTERFACE, *k.NETWORKING)
"""Load balancers too: what a controller made in the cluster's last minutes would hold the network until the sweep, which comes after it (K6)."""


def _network(seen: Seen) -> tuple[Thing, ...]:
    return tuple(thing for kind in _IN_NETWORK for thing in seen.going([kind]))


NETWORK = Step(
    id="network",
    title="Delete what is left of the network: load balancers, endpoints, gateways, addresses, security groups, subnets, the network last",
    reason="K5: each is refused while something in it lives, so it is asked again until its time is over",
    needs=frozenset(_IN_NETWORK),
    touches=_network,
    act=delete_all,
    minutes=30,
)

_SWEPT = (*k.MACHINES, k.CLUSTER, *k.BALANCERS, k.VOLUME, *k.REST)


def _swept(seen: Seen) -> tuple[Thing, ...]:
    return tuple(
        thing for kind in _SWEPT for thing in seen.going([kind]) if not thing.detail.get("leaving") and not thing.detail.get("with_cluster")
    )


SWEEP = Step(
    id="sweep",
    title="Sweep: whatever else carries the target's identity",
    reason="H12, K10: found in the cloud by identity tags, or by exact name and parent, whatever any state says",
    needs=frozenset(_SWEPT),
    touches=_swept,
    act=delete_all,
    minutes=15,
)
