"""GPU-GKE: addresses of subnetworks: private ones, and enough for every node."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence

from components.inventory import NodePool, Subnetwork
from components.unknown import Maybe, Unknown, known
from policies.finding import Status

from .gke_pools import cluster_of, gke_pools
from .rule import Case, Rule, Scope, Verdict, cannot_tell, listed


def _public_ranges(case: Case) -> Iterator[Verdict]:
    """Addresses of others: 192.169.0.0/16 of a published blueprint is one such range."""
    for subnet in case.inventory.of_google(Subnetwork):
        if isinstance(subnet.cidr, Unknown):
            so = "it cannot be told whether it is private address space, and holds all nodes"
            yield cannot_tell(subnet.urn, subnet.cidr, subject=subnet.name, so=so)
            continue
        try:
            cidr = ipaddress.ip_network(subnet.cidr or "10.0.0.0/8", strict=False)
        except ValueError:
            continue
        if cidr.is_global:
            text = f"{subnet.name}: range {subnet.cidr} is public address space that belongs to others, whose hosts the nodes then cannot reach. "
            text += "Take one of 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10."
            yield Verdict(status=Status.VIOLATED, urn=subnet.urn, path="ipCidrRange", message=text)


# --- GPU-GKE-17


def _addresses(case: Case) -> Iterator[Verdict]:
    """A6: each node takes an address in the subnetwork of each of its interfaces."""
    subnets = {subnet.urn: subnet for subnet in case.inventory.of_google(Subnetwork)}
    wanted: dict[str, list[NodePool]] = {}
    for pool, gke in gke_pools(case):
        cluster = cluster_of(case, pool)
        used = {entry.subnet for entry in gke.extra_networks if isinstance(entry.subnet, str)} if known(gke.extra_networks) else set[str]()
        if cluster is not None and isinstance(cluster.subnet, str):
            used.add(cluster.subnet)
        for urn in used & subnets.keys():
            wanted.setdefault(urn, []).append(pool)
    for urn, pools in wanted.items():
        yield from _full(subnets[urn], pools)


def _full(subnet: Subnetwork, pools: Sequence[NodePool]) -> Iterator[Verdict]:
    free = _free(subnet.cidr)
    nodes = sum(count for pool in pools if known(count := pool.nodes.with_surge))
    if free is not None and nodes > free:
        text = f"{subnet.name}: {free} addresses in {subnet.cidr}, and up to {nodes} nodes of {listed(sorted(pool.name for pool in pools))} with an update's "
        text += "extra ones. Nodes beyond stay away with IP_SPACE_EXHAUSTED. Take a larger range, such as a /20."
        yield Verdict(status=Status.VIOLATED, urn=subnet.urn, path="ipCidrRange", message=text)


def _free(cidr: Maybe[str | None]) -> int | None:
    """Addresses that nodes may take; None where the range is not known or none. Google keeps four of each range."""
    try:
        return ipaddress.ip_network(cidr, strict=False).num_addresses - 4 if isinstance(cidr, str) else None
    except ValueError:
        return None


RULES = (
    Rule(
        id="GPU-GKE-09",
        title="Subnetworks use private address ranges",
        failures=(),
        scope=Scope.RESOURCE,
        check=_public_ranges,
        fix="ipCidrRange: 10.64.0.0/20",
    ),
    Rule(
        id="GPU-GKE-17",
        title="Subnetworks have an address for every node",
        failures=("A6",),
        scope=Scope.STACK,
        check=_addresses,
        fix="ipCidrRange: 10.0.0.0/20 for up to 4092 nodes",
    ),
)
