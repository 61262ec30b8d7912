"""Machines and what they are started from, as the EC2 API shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.catalog import Machine
from scripts.sandbox import vault
from scripts.sandbox.doors.aws.call import tag_list
from scripts.sandbox.kinds.aws import launch_template
from scripts.sandbox.kinds.aws import reservation as reserved
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

Shown = dict[str, Any]


def instance(world: Simulation, record: Record) -> Shown:
    state = record.state
    parts = world.store.children(record)
    ended = record.status == "terminated"
    return {
        "InstanceId": record.id,
        "InstanceType": state["instanceType"],
        "ImageId": state["ami"],
        "State": {"Code": 48, "Name": "terminated"} if ended else {"Code": 16, "Name": "running"},
        "LaunchTime": state["launchTime"],
        "Placement": {"AvailabilityZone": state["availabilityZone"], "GroupName": state.get("placementGroup") or "", "Tenancy": "default"},
        "PrivateIpAddress": None if ended else state.get("privateIp"),
        "SubnetId": None if ended else state["subnetId"],
        "VpcId": None if ended else state["vpcId"],
        "InstanceLifecycle": state.get("instanceLifecycle") or None,
        "SecurityGroups": [{"GroupId": g} for g in state.get("vpcSecurityGroupIds", ())],
        "NetworkInterfaces": [_attached(i) for i in parts if i.kind == t.NETWORK_INTERFACE],
        "BlockDeviceMappings": [
            {
                "DeviceName": v.state["device"],
                "Ebs": {"VolumeId": v.id, "Status": "attached", "DeleteOnTermination": v.state["deleteOnTermination"]},
            }
            for v in parts
            if v.kind == t.VOLUME
        ],
        "Tags": tag_list(record.tags),
    }


def _attached(interface: Record) -> Shown:
    state = interface.state
    return {
        "NetworkInterfaceId": interface.id,
        "SubnetId": state["subnetId"],
        "VpcId": state["vpcId"],
        "PrivateIpAddress": state["privateIp"] or None,
        "InterfaceType": state["interfaceType"],
        "Status": interface.status,
        "Groups": [{"GroupId": g} for g in state["securityGroups"]],
        "Attachment": {
            "DeviceIndex": state["deviceIndex"],
            "NetworkCardIndex": state["networkCardIndex"],
            "Status": "attached",
            "DeleteOnTermination": state.get("deleteOnTermination", True),
        },
    }


def network_interface(world: Simulation, record: Record) -> Shown:
    state = record.state
    attached = record.status == "in-use"
    return {
        "NetworkInterfaceId": record.id,
        "SubnetId": state["subnetId"],
        "VpcId": state["vpcId"],
        "AvailabilityZone": state["availabilityZone"],
        "Description": state["description"],
        "InterfaceType": state["interfaceType"],
        "PrivateIpAddress": state["privateIp"] or None,
        "Status": record.status,
        "RequesterManaged": bool(state.get("managedBy")),
        "RequesterId": state.get("managedBy"),
        "OwnerId": world.account("aws"),
        "Groups": [{"GroupId": g} for g in state["securityGroups"]],
        "Attachment": {
            "DeviceIndex": state["deviceIndex"],
            "NetworkCardIndex": state["networkCardIndex"],
            "InstanceId": state["attachedTo"] if str(state["attachedTo"]).startswith("i-") else None,
            "Status": "attached",
        }
        if attached
        else None,
        "TagSet": tag_list(record.tags),
    }


def volume(_: Simulation, record: Record) -> Shown:
    state = record.state
    attachments = (
        [{"InstanceId": state["attachedTo"], "VolumeId": record.id, "Device": state["device"], "State": "attached"}]
        if state["attachedTo"]
        else []
    )
    return {
        "VolumeId": record.id,
        "Size": state["size"],
        "VolumeType": state["type"],
        "Encrypted": state["encrypted"],
        "AvailabilityZone": state["availabilityZone"],
        "State": record.status,
        "CreateTime": record.created,
        "Attachments": attachments,
        "Tags": tag_list(record.tags),
    }


def template(_: Simulation, record: Record) -> Shown:
    return {
        "LaunchTemplateId": record.id,
        "LaunchTemplateName": record.state["name"],
        "CreateTime": record.created,
        "DefaultVersionNumber": record.state["defaultVersion"],
        "LatestVersionNumber": record.state["latestVersion"],
        "Tags": tag_list(record.tags),
    }


def template_version(record: Record, version: Record) -> Shown:
    number = int(version.id.rsplit(":", 1)[1])
    contents = vault.unmarked(dict(version.inputs))
    return {
        "LaunchTemplateId": record.id,
        "LaunchTemplateName": record.state["name"],
        "VersionNumber": number,
        "DefaultVersion": number == record.state["defaultVersion"],
        "CreateTime": version.created,
        "LaunchTemplateData": _template_data(contents),
    }


def _template_data(contents: Mapping[str, Any]) -> Shown:
    """The parts of a template that this project uses."""
    market = contents.get("instanceMarketOptions") or {}
    placement = contents.get("placement") or {}
    target = ((contents.get("capacityReservationSpecification") or {}).get("capacityReservationTarget")) or {}
    return {
        "InstanceType": contents.get("instanceType"),
        "ImageId": contents.get("imageId"),
        "UserData": contents.get("userData"),
        "SecurityGroupIds": contents.get("vpcSecurityGroupIds"),
        "InstanceMarketOptions": {"MarketType": market["marketType"]} if market.get("marketType") else None,
        "Placement": {"GroupName": placement.get("groupName"), "AvailabilityZone": placement.get("availabilityZone")}
        if placement
        else None,
        "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": target.get("capacityReservationId")}}
        if target
        else None,
        "NetworkInterfaces": [
            {
                "DeviceIndex": i.get("deviceIndex"),
                "NetworkCardIndex": i.get("networkCardIndex"),
                "InterfaceType": i.get("interfaceType"),
                "Groups": i.get("securityGroups"),
                "DeleteOnTermination": str(i.get("deleteOnTermination", "true")).lower() == "true",
            }
            for i in contents.get("networkInterfaces") or ()
        ],
        "TagSpecifications": [
            {"ResourceType": s.get("resourceType"), "Tags": tag_list(s.get("tags") or {})} for s in contents.get("tagSpecifications") or ()
        ],
    }


def template_versions(world: Simulation, record: Record) -> list[Record]:
    found = [r for r in world.store.children(record) if r.kind == launch_template.VERSION]
    return sorted(found, key=lambda r: int(r.id.rsplit(":", 1)[1]))


def placement_group(_: Simulation, record: Record) -> Shown:
    return {
        "GroupName": record.id,
        "GroupId": record.state["placementGroupId"],
        "GroupArn": record.state["arn"],
        "Strategy": record.state.get("strategy", "cluster"),
        "State": "available",
        "Tags": tag_list(record.tags),
    }


def reservation(world: Simulation, record: Record) -> Shown:
    state, used = record.state, len(reserved.instances(world, record))
    dates = {name: state[key] for name, key in (("StartDate", "startDate"), ("EndDate", "endDate")) if state.get(key)}
    return {
        "CapacityReservationId": record.id,
        "OwnerId": world.account("aws"),
        "CapacityReservationArn": state["arn"],
        "InstanceType": state["instanceType"],
        "AvailabilityZone": state["availabilityZone"],
        "TotalInstanceCount": int(state["instanceCount"]),
        "AvailableInstanceCount": int(state["instanceCount"]) - used,
        "State": "active" if reserved.is_open(world, record) else _closed(world, record),
        "ReservationType": state.get("reservationType") or "default",
        "InstanceMatchCriteria": state.get("instanceMatchCriteria", "open"),
        "EndDateType": "limited" if state.get("endDate") else "unlimited",
        "CreateDate": record.created,
        **dates,
        "Tags": tag_list(record.tags),
    }


def _closed(world: Simulation, record: Record) -> str:
    starts = reserved.moment(record, "startDate")
    return "scheduled" if starts and world.clock.now() < starts else "expired"


def instance_type(machine: Machine) -> Shown:
    """Thin: what the catalogue knows."""
    memory = int((machine.gpu_memory_gib or 0) * 1024)
    gpus = {
        "Gpus": [
            {
                "Name": machine.gpu_model,
                "Manufacturer": machine.vendor,
                "Count": int(machine.gpu_count),
                "MemoryInfo": {"SizeInMiB": memory},
            }
        ]
    }
    cards = [{"NetworkCardIndex": c.index, "MaximumNetworkInterfaces": c.max_interfaces} for c in machine.cards]
    efa = machine.fabric == "efa"
    return {
        "InstanceType": machine.name,
        "VCpuInfo": {"DefaultVCpus": machine.vcpus},
        "MemoryInfo": {"SizeInMiB": int(machine.memory_gib * 1024)},
        "ProcessorInfo": {"SupportedArchitectures": [machine.arch]},
        "SupportedUsageClasses": ["on-demand", *(["spot"] if machine.spot else [])],
        "GpuInfo": gpus if machine.gpu_count >= 1 else None,
        "NetworkInfo": {
            "MaximumNetworkCards": len(machine.cards) or None,
            "NetworkCards": cards,
            "EfaSupported": efa,
            "EfaInfo": {"MaximumEfaInterfaces": machine.rdma_interfaces} if efa else None,
        },
    }


def flow_log(_: Simulation, record: Record) -> Shown:
    return {
        "FlowLogId": record.id,
        "ResourceId": record.state.get("vpcId") or record.state.get("subnetId") or record.state.get("eniId"),
        "FlowLogStatus": "ACTIVE",
        "LogDestinationType": record.state["logDestinationType"],
        "Tags": tag_list(record.tags),
    }
