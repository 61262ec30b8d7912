"""Scaling groups: they start and end instances, with their interfaces, volumes and nodes, until there are as many as desired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import capacity, interface, launch, nodes, reservation
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import free_addresses
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_KEPT_ACTIVITIES = 20


def instances(world: Simulation, group: Record) -> list[Record]:
    """The running instances of a group, oldest first."""
    found = [r for r in world.store.children(group) if r.kind == t.INSTANCE and r.status == "running"]
    return sorted(found, key=lambda r: (r.created, r.id))


def reconcile(world: Simulation, group: Record) -> Refusal | None:
    """Start or end instances until the group has its desired number, in the open transaction.

    Returns why the last start failed, or None. A group in the cloud would try again; here the next change tries again.
    """
    wanted = int(group.state["desiredCapacity"])
    running = instances(world, group)
    for instance in reversed(running[wanted:]):
        terminate(world, instance)
    failure = None
    for _ in range(wanted - len(running)):
        failure = _start_somewhere(world, group)
        if failure is not None:
            break
    _note(world, group.ref, failure)
    return failure


def _start_somewhere(world: Simulation, group: Record) -> Refusal | None:
    """Try the group's machines and subnets, the emptiest zone first. Returns the last refusal when none of them has room."""
    used = Counter(str(i.state["subnetId"]) for i in instances(world, group))
    last: Refusal | None = None
    for name in group.state["machines"]:
        for subnet_id in sorted(group.state["subnetIds"], key=lambda s: (used[s], group.state["subnetIds"].index(s))):
            subnet = world.store.get(t.SUBNET, group.key, subnet_id)
            if subnet is None:
                last = Refusal(
                    "InvalidSubnetID.NotFound",
                    f"The subnet ID '{subnet_id}' does not exist",
                    source="EKS NodegroupIssueCode Ec2SubnetNotFound",
                )
                continue
            try:
                start(world, group, name, subnet)
            except Refusal as refusal:
                last = refusal
            else:
                return None
    return last


def start(world: Simulation, group: Record, machine_name: str, subnet: Record) -> Record:
    """One instance of a group in a subnet. Raises Refusal: quota, stock, addresses."""
    machine = launch.find(machine_name)
    template: Mapping[str, Any] = group.state["template"]
    spot = group.state["spot"] is True
    orders = list(template.get("networkInterfaces") or [{}])
    capacity.refuse_over_quota(world, group.key, machine, spot=spot)
    needed = sum(1 for o in orders if launch.kind_of(o) != "efa-only")
    if free_addresses(world, subnet) < needed:
        raise Refusal(
            "InsufficientFreeAddressesInSubnet",
            f"There are not enough free addresses in subnet '{subnet.id}' to satisfy the requested number of instances.",
            source="A6: terraform-aws-eks#3653; EKS NodegroupIssueCode InsufficientFreeAddresses",
        )
    zone, reserved = str(subnet.state["availabilityZone"]), reservation.targeted(template)
    if reserved:
        placement = str(group.state.get("placement") or "")
        reservation.refuse(world, group.key, reservation.Start(reservation=reserved, machine=machine_name, zone=zone, placement=placement))
    else:
        capacity.refuse_shortage(world, machine, zone)
    instance = _put_instance(world, group, machine_name, subnet, spot=spot)
    addresses = [_attach(world, group, instance, subnet, order) for order in orders]
    instance = world.store.put(
        instance.with_state(privateIp=addresses[0].state["privateIp"], vpcSecurityGroupIds=addresses[0].state["securityGroups"])
    )
    _volumes(world, group, instance)
    nodes.join(world, group, instance, machine)
    return instance


def _put_instance(world: Simulation, group: Record, machine: str, subnet: Record, *, spot: bool) -> Record:
    id_ = world.new_id("i")
    place = group.key.split("/")
    tags = {
        "aws:autoscaling:groupName": group.id,
        **dict(group.state.get("instanceTags", {})),
        **_specified(group, "instance"),
        **{k: v for k, v in group.tags.items() if group.state.get("propagated", {}).get(k)},
    }
    state = {
        "arn": f"arn:aws:ec2:{place[2]}:{place[1]}:instance/{id_}",
        "instanceType": machine,
        "instanceState": "running",
        "availabilityZone": subnet.state["availabilityZone"],
        "subnetId": subnet.id,
        "vpcId": subnet.state["vpcId"],
        "placementGroup": group.state.get("placement", ""),
        "instanceLifecycle": "spot" if spot else "",
        "capacityReservationId": reservation.targeted(group.state["template"]),
        "ami": group.state["template"].get("imageId") or f"ami-{'0' * 17}",
        "launchTime": world.clock.text(),
        "tagsAll": tags,
        "gpuBusy": 0.0,
    }
    return world.store.put(
        Record(kind=t.INSTANCE, key=group.key, id=id_, state=state, created=world.tick(), status="running", parent=group.ref, tags=tags)
    )


def _specified(group: Record, kind: str) -> dict[str, str]:
    """Tags that the launch template puts on one kind of resource (B17)."""
    specifications = group.state["template"].get("tagSpecifications") or []
    return {k: str(v) for s in specifications if s.get("resourceType") == kind for k, v in (s.get("tags") or {}).items()}


def _attach(world: Simulation, group: Record, instance: Record, subnet: Record, order: Mapping[str, Any]) -> Record:
    groups = order.get("securityGroups") or group.state["template"].get("vpcSecurityGroupIds") or group.state.get("securityGroups", [])
    made = interface.attach(world, instance, subnet, interface.Port(description="", groups=groups, tags=_specified(group, "network-interface"), kind=launch.kind_of(order),
        card=int(order.get("networkCardIndex") or 0), device=int(order.get("deviceIndex") or 0), address=launch.kind_of(order) != "efa-only",
    ))  # fmt: skip
    return world.store.put(made.with_state(deleteOnTermination=str(order.get("deleteOnTermination", True)).lower() != "false"))


def _volumes(world: Simulation, group: Record, instance: Record) -> None:
    mappings: list[Any] = group.state["template"].get("blockDeviceMappings") or [
        {"deviceName": "/dev/xvda", "ebs": {"volumeSize": group.state["diskSize"]}}
    ]
    for mapping in mappings:
        ebs = mapping.get("ebs") or {}
        id_ = world.new_id("vol")
        tags = {**dict(group.state.get("volumeTags", {})), **_specified(group, "volume")}
        state = {
            "arn": instance.state["arn"].rsplit(":", 1)[0] + f":volume/{id_}",
            "size": int(ebs.get("volumeSize") or group.state["diskSize"]),
            "type": ebs.get("volumeType") or "gp3",
            "encrypted": str(ebs.get("encrypted", False)).lower() == "true",
            "availabilityZone": instance.state["availabilityZone"],
            "device": mapping.get("deviceName", "/dev/xvda"),
            "attachedTo": instance.id,
            "deleteOnTermination": str(ebs.get("deleteOnTermination", True)).lower() != "false",
            "tagsAll": tags,
        }
        world.store.put(
            Record(kind=t.VOLUME, key=group.key, id=id_, state=state, created=world.tick(), status="in-use", parent=instance.ref, tags=tags)
        )


def terminate(world: Simulation, instance: Record) -> None:
    """End an instance, in the open transaction. It stays visible as terminated for an hour; what must not go with it stays behind."""
    for part in world.store.children(instance):
        if part.state.get("deleteOnTermination", True):
            world.store.drop(part)
        else:
            world.store.put(replace(part, parent=None, status="available", state={**part.state, "attachedTo": ""}))
    nodes.leave(world, instance)
    ended = instance.with_state(instanceState="terminated", terminatedAt=world.clock.text())
    world.store.put(replace(ended, status="terminated", parent=None))


def forget_terminated(world: Simulation, key: str) -> None:
    """Drop instances that ended more than an hour ago, as EC2 does."""
    now = world.clock.now()
    for instance in world.store.of_kind(t.INSTANCE, key):
        if instance.status == "terminated":
            ended = type(now).fromisoformat(str(instance.state["terminatedAt"]))
            if (now - ended).total_seconds() > 3600:
                world.store.drop(instance)


def set_desired(world: Simulation, group: Record, desired: int) -> Refusal | None:
    """Change a group's desired number within its bounds, as an autoscaler or a person does; its node group shows the same number."""
    low, high = int(group.state["minSize"]), int(group.state["maxSize"])
    if not low <= desired <= high:
        raise Refusal(
            "ValidationError",
            f"New SetDesiredCapacity value {desired} is outside of the group's bounds: between {low} and {high}.",
            source="Auto Scaling API reference, SetDesiredCapacity",
        )
    group = world.store.put(group.with_state(desiredCapacity=desired))
    owner = world.store.by_ref(group.parent)
    if owner is not None:
        sizes = {**owner.state["scalingConfig"], "desiredSize": desired}
        inputs = {**owner.inputs, "scalingConfig": {**owner.inputs["scalingConfig"], "desiredSize": desired}}
        world.store.put(replace(owner, inputs=inputs, state={**owner.state, "scalingConfig": sizes}))
    forget_terminated(world, group.key)
    return reconcile(world, group)


def _note(world: Simulation, ref: str, failure: Refusal | None) -> None:
    group = world.store.by_ref(ref)
    if group is None or failure is None:
        return
    entry = {"at": world.clock.text(), "status": "Failed", "message": f"{failure}. Launching EC2 instance failed."}
    world.store.put(group.with_state(activities=[entry, *group.state.get("activities", [])][:_KEPT_ACTIVITIES]))
