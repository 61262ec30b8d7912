"""Managed instance groups: they start and end machines, with their disks, interfaces and nodes, until there are as many as wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from components.catalog import Machine
from scripts.sandbox.kinds.gcp import capacity, machines, network, nodes, paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_KEPT_ERRORS = 20
DEFAULT_DISK_GB = 100
"""GKE documentation, node pools: boot disk size."""


def instances(world: Simulation, group: Record) -> list[Record]:
    """Running machines of a group, oldest first."""
    found = [r for r in world.store.children(group) if r.kind == t.INSTANCE and r.status == "RUNNING"]
    return sorted(found, key=lambda r: (r.created, r.id))


def reconcile(world: Simulation, group: Record) -> Refusal | None:
    """Start or end machines until the group has its target size, in the open transaction. Returns why the last start failed, or None.

    A group in the cloud would try again; here the next change tries again.
    """
    wanted, running = int(group.state["targetSize"]), instances(world, group)
    for instance in reversed(running[wanted:]):
        terminate(world, instance)
    for _ in range(wanted - len(running)):
        try:
            start(world, group)
        except Refusal as refusal:
            _note(world, group.ref, refusal)
            return refusal
    return None


def resize(world: Simulation, group: Record, size: int) -> Refusal | None:
    """Give a group another target size, in the open transaction."""
    present = world.store.by_ref(group.ref) or group
    return reconcile(world, world.store.put(present.with_state(targetSize=size)))


def start(world: Simulation, group: Record) -> Record:
    """One machine of a group. Raises Refusal: quota, stock, reservation, addresses."""
    config, zone = cast("dict[str, Any]", group.state["config"]), str(group.state["zone"])
    project = group.key.split("/")[1]
    machine = machines.machine(str(config["machineType"]), zone)
    purchase = capacity.bought(config)
    held = capacity.reservation_of(world, group.key, purchase, zone) if purchase.specific else None
    capacity.refuse_over_quota(world, group.key, capacity.Wish(machine=machine, zone=zone, purchase=purchase))
    if held is not None:
        capacity.refuse_reservation(world, held, machine, zone)
    elif not purchase.specific:
        capacity.refuse_stockout(world, machine, zone, project)
    instance = _put(world, group, machine, held)
    _boot_disk(world, group, instance)
    nodes.join(world, group, instance, machine)
    return instance


def _put(world: Simulation, group: Record, machine: Machine, held: Record | None) -> Record:
    config, zone = cast("dict[str, Any]", group.state["config"]), str(group.state["zone"])
    name = f"{group.state['baseInstanceName']}-{world.new_id('', 4)}"
    id_ = f"projects/{group.key.split('/')[1]}/zones/{zone}/instances/{name}"
    purchase = capacity.bought(config)
    labels = {**{k: str(v) for k, v in (config.get("resourceLabels") or {}).items()}, **dict(group.state.get("ownLabels") or {})}
    state = {
        "name": name, "zone": zone, "machineType": machine.name, "selfLink": paths.self_link(id_), "instanceId": str(int(world.new_id("", 15), 16)),
        "creationTimestamp": world.clock.text(), "currentStatus": "RUNNING", "labels": labels, "preemptible": purchase.spot or purchase.flex,
        "provisioningModel": "SPOT" if purchase.spot else "FLEX_START" if purchase.flex else "STANDARD", "reservation": held.id if held else "",
        "serviceAccount": config.get("serviceAccount") or "default", "networkInterfaces": _interfaces(world, group), "gpuBusy": 0.0,
        "guestAccelerators": [{"type": str(a.get("type")), "count": int(a.get("count") or 0)} for a in config.get("guestAccelerators") or ()],
        "maxRunDuration": config.get("maxRunDuration"),
    }  # fmt: skip
    return world.store.put(
        Record(kind=t.INSTANCE, key=group.key, id=id_, state=state, created=world.tick(), status="RUNNING", parent=group.ref, tags=labels)
    )


def _interfaces(world: Simulation, group: Record) -> list[dict[str, Any]]:
    """One interface in the cluster's subnetwork, then those of the additional networks, in their order."""
    made: list[dict[str, Any]] = []
    for at, pair in enumerate(cast("list[Mapping[str, str]]", group.state["networks"])):
        subnetwork = world.store.get(t.SUBNETWORK, group.key, pair["subnetwork"])
        address = network.next_address(world, subnetwork) if subnetwork else f"10.254.{at}.2"
        if not address:
            raise Refusal(
                "IP_SPACE_EXHAUSTED",
                f"IP space of '{pair['subnetwork']}' is exhausted",
                source="Compute Engine documentation, troubleshooting VM creation: IP_SPACE_EXHAUSTED",
            )
        made.append(
            {
                "name": f"nic{at}",
                "network": pair["network"],
                "subnetwork": pair["subnetwork"],
                "networkIp": address,
                "nicType": pair.get("nicType", "GVNIC"),
            }
        )
    return made


def _boot_disk(world: Simulation, group: Record, instance: Record) -> None:
    config = cast("dict[str, Any]", group.state["config"])
    id_ = instance.id.replace("/instances/", "/disks/")
    state = {
        "name": instance.state["name"], "zone": instance.state["zone"], "size": int(config.get("diskSizeGb") or DEFAULT_DISK_GB),
        "type": config.get("diskType") or "pd-balanced", "selfLink": paths.self_link(id_), "users": [instance.state["selfLink"]],
        "labels": instance.state["labels"], "creationTimestamp": world.clock.text(), "diskId": str(int(world.new_id("", 15), 16)),
    }  # fmt: skip
    world.store.put(
        Record(
            kind=t.DISK, key=group.key, id=id_, state=state, created=world.tick(), status="READY", parent=instance.ref, tags=instance.tags
        )
    )


def terminate(world: Simulation, instance: Record) -> None:
    """End a machine of a group, in the open transaction: it goes with its disks, and so does its node."""
    nodes.leave(world, instance)
    for part in world.store.children(instance):
        world.store.drop(part)
    world.store.drop(instance)


def _note(world: Simulation, ref: str, failure: Refusal) -> None:
    group = world.store.by_ref(ref)
    if group is not None:
        entry = {"at": world.clock.text(), "code": failure.code, "message": failure.message}
        world.store.put(group.with_state(errors=[entry, *group.state.get("errors", [])][:_KEPT_ERRORS]))


def drop(world: Simulation, group: Record) -> None:
    """A group goes with its machines."""
    for instance in instances(world, group):
        terminate(world, instance)
    world.store.drop(group)


def updated(world: Simulation, group: Record, **changes: Any) -> Record:
    """Give a group other settings, keeping its machines."""
    present = world.store.by_ref(group.ref) or group
    return world.store.put(replace(present, state={**present.state, **changes}))
