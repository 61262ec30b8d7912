"""GPU-NET: storage traffic past the NAT, addresses enough for the maximum, private subnets, and a way out for what is built on nodes."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping

from components.inventory import Interfaces, NodePool, Owner, RouteTable, Subnet
from components.unknown import Maybe, Unknown, known
from policies.readers.charts import switched
from policies.readers.gpu_stack import OPERATOR
from policies.readers.values import all_of, any_of, denied, mapped

from .clusters import charts_of
from .pools import nvidia_pools, place
from .rule import Case, Place, Rule, Scope, Verdict, judged

KEPT_BY_CLOUD = 5
"""Addresses of every subnet that AWS keeps for itself."""


def _storage_past_nat(case: Case) -> Iterator[Verdict]:
    so = "it cannot be told whether storage traffic of the region goes through a NAT gateway"
    for table in case.inventory.route_tables:
        text = (
            "routes through a NAT gateway, and no gateway endpoint for S3 on this route table. All storage traffic of the region, image layers "
            "included, is then billed by the gigabyte: the largest line of such a stack. Add a VPC endpoint of type Gateway for S3, which is "
            "free, and list this route table."
        )
        wrong = all_of([table.nat, denied(table.object_storage)])
        yield from judged(wrong, Place(table.urn, table.name, "routes"), text, so)


def _addresses(case: Case) -> Iterator[Verdict]:
    """A6: pools that share their subnets share their addresses."""
    subnets = {subnet.urn: subnet for subnet in case.inventory.subnets}
    sharing: dict[tuple[str, ...], list[NodePool]] = {}
    for pool in case.inventory.pools:
        if known(pool.subnets) and pool.subnets and all(known(s) and s in subnets for s in pool.subnets):
            sharing.setdefault(tuple(sorted(str(s) for s in pool.subnets)), []).append(pool)
    so = "it cannot be told whether its subnets have addresses for all nodes"
    per_pods = case.settings.limits.thresholds.pod_addresses_per_node
    for urns, pools in sharing.items():
        free, needed = _sum(_free(subnets[urn]) for urn in urns), _sum(_needed(pool, per_pods) for pool in pools)
        names = ", ".join(subnets[urn].name for urn in urns)
        text = (
            f"{_shown(needed)} addresses at maximum (interfaces, and {per_pods} a node for pods: thresholds.pod_addresses_per_node), but {names} "
            f"has {_shown(free)}. Nodes or pods beyond that get no address. Take a larger subnet, /20 and up for training, or `efa-only` "
            "interfaces, which take none."
        )
        wrong = _more(needed, free)
        yield from judged(wrong, place(pools[0], "subnetIds"), text, so)


def _more(needed: Maybe[int], free: Maybe[int]) -> Maybe[bool]:
    if isinstance(needed, Unknown) or isinstance(free, Unknown):
        return needed if isinstance(needed, Unknown) else free if isinstance(free, Unknown) else False
    return needed > free


def _sum(numbers: Iterator[Maybe[int]]) -> Maybe[int]:
    total = 0
    for number in numbers:
        if isinstance(number, Unknown):
            return number
        total += number
    return total


def _shown(number: Maybe[int]) -> str:
    return "an unknown number of" if isinstance(number, Unknown) else f"{number:,}"


def _free(subnet: Subnet) -> Maybe[int]:
    if isinstance(subnet.cidr, Unknown) or subnet.cidr is None:
        return Unknown("cidrBlock", f"not given by {subnet.name!r}") if subnet.cidr is None else subnet.cidr
    try:
        return max(ipaddress.ip_network(subnet.cidr, strict=False).num_addresses - KEPT_BY_CLOUD, 0)
    except ValueError:
        return Unknown("cidrBlock", f"not readable: no address block ({subnet.name!r})")


def _needed(pool: NodePool, per_pods: int) -> Maybe[int]:
    interfaces = _addressed(pool.interfaces)
    if isinstance(interfaces, Unknown):
        return interfaces
    return mapped(pool.nodes.with_surge, lambda nodes: nodes * (interfaces + per_pods))


def _addressed(interfaces: Interfaces | None) -> Maybe[int]:
    """Interfaces of a node that take an address: all but `efa-only` ones."""
    if interfaces is None:
        return 1
    if isinstance(interfaces.items, Unknown):
        return interfaces.items
    unknown = next((item.kind for item in interfaces.items if isinstance(item.kind, Unknown)), None)
    return sum(item.kind != "efa-only" for item in interfaces.items) if unknown is None else unknown


def _public_subnets(case: Case) -> Iterator[Verdict]:
    """A7: EC2 gives no public address to an instance with several interfaces, so that in a public subnet it has no way out."""
    subnets = {subnet.urn: subnet for subnet in case.inventory.subnets}
    tables = {table.urn: table for table in case.inventory.route_tables}
    so = "it cannot be told whether its subnets are private"
    for pool in case.inventory.gpu_pools:
        if pool.interfaces is None or isinstance(pool.interfaces.items, Unknown) or len(pool.interfaces.items) < 2:
            continue
        text = (
            "instances with several interfaces in a public subnet. They get no public address, so that they reach nothing through its internet "
            "gateway and never join the cluster. Take a private subnet with a NAT gateway or endpoints."
        )
        yield from judged(any_of(_is_public(urn, subnets, tables) for urn in _listed(pool)), place(pool, "subnetIds"), text, so)


def _listed(pool: NodePool) -> tuple[Maybe[str], ...]:
    """Subnets of the pool that this program makes; of others nothing is said."""
    return () if isinstance(pool.subnets, Unknown) else pool.subnets


def _is_public(urn: Maybe[str], subnets: Mapping[str, Subnet], tables: Mapping[str, RouteTable]) -> Maybe[bool]:
    subnet = subnets.get(urn) if known(urn) else None
    if subnet is None:
        return False
    table = tables.get(subnet.route_table) if isinstance(subnet.route_table, str) else None
    return any_of([subnet.public_addresses, table.internet if table is not None else False])


def _way_out(case: Case) -> Iterator[Verdict]:
    """C14: the operator builds the driver on the node, from the distribution's mirrors."""
    subnets = {subnet.urn: subnet for subnet in case.inventory.subnets}
    tables = {table.urn: table for table in case.inventory.route_tables}
    for pool in nvidia_pools(case):
        if pool.driver_owners != (Owner.GPU_OPERATOR,):
            continue
        closed = all_of(_is_closed(urn, subnets, tables) for urn in _listed(pool)) if _listed(pool) else False
        builds = any_of(denied(switched(chart, OPERATOR, "driver.usePrecompiled")) for chart in charts_of(case, OPERATOR, pool.cluster))
        text = (
            "the GPU Operator builds the driver on nodes whose subnets have no way to the internet: kernel headers and packages come from the "
            "distribution's mirrors, so that the driver pod times out. Add a NAT gateway, take an image that ships the driver, or set "
            "driver.usePrecompiled with a mirror of the images."
        )
        yield from judged(
            all_of([closed, builds]), place(pool, "subnetIds"), text, "it cannot be told whether its nodes reach the driver's packages"
        )


def _is_closed(urn: Maybe[str], subnets: Mapping[str, Subnet], tables: Mapping[str, RouteTable]) -> Maybe[bool]:
    """A subnet of this program whose route table is of this program too and leads nowhere."""
    subnet = subnets.get(urn) if known(urn) else None
    table = tables.get(subnet.route_table) if subnet is not None and isinstance(subnet.route_table, str) else None
    return False if table is None else denied(any_of([table.nat, table.internet]))


RULES = (
    Rule(
        id="GPU-NET-01",
        title="Storage traffic of the region does not go through a NAT gateway",
        failures=("J4",),
        scope=Scope.STACK,
        check=_storage_past_nat,
        fix="ec2.VpcEndpoint with serviceName com.amazonaws.<region>.s3, vpcEndpointType Gateway and every private route table",
    ),
    Rule(
        id="GPU-NET-02",
        title="Subnets have addresses for the maximum",
        failures=("A6",),
        scope=Scope.STACK,
        check=_addresses,
        fix="a /20 for each training subnet; interfaces beyond the first as efa-only",
        parameters=("thresholds.pod_addresses_per_node",),
    ),
    Rule(
        id="GPU-NET-03",
        title="Nodes with several interfaces stand in private subnets",
        failures=("A7",),
        scope=Scope.STACK,
        check=_public_subnets,
        fix="subnets whose route table leads through a NAT gateway, mapPublicIpOnLaunch left out",
    ),
    Rule(
        id="GPU-NET-04",
        title="Nodes that build their driver reach its packages",
        failures=("C14",),
        scope=Scope.STACK,
        check=_way_out,
        fix="amiType AL2023_x86_64_NVIDIA, which ships the driver, or a route through a NAT gateway",
    ),
)
