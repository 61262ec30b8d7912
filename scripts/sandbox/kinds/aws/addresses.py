"""Ways in and out of a network: internet gateways, elastic addresses, NAT gateways, endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import interface
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import not_found, require_subnet, require_vpc
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_EC2 = "EC2 API reference, client error codes"


def _admit_gateway(order: Order) -> None:
    if not order.inputs.get("vpcId"):
        return
    vpc = require_vpc(order)
    for other in order.peers():
        if other.state.get("vpcId") == vpc.id:
            raise Refusal("Resource.AlreadyAssociated", f"resource {vpc.id} is already associated with {other.id}", source=_EC2)


def _gateway_releases(world: Simulation, gateway: Record) -> None:
    for nat in world.store.of_kind(t.NAT_GATEWAY, gateway.key):
        if nat.state.get("vpcId") == gateway.state.get("vpcId") and nat.state.get("publicIp"):
            raise Refusal(
                "DependencyViolation",
                f"Network {gateway.state.get('vpcId')} has some mapped public address(es) ({nat.id}). Please unmap those public address(es) "
                "before detaching the gateway.",
                source="cloud-nuke #818, #923",
            )


def _eip_outputs(order: Order, id_: str) -> dict[str, Any]:
    digits = int(id_.split("-")[1][:4], 16)
    address = f"198.51.100.{digits % 254 + 1}"  # TEST-NET-2: never a real host
    return {
        "arn": order.arn("ec2", f"elastic-ip/{id_}"),
        "allocationId": id_,
        "publicIp": address,
        "publicDns": f"ec2-{address.replace('.', '-')}.compute.invalid",
        "domain": order.text("domain", "vpc"),
        "publicIpv4Pool": "amazon",
        "networkBorderGroup": order.region,
    }


def _eip_releases(world: Simulation, address: Record) -> None:
    for nat in world.store.of_kind(t.NAT_GATEWAY, address.key):
        if nat.state.get("allocationId") == address.id:
            raise Refusal("InvalidIPAddress.InUse", f"The address {address.state['publicIp']} is in use by {nat.id}", source=_EC2)


def _admit_nat(order: Order) -> None:
    require_subnet(order, order.inputs.get("subnetId"))
    public = order.text("connectivityType", "public") == "public"
    allocation = order.inputs.get("allocationId")
    if public and allocation is None:
        raise Refusal("MissingParameter", "The request must contain the parameter AllocationId", source=_EC2)
    if not public and allocation is not None:
        raise Refusal(
            "InvalidParameter",
            'allocation_id is not supported with connectivity_type = "private"',
            source="Terraform AWS provider, vpc_nat_gateway.go: resourceNATGatewayCustomizeDiff",
        )
    if public and order.get(t.EIP, allocation) is None:
        raise not_found("InvalidAllocationID.NotFound", "allocation", allocation)
    for other in order.peers():
        if allocation is not None and other.state.get("allocationId") == allocation:
            raise Refusal(
                "Resource.AlreadyAssociated", f"Elastic IP address [{allocation}] is already associated with {other.id}", source=_EC2
            )


def _nat_outputs(order: Order, _: str) -> dict[str, Any]:
    subnet = require_subnet(order, order.inputs.get("subnetId"))
    address = order.get(t.EIP, order.inputs.get("allocationId"))
    return {
        "connectivityType": order.text("connectivityType", "public"),
        "publicIp": address.state["publicIp"] if address else "",
        "vpcId": subnet.state["vpcId"],
    }


def _with_interface(order: Order, nat: Record) -> None:
    subnet = require_subnet(order, order.inputs.get("subnetId"))
    made = interface.attach(
        order.world,
        nat,
        subnet,
        interface.Port(description=f"Interface for NAT Gateway {nat.id}", kind="nat_gateway", managed_by="amazon-aws"),
    )
    order.world.store.put(nat.with_state(networkInterfaceId=made.id, privateIp=made.state["privateIp"]))


def _admit_endpoint(order: Order) -> None:
    vpc = require_vpc(order)
    for subnet in order.inputs.get("subnetIds", ()):
        if require_subnet(order, subnet).state["vpcId"] != vpc.id:
            raise Refusal("InvalidSubnetID.NotFound", f"The subnet '{subnet}' is not in {vpc.id}", source=_EC2)
    for group in order.inputs.get("securityGroupIds", ()):
        if order.get(t.SECURITY_GROUP, group) is None:
            raise not_found("InvalidGroup.NotFound", "security group", group)
    if order.text("vpcEndpointType", "Gateway") == "Gateway":
        for table in order.inputs.get("routeTableIds", ()):
            if order.get(t.ROUTE_TABLE, table) is None:
                raise not_found("InvalidRouteTableId.NotFound", "route table", table)
    for other in order.peers():
        same = other.state.get("vpcId") == vpc.id and other.state.get("serviceName") == order.inputs.get("serviceName")
        if same and order.text("vpcEndpointType", "Gateway") == "Interface" and order.inputs.get("privateDnsEnabled"):
            raise Refusal(
                "InvalidParameter",
                f"private-dns-enabled cannot be set because there is already a conflicting DNS domain for {order.text('serviceName')} in {vpc.id}",
                source=_EC2,
            )


def _endpoint_outputs(order: Order, id_: str) -> dict[str, Any]:
    return {
        "arn": order.arn("ec2", f"vpc-endpoint/{id_}"),
        "ownerId": order.account,
        "vpcEndpointType": order.text("vpcEndpointType", "Gateway"),
        "state": "available",
        "prefixListId": order.world.new_id("pl", 8)
        if order.text("vpcEndpointType", "Gateway") == "Gateway" and order.before is None
        else "",
        "privateDnsEnabled": order.inputs.get("privateDnsEnabled", False),
        "requesterManaged": False,
        "dnsEntries": [],
        "networkInterfaceIds": [],
    }


def _endpoint_interfaces(order: Order, endpoint: Record) -> None:
    if endpoint.state["vpcEndpointType"] != "Interface":
        return
    made = [
        interface.attach(order.world, endpoint, require_subnet(order, subnet), interface.Port(description=f"VPC Endpoint Interface {endpoint.id}",
            kind="vpc_endpoint", groups=order.inputs.get("securityGroupIds", ()), managed_by="amazon-aws")).id
        for subnet in order.inputs.get("subnetIds", ())
    ]  # fmt: skip
    order.world.store.put(endpoint.with_state(networkInterfaceIds=made))


KINDS = (
    Kind(
        token=t.INTERNET_GATEWAY,
        identify=lambda order: order.world.new_id("igw"),
        admit=_admit_gateway,
        outputs=lambda order, id_: {"arn": order.arn("ec2", f"internet-gateway/{id_}"), "ownerId": order.account},
        releases=_gateway_releases,
    ),
    Kind(
        token=t.EIP,
        replace=frozenset({"domain", "address", "publicIpv4Pool", "networkBorderGroup"}),
        identify=lambda order: order.world.new_id("eipalloc"),
        outputs=_eip_outputs,
        releases=_eip_releases,
    ),
    Kind(
        token=t.NAT_GATEWAY,
        replace=frozenset({"allocationId", "connectivityType", "privateIp", "subnetId", "secondaryPrivateIpAddressCount"}),
        create_seconds=90,
        delete_seconds=60,
        identify=lambda order: order.world.new_id("nat"),
        admit=_admit_nat,
        outputs=_nat_outputs,
        created=_with_interface,
    ),
    Kind(
        token=t.VPC_ENDPOINT,
        replace=frozenset({"vpcId", "serviceName", "vpcEndpointType", "serviceRegion", "resourceConfigurationArn", "serviceNetworkArn"}),
        create_seconds=30,
        identify=lambda order: order.world.new_id("vpce"),
        admit=_admit_endpoint,
        outputs=_endpoint_outputs,
        created=_endpoint_interfaces,
    ),
)
