"""EC2 at the AWS door: what is there, filtered and paged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from components import catalog
from scripts.sandbox.doors.aws import ec2_network_shapes as networks
from scripts.sandbox.doors.aws import ec2_shapes as shapes
from scripts.sandbox.doors.aws.call import Call, Handler, matches, page, refuse_unknown_filters
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import zone_id
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

_NOT_FOUND = "EC2 API reference, client error codes"


@dataclass(frozen=True, kw_only=True)
class Collection:
    """One describe operation: which records, under which names, found by which ids and filters."""

    kind: str
    result: str
    ids: str
    missing: str
    show: Callable[[Simulation, Record], dict[str, Any]]
    filters: Mapping[str, str] = field(default_factory=dict)
    filter_member: str = "Filters"
    paged: bool = True


_VPC = {"vpc-id": "VpcId"}
COLLECTIONS: Mapping[str, Collection] = {
    "DescribeVpcs": Collection(
        kind=t.VPC, result="Vpcs", ids="VpcIds", missing="InvalidVpcID.NotFound", show=networks.vpc, filters={**_VPC, "cidr": "CidrBlock", "state": "State"}
    ),
    "DescribeSubnets": Collection(
        kind=t.SUBNET, result="Subnets", ids="SubnetIds", missing="InvalidSubnetID.NotFound", show=networks.subnet,
        filters={**_VPC, "subnet-id": "SubnetId", "availability-zone": "AvailabilityZone", "state": "State"},
    ),
    "DescribeSecurityGroups": Collection(
        kind=t.SECURITY_GROUP, result="SecurityGroups", ids="GroupIds", missing="InvalidGroup.NotFound", show=networks.security_group,
        filters={**_VPC, "group-id": "GroupId", "group-name": "GroupName"},
    ),
    "DescribeNetworkInterfaces": Collection(
        kind=t.NETWORK_INTERFACE, result="NetworkInterfaces", ids="NetworkInterfaceIds", missing="InvalidNetworkInterfaceID.NotFound",
        show=shapes.network_interface,
        filters={
            **_VPC, "subnet-id": "SubnetId", "status": "Status", "group-id": "Groups[].GroupId", "description": "Description",
            "attachment.instance-id": "Attachment.InstanceId", "interface-type": "InterfaceType", "network-interface-id": "NetworkInterfaceId",
            "requester-managed": "RequesterManaged",
        },
    ),
    "DescribeVolumes": Collection(
        kind=t.VOLUME, result="Volumes", ids="VolumeIds", missing="InvalidVolume.NotFound", show=shapes.volume,
        filters={"status": "State", "volume-id": "VolumeId", "attachment.instance-id": "Attachments[].InstanceId", "availability-zone": "AvailabilityZone"},
    ),
    "DescribeNatGateways": Collection(
        kind=t.NAT_GATEWAY, result="NatGateways", ids="NatGatewayIds", missing="NatGatewayNotFound", show=networks.nat_gateway,
        filters={**_VPC, "subnet-id": "SubnetId", "state": "State", "nat-gateway-id": "NatGatewayId"}, filter_member="Filter",
    ),
    "DescribeAddresses": Collection(
        kind=t.EIP, result="Addresses", ids="AllocationIds", missing="InvalidAllocationID.NotFound", show=networks.address,
        filters={"allocation-id": "AllocationId", "domain": "Domain", "public-ip": "PublicIp"}, paged=False,
    ),
    "DescribeInternetGateways": Collection(
        kind=t.INTERNET_GATEWAY, result="InternetGateways", ids="InternetGatewayIds", missing="InvalidInternetGatewayID.NotFound",
        show=networks.internet_gateway, filters={"attachment.vpc-id": "Attachments[].VpcId", "internet-gateway-id": "InternetGatewayId"},
    ),
    "DescribeRouteTables": Collection(
        kind=t.ROUTE_TABLE, result="RouteTables", ids="RouteTableIds", missing="InvalidRouteTableID.NotFound", show=networks.route_table,
        filters={**_VPC, "route-table-id": "RouteTableId", "association.main": "Associations[].Main", "association.subnet-id": "Associations[].SubnetId"},
    ),
    "DescribeVpcEndpoints": Collection(
        kind=t.VPC_ENDPOINT, result="VpcEndpoints", ids="VpcEndpointIds", missing="InvalidVpcEndpointId.NotFound", show=networks.vpc_endpoint,
        filters={**_VPC, "service-name": "ServiceName", "vpc-endpoint-id": "VpcEndpointId", "vpc-endpoint-type": "VpcEndpointType"},
    ),
    "DescribeLaunchTemplates": Collection(
        kind=t.LAUNCH_TEMPLATE, result="LaunchTemplates", ids="LaunchTemplateIds", missing="InvalidLaunchTemplateId.NotFound", show=shapes.template,
        filters={"launch-template-name": "LaunchTemplateName"},
    ),
    "DescribeCapacityReservations": Collection(
        kind=t.CAPACITY_RESERVATION, result="CapacityReservations", ids="CapacityReservationIds",
        missing="InvalidCapacityReservationId.NotFound", show=shapes.reservation,
        filters={"instance-type": "InstanceType", "availability-zone": "AvailabilityZone", "state": "State"},
    ),
    "DescribeFlowLogs": Collection(
        kind=t.FLOW_LOG, result="FlowLogs", ids="FlowLogIds", missing="InvalidFlowLogId.NotFound", show=shapes.flow_log, filter_member="Filter",
        filters={"resource-id": "ResourceId"},
    ),
    "DescribePlacementGroups": Collection(
        kind=t.PLACEMENT_GROUP, result="PlacementGroups", ids="GroupNames", missing="InvalidPlacementGroup.Unknown", show=shapes.placement_group,
        filters={"group-name": "GroupName", "strategy": "Strategy", "state": "State"}, paged=False,
    ),
}  # fmt: skip

_INSTANCES = Collection(
    kind=t.INSTANCE, result="Reservations", ids="InstanceIds", missing="InvalidInstanceID.NotFound", show=shapes.instance,
    filters={
        **_VPC, "subnet-id": "SubnetId", "instance-id": "InstanceId", "instance-type": "InstanceType", "instance-state-name": "State.Name",
        "availability-zone": "Placement.AvailabilityZone", "instance-lifecycle": "InstanceLifecycle", "placement-group-name": "Placement.GroupName",
        "private-ip-address": "PrivateIpAddress", "instance.group-id": "SecurityGroups[].GroupId", "image-id": "ImageId",
    },
)  # fmt: skip


def select(call: Call, collection: Collection) -> list[tuple[str, dict[str, Any]]]:
    """The objects that a describe call asks for, by id. Raises Refusal when a given id does not exist."""
    records = call.records(collection.kind)
    wanted = call.given.get(collection.ids)
    if wanted:
        by_id = {record.id: record for record in records}
        for id_ in wanted:
            if id_ not in by_id:
                raise Refusal(collection.missing, f"The ID '{id_}' does not exist", source=_NOT_FOUND)
        records = [by_id[id_] for id_ in wanted]
    filters = call.given.get(collection.filter_member, ())
    refuse_unknown_filters(filters, collection.filters)
    shown = [(record.id, collection.show(call.world, record)) for record in records]
    return [(id_, item) for id_, item in shown if matches(_with_tags(item), filters, collection.filters)]


def _with_tags(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "Tags": item["TagSet"]} if "TagSet" in item else item


def _describe(collection: Collection) -> Handler:
    def handler(call: Call) -> Mapping[str, Any]:
        found = select(call, collection)
        if not collection.paged:
            return {collection.result: [item for _, item in found]}
        items, token = page(found, call.given.get("NextToken"), call.given.get("MaxResults"))
        return {collection.result: items, "NextToken": token}

    return handler


def _instances(call: Call) -> Mapping[str, Any]:
    from scripts.sandbox.kinds.aws import scaling

    with call.world.store.transaction():
        scaling.forget_terminated(call.world, call.key)
    items, token = page(select(call, _INSTANCES), call.given.get("NextToken"), call.given.get("MaxResults"))
    reservations = [
        {"ReservationId": f"r-{item['InstanceId'][2:]}", "OwnerId": call.world.account("aws"), "Instances": [item]} for item in items
    ]
    return {"Reservations": reservations, "NextToken": token}


def _template_versions(call: Call) -> Mapping[str, Any]:
    template = call.get(t.LAUNCH_TEMPLATE, call.given.get("LaunchTemplateId")) or next(
        (r for r in call.records(t.LAUNCH_TEMPLATE) if r.state["name"] == call.given.get("LaunchTemplateName")), None
    )
    if template is None:
        raise Refusal("InvalidLaunchTemplateId.NotFound", "The specified launch template does not exist.", source=_NOT_FOUND)
    named = {"$Latest": str(template.state["latestVersion"]), "$Default": str(template.state["defaultVersion"])}
    wanted = {named.get(v, v) for v in call.given.get("Versions", ())}
    shown = [shapes.template_version(template, v) for v in shapes.template_versions(call.world, template)]
    items = [(f"{v['VersionNumber']:06}", v) for v in shown if not wanted or str(v["VersionNumber"]) in wanted]
    chosen, token = page(items, call.given.get("NextToken"), call.given.get("MaxResults"))
    return {"LaunchTemplateVersions": chosen, "NextToken": token}


def _instance_types(call: Call) -> Mapping[str, Any]:
    wanted = call.given.get("InstanceTypes")
    machines = [m for m in catalog.machines("aws") if call.region in catalog.regions("aws", m.name) or not catalog.regions("aws", m.name)]
    if wanted:
        unknown = set(wanted) - {m.name for m in machines}
        if unknown:
            raise Refusal(
                "InvalidInstanceType",
                f"The following supplied instance types do not exist: [{', '.join(sorted(unknown))}]",
                source=_NOT_FOUND,
            )
    found = [(m.name, shapes.instance_type(m)) for m in machines if not wanted or m.name in wanted]
    filters = {"instance-type": "InstanceType", "processor-info.supported-architecture": "ProcessorInfo.SupportedArchitectures"}
    kept = [(name, item) for name, item in found if matches(item, call.given.get("Filters", ()), filters)]
    items, token = page(kept, call.given.get("NextToken"), call.given.get("MaxResults"))
    return {"InstanceTypes": items, "NextToken": token}


def _zones(call: Call) -> Mapping[str, Any]:
    return {
        "AvailabilityZones": [
            {
                "ZoneName": f"{call.region}{letter}",
                "ZoneId": zone_id(f"{call.region}{letter}"),
                "RegionName": call.region,
                "State": "available",
            }
            for letter in "abcdef"
        ]
    }


def _regions(_: Call) -> Mapping[str, Any]:
    return {"Regions": [{"RegionName": name, "OptInStatus": "opt-in-not-required"} for name in catalog.all_regions("aws")]}


HANDLERS: Mapping[str, Handler] = {
    **{name: _describe(collection) for name, collection in COLLECTIONS.items()},
    "DescribeInstances": _instances,
    "DescribeLaunchTemplateVersions": _template_versions,
    "DescribeInstanceTypes": _instance_types,
    "DescribeAvailabilityZones": _zones,
    "DescribeRegions": _regions,
}
