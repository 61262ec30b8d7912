"""Address plan of a cluster's own network where subnets span a region (Google Cloud): nodes, pods, services and the fabric's networks.

The range is halved. The upper half is for pods, since every node takes a block of it. The lower half is cut into eight: nodes, services,
peered services (file systems), one spare, and four eighths for the extra networks of a GPU fabric, cut into sixteen equal subnets. Nothing
moves when a zone or a pool is added.

Sources: GKE documentation, "IP address management in VPC-native clusters" (a node gets at least twice as many pod addresses as pods, in a
power of two) and "VPC subnets" (four addresses of a primary range are kept by Google).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network

from .addresses import DoesNotFit

LARGEST_NETWORK = 9
SMALLEST_NETWORK = 20
"""Prefix lengths between which a plan is made: below /20 fewer than sixteen nodes find pod addresses."""
FABRIC_BITS = 4
FABRIC_SUBNETS = 2**FABRIC_BITS
SMALLEST_SUBNET = 29
"""Prefix length of the smallest subnet that Google takes."""
KEPT_BY_CLOUD = 4
PODS_PER_NODE = 64
"""Most pods on a node (judgement: GPU nodes run few, large pods; the system pool's nodes run some dozens)."""
POD_PREFIX = 25
"""Block of pod addresses of each node: 128 for 64 pods."""


@dataclass(frozen=True, kw_only=True)
class PoolDemand:
    """Nodes of one pool at its maximum, updates included."""

    pool: str
    nodes: int


@dataclass(frozen=True, kw_only=True)
class RegionalPlan:
    """Ranges of one network. All lie in `cidr` and none overlap."""

    cidr: IPv4Network
    nodes: IPv4Network
    pods: IPv4Network
    services: IPv4Network
    peered: IPv4Network
    """For services that Google runs in a network of its own, joined by peering."""
    fabric: tuple[IPv4Network, ...]
    """Sixteen subnets for the extra interfaces of GPU nodes."""

    @property
    def most_nodes(self) -> int:
        """Nodes that find an address and a block for their pods."""
        return min(self.nodes.num_addresses - KEPT_BY_CLOUD, 2 ** (POD_PREFIX - self.pods.prefixlen))


def plan(cidr: IPv4Network, demands: Sequence[PoolDemand] = ()) -> RegionalPlan:
    """The ranges of `cidr`, after checking that all nodes fit. Raises DoesNotFit."""
    if not LARGEST_NETWORK <= cidr.prefixlen <= SMALLEST_NETWORK:
        raise DoesNotFit(f"network {cidr}: give a /{LARGEST_NETWORK} to /{SMALLEST_NETWORK} (a /16 or larger suits training)")
    lower, pods = cidr.subnets(prefixlen_diff=1)
    nodes, services, peered, _ = list(lower.subnets(prefixlen_diff=3))[:4]
    made = RegionalPlan(
        cidr=cidr, nodes=nodes, pods=pods, services=services, peered=peered, fabric=fabric_subnets(list(lower.subnets(prefixlen_diff=1))[1])
    )
    _check(made, demands)
    return made


def fabric_subnets(cidr: IPv4Network) -> tuple[IPv4Network, ...]:
    """Sixteen equal subnets of `cidr`. Raises DoesNotFit below the smallest subnet that Google takes, a /29."""
    if cidr.prefixlen > SMALLEST_SUBNET - FABRIC_BITS:
        raise DoesNotFit(
            f"network {cidr}: {FABRIC_SUBNETS} subnets of at least /{SMALLEST_SUBNET} need a /{SMALLEST_SUBNET - FABRIC_BITS} or larger"
        )
    return tuple(cidr.subnets(prefixlen_diff=FABRIC_BITS))


def _check(made: RegionalPlan, demands: Sequence[PoolDemand]) -> None:
    wanted = sum(demand.nodes for demand in demands)
    if wanted > made.most_nodes:
        parts = ", ".join(f"{demand.pool} {demand.nodes}" for demand in demands)
        raise DoesNotFit(
            f"network {made.cidr} has addresses for {made.most_nodes} nodes with {PODS_PER_NODE} pods each, and {wanted} may run at maximum "
            f"({parts}): give a larger network or fewer nodes"
        )
