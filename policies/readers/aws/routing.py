"""Subnets and route tables, with their routes and endpoints in every form: inline, one resource a route, associations apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from components.inventory import RouteTable, Subnet
from components.resource import Resource, Value
from components.unknown import Maybe, Unknown, known
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import any_of, flag, items, text

T = TypeVar("T")
Routes = Mapping[str | None, Sequence[Resource]]
"""Resources by the URN of their route table; None for those whose table cannot be told."""


def read_subnet(subnet: Resource, program: Program) -> Iterator[Subnet]:
    tables = program.once(_tables_of_subnets)
    public = flag(subnet.read("mapPublicIpOnLaunch"), "mapPublicIpOnLaunch")
    yield Subnet(
        urn=subnet.urn,
        name=subnet.name,
        cidr=text(subnet.read("cidrBlock"), "cidrBlock"),
        public_addresses=False if public is None else public,
        route_table=tables.get(subnet.urn),
    )


def read_route_table(table: Resource, program: Program) -> Iterator[RouteTable]:
    own, apart = _inline(table), program.once(_routes)
    routes = [*apart.get(table.urn, ()), *apart.get(None, ())]

    def leads(judge: Callable[[Resource, Value, str], Maybe[bool]]) -> Maybe[bool]:
        if isinstance(own, Unknown):
            return own
        within = [judge(table, table.read("routes", i), "routes") for i in range(len(own))]
        outside = [judge(route, dict(route.inputs), "") for route in routes]
        return any_of([*within, *outside])

    yield RouteTable(
        urn=table.urn,
        name=table.name,
        nat=leads(_through_nat),
        internet=leads(lambda owner, route, prop: _to_internet(owner, route, prop, program)),
        object_storage=_to_storage(table, program),
    )


def _inline(table: Resource) -> Maybe[tuple[Value, ...]]:
    return items(table.read("routes"), "routes")


def _target(route: Value, key: str) -> Value:
    if isinstance(route, Mapping):
        return route.get(key)  # type: ignore[no-any-return]
    return route if isinstance(route, Unknown) else None


def _through_nat(_owner: Resource, route: Value, _prop: str) -> Maybe[bool]:
    """A route that names a NAT gateway, known or to come."""
    if isinstance(route, Unknown):
        return route
    return _target(route, "natGatewayId") not in (None, "")


def _to_internet(owner: Resource, route: Value, prop: str, program: Program) -> Maybe[bool]:
    """A gateway may be one to the internet or to a private network: its id or the resource that it refers to tells."""
    if isinstance(route, Unknown):
        return route
    gateway = _target(route, "gatewayId")
    if gateway in (None, "", "local"):
        return False
    if isinstance(gateway, str) and gateway.startswith(("igw-", "vgw-")):
        return gateway.startswith("igw-")
    if program.resources.referred(owner, prop or "gatewayId", types.INTERNET_GATEWAY):
        return True
    return Unknown("gatewayId", "a gateway whose kind cannot be told")


def _to_storage(table: Resource, program: Program) -> Maybe[bool]:
    """Whether a gateway endpoint to S3 stands on this table."""
    reached = program.once(_storage)
    return True if table.urn in reached.tables else False if reached.doubt is None else reached.doubt


@dataclass(frozen=True)
class _Storage:
    """Where gateway endpoints to S3 lead, over all endpoints of the program."""

    tables: frozenset[str]
    doubt: Unknown | None
    """The first thing that hides another table."""


def _storage(program: Program) -> _Storage:
    reached = [found for endpoint in program.resources.of_type(types.VPC_ENDPOINT) for found in _reached(endpoint, program)]
    return _Storage(frozenset(t for t in reached if known(t)), next((t for t in reached if isinstance(t, Unknown)), None))


def _reached(endpoint: Resource, program: Program) -> Iterator[Maybe[str]]:
    """Route tables to which the endpoint brings S3."""
    service, kind = text(endpoint.read("serviceName"), "serviceName"), text(endpoint.read("vpcEndpointType"), "vpcEndpointType")
    if isinstance(service, Unknown) or isinstance(kind, Unknown):
        yield from (fact for fact in (service, kind) if isinstance(fact, Unknown))
        return
    if not (service or "").endswith(".s3") or kind not in (None, "Gateway"):
        return
    listed = items(endpoint.read("routeTableIds"), "routeTableIds")
    if isinstance(listed, Unknown):
        yield from (found.urn for found in program.resources.referred(endpoint, "routeTableIds", *types.ROUTE_TABLES))
        yield listed
        return
    yield from program.references(endpoint, "routeTableIds", listed, "routeTableIds", *types.ROUTE_TABLES)
    yield from program.once(_associated).get(endpoint.urn, ())


def _associated(program: Program) -> Mapping[str, Sequence[str]]:
    """URNs of route tables by that of the endpoint with which a resource of its own joins them."""
    found: dict[str, list[str]] = {}
    for one in program.resources.of_type(types.ENDPOINT_ASSOCIATION):
        tables = [table.urn for table in program.resources.referred(one, "routeTableId", *types.ROUTE_TABLES)]
        for endpoint in program.resources.referred(one, "vpcEndpointId", types.VPC_ENDPOINT):
            found.setdefault(endpoint.urn, []).extend(tables)
    return found


def _routes(program: Program) -> Routes:
    found: dict[str | None, list[Resource]] = {}
    for route in program.resources.of_type(types.ROUTE):
        owner = program.reference(route, "routeTableId", route.read("routeTableId"), *types.ROUTE_TABLES)
        found.setdefault(owner if known(owner) else None, []).append(route)
    return found


def _tables_of_subnets(program: Program) -> Mapping[str, Maybe[str]]:
    """URN of the route table by that of the subnet. A table outside the program stays by its id."""
    found: dict[str, Maybe[str]] = {}
    for one in program.resources.of_type(types.TABLE_ASSOCIATION):
        subnet = program.reference(one, "subnetId", one.read("subnetId"), types.SUBNET)
        if known(subnet):
            found[subnet] = program.reference(one, "routeTableId", one.read("routeTableId"), *types.ROUTE_TABLES)
    return found
