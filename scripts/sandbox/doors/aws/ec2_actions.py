"""EC2 at the AWS door: ending and deleting, under the same rules as at the provider door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors.aws.call import Call, Handler
from scripts.sandbox.kinds.aws import interface, scaling, security
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import dependency, not_found
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

_EC2 = "EC2 API reference, client error codes"


def _require(call: Call, kind: str, id_: object, code: str, what: str) -> Record:
    record = call.get(kind, id_)
    if record is None:
        raise not_found(code, what, id_)
    return record


def _dry_run(call: Call) -> None:
    if call.given.get("DryRun"):
        raise Refusal("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", source=_EC2, status=412)


def _delete(kind: str, parameter: str, code: str, what: str, answer: Mapping[str, Any] | None = None) -> Handler:
    def handler(call: Call) -> Mapping[str, Any]:
        record = _require(call, kind, call.given.get(parameter), code, what)
        _dry_run(call)
        call.world.delete(kinds.kind(kind), record)
        return answer or {}

    return handler


def _terminate(call: Call) -> Mapping[str, Any]:
    chosen = [_require(call, t.INSTANCE, id_, "InvalidInstanceID.NotFound", "instance") for id_ in call.given.get("InstanceIds", ())]
    _dry_run(call)
    changes = []
    with call.world.store.transaction():
        for instance in chosen:
            if instance.status != "terminated":
                _end(call, instance)
            was = {"Code": 48, "Name": "terminated"} if instance.status == "terminated" else {"Code": 16, "Name": "running"}
            changes.append({"InstanceId": instance.id, "PreviousState": was, "CurrentState": {"Code": 32, "Name": "shutting-down"}})
    return {"TerminatingInstances": changes}


def _end(call: Call, instance: Record) -> None:
    """The scaling group of an ended instance starts another one, as long as its desired number says so."""
    group = call.world.store.by_ref(instance.parent)
    scaling.terminate(call.world, instance)
    if group is not None and "Launch" not in group.state.get("suspended", ()):
        scaling.reconcile(call.world, group)


def _delete_interface(call: Call) -> Mapping[str, Any]:
    interface = _require(
        call, t.NETWORK_INTERFACE, call.given.get("NetworkInterfaceId"), "InvalidNetworkInterfaceID.NotFound", "networkInterface"
    )
    _dry_run(call)
    if interface.status == "in-use":
        raise Refusal("InvalidParameterValue", f"Network interface '{interface.id}' is currently in use.", source="cloud-nuke #818")
    with call.world.store.transaction():
        call.world.store.drop(interface)
    return {}


def _delete_volume(call: Call) -> Mapping[str, Any]:
    volume = _require(call, t.VOLUME, call.given.get("VolumeId"), "InvalidVolume.NotFound", "volume")
    _dry_run(call)
    if volume.status == "in-use":
        raise Refusal("VolumeInUse", f"Volume {volume.id} is currently attached to {volume.state['attachedTo']}", source=_EC2)
    with call.world.store.transaction():
        call.world.store.drop(volume)
    return {}


def _detach_gateway(call: Call) -> Mapping[str, Any]:
    gateway = _require(
        call, t.INTERNET_GATEWAY, call.given.get("InternetGatewayId"), "InvalidInternetGatewayID.NotFound", "internetGateway"
    )
    _dry_run(call)
    with call.world.store.transaction():
        kinds.kind(t.INTERNET_GATEWAY).releases(call.world, gateway)
        call.world.store.put(gateway.with_state(vpcId=None))
    return {}


def _delete_gateway(call: Call) -> Mapping[str, Any]:
    gateway = _require(
        call, t.INTERNET_GATEWAY, call.given.get("InternetGatewayId"), "InvalidInternetGatewayID.NotFound", "internetGateway"
    )
    _dry_run(call)
    if gateway.state.get("vpcId"):
        raise dependency("internetGateway", gateway.id, by=f"attached to {gateway.state['vpcId']}")
    call.world.delete(kinds.kind(t.INTERNET_GATEWAY), gateway)
    return {}


def _delete_endpoints(call: Call) -> Mapping[str, Any]:
    failed = []
    _dry_run(call)
    for id_ in call.given.get("VpcEndpointIds", ()):
        endpoint = call.get(t.VPC_ENDPOINT, id_)
        if endpoint is None:
            failed.append({"ResourceId": id_, "Error": {"Code": "InvalidVpcEndpointId.NotFound", "Message": f"{id_} does not exist"}})
        else:
            call.world.delete(kinds.kind(t.VPC_ENDPOINT), endpoint)
    return {"Unsuccessful": failed}


def _create_tags(call: Call) -> Mapping[str, Any]:
    _dry_run(call)
    added = {tag["Key"]: tag.get("Value", "") for tag in call.given.get("Tags", ())}
    with call.world.store.transaction():
        for id_ in call.given.get("Resources", ()):
            record = next((r for r in call.world.store.in_place(call.key) if r.id == id_), None)
            if record is None:
                raise Refusal("InvalidID", f"The ID '{id_}' is not valid", source=_EC2)
            call.world.store.put(replace(record, tags={**record.tags, **added}))
    return {}


def _create_interface(call: Call) -> Mapping[str, Any]:
    """An interface that nothing uses yet, as a container network plug-in makes them."""
    subnet = _require(call, t.SUBNET, call.given.get("SubnetId"), "InvalidSubnetID.NotFound", "subnet")
    _dry_run(call)
    specified = (tag for each in call.given.get("TagSpecifications", ()) for tag in each.get("Tags", ()))
    port = interface.Port(
        description=str(call.given.get("Description") or ""),
        groups=tuple(str(group) for group in call.given.get("Groups", ())),
        tags={str(tag["Key"]): str(tag.get("Value", "")) for tag in specified},
    )
    with call.world.store.transaction():
        made = interface.attach(call.world, subnet, subnet, port)
        made = call.world.store.put(replace(made, parent=None, status="available", state={**made.state, "attachedTo": ""}))
    return {"NetworkInterface": {"NetworkInterfaceId": made.id, "SubnetId": subnet.id, "VpcId": subnet.state["vpcId"], "Status": "pending"}}


def _cancel_reservation(call: Call) -> Mapping[str, Any]:
    reserved = _require(
        call, t.CAPACITY_RESERVATION, call.given.get("CapacityReservationId"), "InvalidCapacityReservationId.NotFound", "reservation"
    )
    _dry_run(call)
    with call.world.store.transaction():
        call.world.store.drop(reserved)
    return {"Return": True}


def _delete_flow_logs(call: Call) -> Mapping[str, Any]:
    _dry_run(call)
    for id_ in call.given.get("FlowLogIds", ()):
        call.world.delete(kinds.kind(t.FLOW_LOG), _require(call, t.FLOW_LOG, id_, "InvalidFlowLogId.NotFound", "flow log"))
    return {"Unsuccessful": []}


def _revoke(direction: str) -> Handler:
    """Simplified: every rule of that direction that names one of the given groups goes, whatever its ports."""

    def handler(call: Call) -> Mapping[str, Any]:
        group = _require(call, t.SECURITY_GROUP, call.given.get("GroupId"), "InvalidGroup.NotFound", "security group")
        _dry_run(call)
        pairs = [pair for rule in call.given.get("IpPermissions") or () for pair in rule.get("UserIdGroupPairs") or ()]
        security.revoke(call.world, group, direction, {str(pair["GroupId"]) for pair in pairs})
        return {"Return": True}

    return handler


HANDLERS: Mapping[str, Handler] = {
    "RevokeSecurityGroupIngress": _revoke("ingress"),
    "RevokeSecurityGroupEgress": _revoke("egress"),
    "CreateNetworkInterface": _create_interface,
    "CancelCapacityReservation": _cancel_reservation,
    "DeleteFlowLogs": _delete_flow_logs,
    "TerminateInstances": _terminate,
    "DeleteNetworkInterface": _delete_interface,
    "DeleteVolume": _delete_volume,
    "DeleteVpc": _delete(t.VPC, "VpcId", "InvalidVpcID.NotFound", "vpc"),
    "DeleteSubnet": _delete(t.SUBNET, "SubnetId", "InvalidSubnetID.NotFound", "subnet"),
    "DeleteSecurityGroup": _delete(t.SECURITY_GROUP, "GroupId", "InvalidGroup.NotFound", "security group"),
    "DeleteRouteTable": _delete(t.ROUTE_TABLE, "RouteTableId", "InvalidRouteTableID.NotFound", "routeTable"),
    "DisassociateRouteTable": _delete(t.ROUTE_TABLE_ASSOCIATION, "AssociationId", "InvalidAssociationID.NotFound", "association"),
    "DeleteNatGateway": _delete(t.NAT_GATEWAY, "NatGatewayId", "NatGatewayNotFound", "NatGateway"),
    "ReleaseAddress": _delete(t.EIP, "AllocationId", "InvalidAllocationID.NotFound", "allocation"),
    "DeleteLaunchTemplate": _delete(t.LAUNCH_TEMPLATE, "LaunchTemplateId", "InvalidLaunchTemplateId.NotFound", "launch template"),
    "DeletePlacementGroup": _delete(t.PLACEMENT_GROUP, "GroupName", "InvalidPlacementGroup.Unknown", "placement group"),
    "DetachInternetGateway": _detach_gateway,
    "DeleteInternetGateway": _delete_gateway,
    "DeleteVpcEndpoints": _delete_endpoints,
    "CreateTags": _create_tags,
}
