"""Address plan of a cluster's own network: which block each zone gets, and whether the nodes at their maximum fit into it.

The network is cut into eight equal blocks. Block 0 holds the small subnets (NAT gateways), blocks 1 to 7 hold one zone's nodes and pods
each, in the order of the zones. Appending a zone therefore moves no existing subnet. Sizes of VPCs and subnets, and the five addresses
that AWS keeps in each, are from the Amazon VPC User Guide ("VPC CIDR blocks", "Subnet sizing for IPv4"); Azure keeps as many (Azure
Virtual Network FAQ). Two zones at least on AWS: an EKS control plane asks for subnets in two; Azure's subnets span zones, so one will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network

BLOCK_BITS = 3
MOST_ZONES = 2**BLOCK_BITS - 1
FEWEST_ZONES = 2
LARGEST_NETWORK = 16
SMALLEST_NETWORK = 22
"""Prefix lengths between which a plan is made: below /22 a zone has no room for a cluster."""
SMALL_SUBNET = 28
KEPT_BY_CLOUD = 5

POD_ADDRESSES_PER_NODE = 32
"""Addresses for pods and the network plugin's warm pool on one node (judgement)."""


class DoesNotFit(ValueError):
    """The network is too small, too large or badly split. The text says by how much and what would fit."""


@dataclass(frozen=True, kw_only=True)
class Demand:
    """Nodes of one pool in one zone at their maximum, each with interfaces that take a subnet address (`efa-only` ones take none, A6)."""

    pool: str
    zone: str
    nodes: int
    interfaces: int = 1
    pods: int = POD_ADDRESSES_PER_NODE

    @property
    def addresses(self) -> int:
        return self.nodes * (self.interfaces + self.pods)


@dataclass(frozen=True, kw_only=True)
class ZonePlan:
    zone: str
    nodes: IPv4Network
    """Private: nodes and pods."""
    public: IPv4Network
    """For a NAT gateway only."""

    @property
    def free(self) -> int:
        """Addresses that nodes and pods can have."""
        return self.nodes.num_addresses - KEPT_BY_CLOUD


@dataclass(frozen=True, kw_only=True)
class AddressPlan:
    cidr: IPv4Network
    zones: tuple[ZonePlan, ...]

    @property
    def small(self) -> IPv4Network:
        """Block 0, of which small subnets are cut."""
        return next(self.cidr.subnets(prefixlen_diff=BLOCK_BITS))

    def zone(self, name: str) -> ZonePlan:
        return next(z for z in self.zones if z.zone == name)


def plan(cidr: IPv4Network, zones: Sequence[str], demands: Sequence[Demand] = (), *, fewest: int = FEWEST_ZONES) -> AddressPlan:
    """The blocks of `cidr` for `zones`, of which there are `fewest` at least, after checking that every zone's demand fits.

    Raises DoesNotFit.
    """
    _check_network(cidr)
    _check_zones(zones, fewest)
    small, *blocks = cidr.subnets(prefixlen_diff=BLOCK_BITS)
    public = list(small.subnets(new_prefix=SMALL_SUBNET))
    made = AddressPlan(
        cidr=cidr,
        zones=tuple(ZonePlan(zone=zone, nodes=blocks[at], public=public[at]) for at, zone in enumerate(zones)),
    )
    for zone in made.zones:
        _check_demand(zone, [d for d in demands if d.zone == zone.zone])
    return made


def _check_network(cidr: IPv4Network) -> None:
    if not LARGEST_NETWORK <= cidr.prefixlen <= SMALLEST_NETWORK:
        raise DoesNotFit(
            f"network {cidr}: give a /{LARGEST_NETWORK} to /{SMALLEST_NETWORK} "
            f"(/{LARGEST_NETWORK} is the largest that a VPC takes, a /20 or larger suits training)"
        )


def _check_zones(zones: Sequence[str], fewest: int) -> None:
    if not fewest <= len(zones) <= MOST_ZONES:
        why = "; the control plane needs subnets in two" if fewest == FEWEST_ZONES else ""
        raise DoesNotFit(f"{len(zones)} zones: name {fewest} to {MOST_ZONES}{why}")
    if doubles := {z for z in zones if zones.count(z) > 1}:
        raise DoesNotFit(f"zones named twice: {', '.join(sorted(doubles))}")


def _check_demand(zone: ZonePlan, demands: Sequence[Demand]) -> None:
    wanted = sum(d.addresses for d in demands)
    if wanted > zone.free:
        parts = ", ".join(f"{d.pool} {d.nodes} nodes x {d.interfaces + d.pods} addresses" for d in demands)
        raise DoesNotFit(
            f"zone {zone.zone} has {zone.free} addresses in {zone.nodes} and would need {wanted} at maximum ({parts}): "
            f"give a larger network or fewer nodes"
        )
