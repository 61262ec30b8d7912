"""VPCs and subnets: addresses that fit and do not overlap, zones of the region, and what keeps them from being deleted."""

from __future__ import annotations

from ipaddress import IPv4Network, ip_network
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_EC2 = "EC2 API reference, common client errors"


def not_found(code: str, what: str, id_: object) -> Refusal:
    return Refusal(code, f"The {what} ID '{id_}' does not exist", source=_EC2)


def dependency(what: str, id_: str, *, by: str) -> Refusal:
    """K5, K6: something in the network still needs it."""
    return Refusal(
        "DependencyViolation",
        f"The {what} '{id_}' has dependencies and cannot be deleted: {by}",
        source="K5: terraform-aws-eks#2048, cloud-nuke#818",
    )


def require_vpc(order: Order) -> Record:
    vpc = order.get(t.VPC, order.inputs.get("vpcId"))
    if vpc is None:
        raise not_found("InvalidVpcID.NotFound", "vpc", order.inputs.get("vpcId"))
    return vpc


def require_subnet(order: Order, id_: object) -> Record:
    subnet = order.get(t.SUBNET, id_)
    if subnet is None:
        raise not_found("InvalidSubnetID.NotFound", "subnet", id_)
    return subnet


def network_of(text: object, parameter: str) -> IPv4Network:
    try:
        network = ip_network(str(text))
    except ValueError as error:
        raise Refusal("InvalidParameterValue", f"Value ({text}) for parameter {parameter} is invalid: {error}", source=_EC2) from error
    if not isinstance(network, IPv4Network):
        raise Refusal("InvalidParameterValue", f"Value ({text}) for parameter {parameter} is not an IPv4 block", source=_EC2)
    return network


def _admit_vpc(order: Order) -> None:
    block = network_of(order.inputs.get("cidrBlock"), "cidrBlock")
    if not 16 <= block.prefixlen <= 28:
        raise Refusal(
            "InvalidVpc.Range",
            f"The CIDR '{block}' is invalid: between /16 and /28",
            source="Terraform AWS provider, vpc_.go: IsCIDRNetwork(16, 28)",
        )


def _vpc_outputs(order: Order, id_: str) -> dict[str, Any]:
    world = order.world
    made = {
        "arn": order.arn("ec2", f"vpc/{id_}"),
        "ownerId": order.account,
        "instanceTenancy": order.text("instanceTenancy", "default"),
        "enableDnsSupport": order.inputs.get("enableDnsSupport", True),
        "enableDnsHostnames": order.inputs.get("enableDnsHostnames", False),
    }
    if order.before is not None:
        return made
    table = world.new_id("rtb")
    return {
        **made,
        "defaultRouteTableId": table,
        "mainRouteTableId": table,
        "defaultSecurityGroupId": world.new_id("sg"),
        "defaultNetworkAclId": world.new_id("acl"),
        "dhcpOptionsId": world.new_id("dopt"),
    }


def _with_defaults(order: Order, vpc: Record) -> None:
    """Each VPC comes with a main route table and a default security group, which go with it."""
    at = order.world.tick()
    place, state = order.place.key, vpc.state
    order.world.store.put(
        Record(
            kind=t.ROUTE_TABLE, key=place, id=str(state["mainRouteTableId"]), parent=vpc.ref, created=at, status="available",
            state={"vpcId": vpc.id, "main": True, "routes": []},
        )
    )  # fmt: skip
    order.world.store.put(
        Record(
            kind=t.SECURITY_GROUP, key=place, id=str(state["defaultSecurityGroupId"]), parent=vpc.ref, created=at, status="available",
            state={"vpcId": vpc.id, "name": "default", "description": "default VPC security group", "default": True},
        )
    )  # fmt: skip


def _vpc_releases(world: Simulation, vpc: Record) -> None:
    for kind in (t.SUBNET, t.NAT_GATEWAY, t.VPC_ENDPOINT, t.SECURITY_GROUP, t.ROUTE_TABLE, t.NETWORK_INTERFACE, t.INTERNET_GATEWAY):
        for record in world.store.of_kind(kind, vpc.key):
            if record.state.get("vpcId") == vpc.id and record.parent != vpc.ref:
                raise dependency("vpc", vpc.id, by=record.id)


def _admit_subnet(order: Order) -> None:
    vpc = require_vpc(order)
    zone = order.text("availabilityZone")
    if zone and not (zone.startswith(order.region) and len(zone) == len(order.region) + 1 and zone[-1].isalpha()):
        raise Refusal(
            "InvalidParameterValue",
            f"Value ({zone}) for parameter availabilityZone is invalid: {order.region} has zones such as {order.region}a",
            source=_EC2,
        )
    block = network_of(order.inputs.get("cidrBlock"), "cidrBlock")
    if not block.subnet_of(network_of(vpc.state["cidrBlock"], "cidrBlock")) or not 16 <= block.prefixlen <= 28:
        raise Refusal("InvalidSubnet.Range", f"The CIDR '{block}' is invalid for VPC {vpc.id} ({vpc.state['cidrBlock']})", source=_EC2)
    for other in order.peers():
        if other.state.get("vpcId") == vpc.id and block.overlaps(network_of(other.state["cidrBlock"], "cidrBlock")):
            raise Refusal("InvalidSubnet.Conflict", f"The CIDR '{block}' conflicts with another subnet ({other.id})", source=_EC2)


def _subnet_outputs(order: Order, id_: str) -> dict[str, Any]:
    zone = order.text("availabilityZone") or f"{order.region}a"
    return {
        "arn": order.arn("ec2", f"subnet/{id_}"),
        "ownerId": order.account,
        "availabilityZone": zone,
        "availabilityZoneId": zone_id(zone),
        "mapPublicIpOnLaunch": order.inputs.get("mapPublicIpOnLaunch", False),
        "assignIpv6AddressOnCreation": False,
        "privateDnsHostnameTypeOnLaunch": order.text("privateDnsHostnameTypeOnLaunch", "ip-name"),
    }


def zone_id(zone: str) -> str:
    """Zone id of a zone name in this world: letter a is zone 1 and so on; in a real account the letters are shuffled."""
    area, direction, number = zone[:-1].split("-", maxsplit=1)[0], zone[:-1].split("-")[1:-1], zone[:-1].rsplit("-", maxsplit=1)[-1]
    short = "".join(part[0] for part in "-".join(direction).replace("north", "n-").replace("south", "s-").split("-") if part)
    return f"{area}{short}{number}-az{ord(zone[-1]) - ord('a') + 1}"


def _subnet_releases(world: Simulation, subnet: Record) -> None:
    for interface in world.store.of_kind(t.NETWORK_INTERFACE, subnet.key):
        if interface.state.get("subnetId") == subnet.id:
            raise dependency("subnet", subnet.id, by=f"network interface {interface.id} ({interface.state.get('description', '')})")


def _drop_associations(world: Simulation, subnet: Record) -> None:
    for association in world.store.of_kind(t.ROUTE_TABLE_ASSOCIATION, subnet.key):
        if association.state.get("subnetId") == subnet.id:
            world.store.drop(association)


def free_addresses(world: Simulation, subnet: Record) -> int:
    """Addresses left in a subnet: AWS keeps five; every interface but EFA-only ones takes one (EKS user guide, EFA)."""
    block = network_of(subnet.state["cidrBlock"], "cidrBlock")
    used = sum(
        1
        for interface in world.store.of_kind(t.NETWORK_INTERFACE, subnet.key)
        if interface.state.get("subnetId") == subnet.id and interface.state.get("privateIp")
    )
    return block.num_addresses - 5 - used


def next_address(world: Simulation, subnet: Record) -> str:
    """A free private address of the subnet. Raises Refusal when none is left (A6)."""
    block = network_of(subnet.state["cidrBlock"], "cidrBlock")
    taken = {i.state.get("privateIp") for i in world.store.of_kind(t.NETWORK_INTERFACE, subnet.key) if i.state.get("subnetId") == subnet.id}
    for offset in range(4, block.num_addresses - 1):
        address = str(block.network_address + offset)
        if address not in taken:
            return address
    raise Refusal(
        "InsufficientFreeAddressesInSubnet",
        f"The specified subnet '{subnet.id}' does not have enough free addresses to satisfy the request.",
        source="A6: dstack#1804, terraform-aws-eks#3653",
    )


KINDS = (
    Kind(
        token=t.VPC,
        replace=frozenset({"cidrBlock", "ipv4IpamPoolId", "ipv4NetmaskLength"}),
        identify=lambda order: order.world.new_id("vpc"),
        admit=_admit_vpc,
        outputs=_vpc_outputs,
        created=_with_defaults,
        releases=_vpc_releases,
    ),
    Kind(
        token=t.SUBNET,
        replace=frozenset({"vpcId", "cidrBlock", "availabilityZone", "availabilityZoneId", "ipv6Native", "outpostArn"}),
        identify=lambda order: order.world.new_id("subnet"),
        admit=_admit_subnet,
        outputs=_subnet_outputs,
        releases=_subnet_releases,
        deleted=_drop_associations,
    ),
)
