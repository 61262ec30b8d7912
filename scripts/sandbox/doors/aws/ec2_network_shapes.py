"""Networks as the EC2 API shows them: VPCs, subnets, groups, gateways, addresses, routes, endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.sandbox.doors.aws.call import tag_list
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import free_addresses
from scripts.sandbox.kinds.aws.security import permissions
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

Shown = dict[str, Any]


def vpc(world: Simulation, record: Record) -> Shown:
    return {
        "VpcId": record.id,
        "CidrBlock": record.state["cidrBlock"],
        "State": "available",
        "IsDefault": False,
        "OwnerId": world.account("aws"),
        "InstanceTenancy": record.state["instanceTenancy"],
        "Tags": tag_list(record.tags),
    }


def subnet(world: Simulation, record: Record) -> Shown:
    state = record.state
    return {
        "SubnetId": record.id,
        "SubnetArn": state["arn"],
        "VpcId": state["vpcId"],
        "CidrBlock": state["cidrBlock"],
        "AvailabilityZone": state["availabilityZone"],
        "AvailabilityZoneId": state["availabilityZoneId"],
        "AvailableIpAddressCount": free_addresses(world, record),
        "MapPublicIpOnLaunch": state["mapPublicIpOnLaunch"],
        "State": "available",
        "OwnerId": world.account("aws"),
        "Tags": tag_list(record.tags),
    }


def security_group(world: Simulation, record: Record) -> Shown:
    return {
        "GroupId": record.id,
        "GroupName": record.state.get("name", ""),
        "Description": record.state.get("description", ""),
        "VpcId": record.state.get("vpcId"),
        "OwnerId": world.account("aws"),
        "IpPermissions": permissions(world, record, "ingress"),
        "IpPermissionsEgress": permissions(world, record, "egress"),
        "Tags": tag_list(record.tags),
    }


def nat_gateway(_: Simulation, record: Record) -> Shown:
    state = record.state
    address = {
        "AllocationId": state.get("allocationId"), "PublicIp": state.get("publicIp") or None, "PrivateIp": state.get("privateIp"),
        "NetworkInterfaceId": state.get("networkInterfaceId"), "IsPrimary": True,
    }  # fmt: skip
    return {
        "NatGatewayId": record.id,
        "SubnetId": state["subnetId"],
        "VpcId": state["vpcId"],
        "State": record.status,
        "ConnectivityType": state["connectivityType"],
        "CreateTime": record.created,
        "NatGatewayAddresses": [address],
        "Tags": tag_list(record.tags),
    }


def address(world: Simulation, record: Record) -> Shown:
    nat = next((n for n in world.store.of_kind(t.NAT_GATEWAY, record.key) if n.state.get("allocationId") == record.id), None)
    return {
        "AllocationId": record.id,
        "PublicIp": record.state["publicIp"],
        "Domain": record.state["domain"],
        "NetworkInterfaceId": nat.state.get("networkInterfaceId") if nat else None,
        "AssociationId": f"eipassoc-{record.id.split('-')[1]}" if nat else None,
        "Tags": tag_list(record.tags),
    }


def internet_gateway(world: Simulation, record: Record) -> Shown:
    vpc_id = record.state.get("vpcId")
    return {
        "InternetGatewayId": record.id,
        "OwnerId": world.account("aws"),
        "Attachments": [{"VpcId": vpc_id, "State": "available"}] if vpc_id else [],
        "Tags": tag_list(record.tags),
    }


def route_table(world: Simulation, record: Record) -> Shown:
    routes = [_route(r.state) for r in world.store.of_kind(t.ROUTE, record.key) if r.state.get("routeTableId") == record.id]
    associations = [
        {"RouteTableAssociationId": a.id, "RouteTableId": record.id, "SubnetId": a.state.get("subnetId"), "Main": False}
        for a in world.store.of_kind(t.ROUTE_TABLE_ASSOCIATION, record.key)
        if a.state.get("routeTableId") == record.id
    ]
    if record.state.get("main"):
        associations.append({"RouteTableAssociationId": f"{record.id}-main", "RouteTableId": record.id, "Main": True})
    return {
        "RouteTableId": record.id,
        "VpcId": record.state["vpcId"],
        "OwnerId": world.account("aws"),
        "Routes": [*routes, *(_route(r) for r in record.state.get("routes") or ())],
        "Associations": associations,
        "Tags": tag_list(record.tags),
    }


def _route(state: Mapping[str, Any]) -> Shown:
    return {
        "DestinationCidrBlock": state.get("destinationCidrBlock") or state.get("cidrBlock"),
        "GatewayId": state.get("gatewayId"),
        "NatGatewayId": state.get("natGatewayId"),
        "State": "active",
        "Origin": "CreateRoute",
    }


def vpc_endpoint(world: Simulation, record: Record) -> Shown:
    state = record.state
    return {
        "VpcEndpointId": record.id,
        "VpcEndpointType": state["vpcEndpointType"],
        "VpcId": state["vpcId"],
        "ServiceName": state.get("serviceName"),
        "State": "available",
        "RouteTableIds": list(state.get("routeTableIds") or ()),
        "SubnetIds": list(state.get("subnetIds") or ()),
        "Groups": [{"GroupId": g} for g in state.get("securityGroupIds") or ()],
        "NetworkInterfaceIds": list(state.get("networkInterfaceIds") or ()),
        "PrivateDnsEnabled": state["privateDnsEnabled"],
        "CreationTimestamp": record.created,
        "OwnerId": world.account("aws"),
        "Tags": tag_list(record.tags),
    }
