"""Route tables, routes and associations."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import dependency, not_found, require_subnet, require_vpc
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_EC2 = "EC2 API reference, client error codes"
_DESTINATIONS = ("destinationCidrBlock", "destinationIpv6CidrBlock", "destinationPrefixListId")


def _require_table(order: Order) -> Record:
    table = order.get(t.ROUTE_TABLE, order.inputs.get("routeTableId"))
    if table is None:
        raise not_found("InvalidRouteTableID.NotFound", "routeTable", order.inputs.get("routeTableId"))
    return table


def _admit_table(order: Order) -> None:
    require_vpc(order)


def _admit_route(order: Order) -> None:
    table = _require_table(order)
    _admit_target(order)
    for other in order.peers():
        if other.state.get("routeTableId") == table.id and any(
            order.inputs.get(d) and other.state.get(d) == order.inputs.get(d) for d in _DESTINATIONS
        ):
            destination = next(order.inputs[d] for d in _DESTINATIONS if order.inputs.get(d))
            raise Refusal("RouteAlreadyExists", f"The route identified by {destination} already exists in {table.id}", source=_EC2)


def _admit_target(order: Order) -> None:
    for name, kind, code, what in (
        ("gatewayId", t.INTERNET_GATEWAY, "InvalidInternetGatewayID.NotFound", "internetGateway"),
        ("natGatewayId", t.NAT_GATEWAY, "InvalidNatGatewayID.NotFound", "NatGateway"),
        ("vpcEndpointId", t.VPC_ENDPOINT, "InvalidVpcEndpointId.NotFound", "vpc endpoint"),
    ):
        id_ = order.inputs.get(name)
        if id_ and order.get(kind, id_) is None:
            raise not_found(code, what, id_)


def _admit_association(order: Order) -> None:
    table = _require_table(order)
    if order.inputs.get("subnetId"):
        subnet = require_subnet(order, order.inputs["subnetId"])
        if subnet.state["vpcId"] != table.state["vpcId"]:
            raise Refusal("InvalidParameterValue", f"{table.id} and {subnet.id} belong to different networks", source=_EC2)
        for other in order.peers():
            if other.state.get("subnetId") == subnet.id:
                raise Refusal(
                    "Resource.AlreadyAssociated",
                    f"the specified association for route table {table.id} conflicts with an existing association of {subnet.id}",
                    source=_EC2,
                )


def _table_outputs(order: Order, id_: str) -> dict[str, Any]:
    return {
        "arn": order.arn("ec2", f"route-table/{id_}"),
        "ownerId": order.account,
        "routes": order.inputs.get("routes", []),
        "propagatingVgws": order.inputs.get("propagatingVgws", []),
    }


def _table_releases(world: Simulation, table: Record) -> None:
    for association in world.store.of_kind(t.ROUTE_TABLE_ASSOCIATION, table.key):
        if association.state.get("routeTableId") == table.id:
            raise dependency("routeTable", table.id, by=f"associated with {association.state.get('subnetId')}")


def _drop_routes(world: Simulation, table: Record) -> None:
    for route in world.store.of_kind(t.ROUTE, table.key):
        if route.state.get("routeTableId") == table.id:
            world.store.drop(route)


def _route_id(order: Order) -> str:
    """Terraform's own id: table and a hash of the destination; Pulumi imports by `rtb-…_DESTINATION`."""
    destination = next((str(order.inputs[d]) for d in _DESTINATIONS if order.inputs.get(d)), "")
    return f"r-{order.text('routeTableId')}{_hash(destination)}"


def _hash(text: str) -> int:
    """CRC32, as Terraform hashes strings."""
    return zlib.crc32(text.encode())


KINDS = (
    Kind(
        token=t.ROUTE_TABLE,
        replace=frozenset({"vpcId"}),
        identify=lambda order: order.world.new_id("rtb"),
        admit=_admit_table,
        outputs=_table_outputs,
        releases=_table_releases,
        deleted=_drop_routes,
    ),
    Kind(
        token=t.ROUTE,
        replace=frozenset({"routeTableId", *_DESTINATIONS}),
        identify=_route_id,
        admit=_admit_route,
        outputs=lambda *_: {"origin": "CreateRoute", "state": "active"},
    ),
    Kind(
        token=t.ROUTE_TABLE_ASSOCIATION,
        replace=frozenset({"subnetId", "gatewayId"}),
        identify=lambda order: order.world.new_id("rtbassoc"),
        admit=_admit_association,
    ),
)
