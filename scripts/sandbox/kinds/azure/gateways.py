"""Ways out of a network and into services: public addresses, NAT gateways, security groups, route tables, private endpoints, private zones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripts.arm_paths import name_of
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import all_of, find, nested, path_of, reference, require, resource, set_state
from scripts.sandbox.kinds.azure.interfaces import Port, attach
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_NAT = "Azure NAT Gateway documentation, basics and limitations: standard SKU addresses only, one zone"
_STILL_USED = "stackshy/cloudemu#967: Azure's InUse*CannotBeDeleted"


def _ip_outputs(order: Order, _: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    digits = int(order.world.new_id("", 4), 16)
    return {
        "ipAddress": before.get("ipAddress") or f"198.51.100.{digits % 254 + 1}",  # TEST-NET-2: never a real host
        "publicIPAllocationMethod": order.text("publicIPAllocationMethod", "Dynamic"),
        "publicIPAddressVersion": order.text("publicIPAddressVersion", "IPv4"),
        "idleTimeoutInMinutes": order.inputs.get("idleTimeoutInMinutes", 4),
        "resourceGuid": before.get("resourceGuid") or order.world.new_id("", 32),
    }


def _ip_releases(world: Simulation, address: Record) -> None:
    for kind, field in ((t.NAT_GATEWAY, "publicIpAddresses"), (t.INTERFACE, "publicAddresses")):
        for user in all_of(world, kind, address):
            if any(reference(each).lower() == address.id.lower() for each in user.state.get(field) or ()):
                raise Refusal(
                    "PublicIPAddressCannotBeDeleted",
                    f"Public IP address {address.id} can not be deleted since it is still allocated to resource {user.id}. In order to delete the "
                    "public IP, disassociate/detach the Public IP address from the resource. To learn how to do this, see aka.ms/deletepublicip.",
                    source="hashicorp/terraform-provider-azurerm#6052",
                )


def _admit_nat(order: Order) -> None:
    if len(order.inputs.get("zones") or ()) > 1:
        raise Refusal("InvalidAvailabilityZone", f"NAT gateway {order.text('natGatewayName')} takes one zone.", source=_NAT)
    for each in order.inputs.get("publicIpAddresses") or ():
        address = require(order.world, reference(each), by=path_of(order))
        sku = (address.inputs.get("sku") or {}).get("name", "Basic")
        if sku == "Basic":
            raise Refusal(
                "NatGatewayCannotBeUsedByBasicSkuPublicIp",
                f"NAT gateway {path_of(order)} cannot use the basic SKU public IP address {address.id}.",
                source=_NAT,
            )
        for other in order.peers():
            if any(reference(used).lower() == address.id.lower() for used in other.state.get("publicIpAddresses") or ()):
                raise Refusal("PublicIPAddressInUse", f"Resource {path_of(order)} is referencing public IP address {address.id} that is already "
                              f"allocated to resource {other.id}.", source=_NAT)  # fmt: skip


def _nat_releases(world: Simulation, gateway: Record) -> None:
    users = _subnets_with(world, gateway, "natGateway")
    if users:
        raise Refusal(
            "CannotDeleteNatGatewayAssociatedToSubnet",
            f"NAT Gateway {gateway.id} is still configured on {len(users)} subnets. Remove NAT Gateway from all referenced subnets and then delete "
            "NAT Gateway.",
            source="Azure-Samples/Copilot-Studio-with-Azure-AI-Search#62",
        )


def _subnets_with(world: Simulation, target: Record, field: str) -> list[Record]:
    return [s for s in all_of(world, t.SUBNET, target) if reference(s.state.get(field)).lower() == target.id.lower()]


def _security_group_releases(world: Simulation, group: Record) -> None:
    users = _subnets_with(world, group, "networkSecurityGroup")
    users += [i for i in all_of(world, t.INTERFACE, group) if reference(i.state.get("networkSecurityGroup")).lower() == group.id.lower()]
    if users:
        raise Refusal(
            "InUseNetworkSecurityGroupCannotBeDeleted",
            f"Network security group {group.id} cannot be deleted because it is in use by {users[0].id}.",
            source=_STILL_USED,
        )


def _route_table_releases(world: Simulation, table: Record) -> None:
    users = _subnets_with(world, table, "routeTable")
    if users:
        raise Refusal(
            "InUseRouteTableCannotBeDeleted",
            f"Route table {name_of(table.id)} is in use and cannot be deleted: {users[0].id}.",
            source=_STILL_USED,
        )


def _admit_endpoint(order: Order) -> None:
    subnet = reference(order.inputs.get("subnet"))
    require(order.world, subnet, by=path_of(order))
    for connection in order.inputs.get("privateLinkServiceConnections") or ():
        require(order.world, connection.get("privateLinkServiceId"), by=path_of(order))


def _endpoint_outputs(order: Order, _: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    return {
        "subnetId": reference(order.inputs.get("subnet")),
        "networkInterfaces": before.get("networkInterfaces", []),
        "customDnsConfigs": before.get("customDnsConfigs", []),
    }


def _endpoint_interface(order: Order, endpoint: Record) -> None:
    subnet = require(order.world, endpoint.state["subnetId"], by=endpoint.id)
    name = order.text("customNetworkInterfaceName") or f"{name_of(endpoint.id)}.nic.{order.world.new_id('', 8)}"
    made = attach(order.world, endpoint, subnet, Port(name=name))
    set_state(order.world, endpoint, networkInterfaces=[{"id": made.id}])


def _admit_zone_group(order: Order) -> None:
    for config in order.inputs.get("privateDnsZoneConfigs") or ():
        require(order.world, config.get("privateDnsZoneId"), by=path_of(order))


def _zone_outputs(_: Order, __: str) -> dict[str, Any]:
    return {"location": "global", "maxNumberOfVirtualNetworkLinks": 1000, "numberOfRecordSets": 1, "numberOfVirtualNetworkLinks": 0}


def _zone_releases(world: Simulation, zone: Record) -> None:
    link = next((r for r in nested(world, zone) if r.kind == t.ZONE_LINK), None)
    if link is not None:
        below = link.id.rpartition("/providers/")[2]
        raise Refusal(
            "CannotDeleteResource",
            f"Cannot delete resource while nested resources exist. Some existing nested resource IDs include: '{below}'. Please delete all nested "
            "resources before deleting this resource.",
            source="learntocloud/networking-lab#8, DefangLabs/pulumi-defang#245",
            status=409,
        )


def _admit_link(order: Order) -> None:
    network = reference(order.inputs.get("virtualNetwork"))
    require(order.world, network, by=path_of(order))


def _admit_flow_log(order: Order) -> None:
    for field in ("targetResourceId", "storageId"):
        require(order.world, order.inputs.get(field), by=path_of(order))


def _flow_log_outputs(order: Order, _: str) -> dict[str, Any]:
    target = find(order.world, order.inputs.get("targetResourceId"))
    return {"targetResourceGuid": str(target.state.get("resourceGuid", "")) if target else ""}


KINDS = (
    resource(
        t.PUBLIC_IP,
        outputs=_ip_outputs,
        releases=_ip_releases,
        replace={"publicIPAddressVersion", "publicIPPrefix", "sku", "zones"},
    ),
    resource(t.NAT_GATEWAY, admit=_admit_nat, releases=_nat_releases, replace={"zones"}, create_seconds=20, delete_seconds=15),
    resource(t.SECURITY_GROUP, releases=_security_group_releases),
    resource(t.ROUTE_TABLE, releases=_route_table_releases),
    resource(
        t.PRIVATE_ENDPOINT,
        admit=_admit_endpoint,
        outputs=_endpoint_outputs,
        created=_endpoint_interface,
        replace={"subnet"},
        moving={"networkInterfaces", "customDnsConfigs"},
        create_seconds=40,
        delete_seconds=30,
    ),
    resource(t.LOAD_BALANCER, replace={"sku"}),
    resource(t.ZONE_GROUP, admit=_admit_zone_group, create_seconds=20),
    resource(t.PRIVATE_ZONE, outputs=_zone_outputs, releases=_zone_releases, create_seconds=30, delete_seconds=20),
    resource(t.ZONE_LINK, admit=_admit_link, replace={"virtualNetwork"}, create_seconds=30, delete_seconds=20),
    resource(t.FLOW_LOG, admit=_admit_flow_log, outputs=_flow_log_outputs),
)
