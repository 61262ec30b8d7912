"""Virtual machines, scale sets that a program makes itself, and managed disks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scripts.arm_paths import name_of
from scripts.sandbox.kinds.azure import quota, reservation, scaling
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import find, location_of, path_of, reference, require, resource
from scripts.sandbox.kinds.azure.identity import guid
from scripts.sandbox.kinds.azure.scaling import wanted_of
from scripts.sandbox.kinds.azure.sizes import Wanted, refuse_no_room, refuse_small_cache, refuse_unavailable
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_DISK_GIB = 30
_SPOT = "Azure documentation, Spot Virtual Machines"


def _os_disk(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    return (inputs.get("storageProfile") or {}).get("osDisk") or {}


def _group_of(inputs: Mapping[str, Any]) -> str:
    return reference((inputs.get("capacityReservation") or {}).get("capacityReservationGroup"))


def _refuse_spot(priority: object, inputs: Mapping[str, Any]) -> None:
    if priority != "Spot" and inputs.get("evictionPolicy"):
        raise Refusal("InvalidParameter", "Eviction policy can be set only on Azure Spot Virtual Machines.", source=_SPOT)


def _wanted_vm(order: Order) -> Wanted:
    return Wanted(
        resource=path_of(order),
        location=location_of(order),
        size=str((order.inputs.get("hardwareProfile") or {}).get("vmSize") or ""),
        zones=[str(zone) for zone in order.inputs.get("zones") or ()],
        spot=order.text("priority") == "Spot",
        ephemeral=bool(_os_disk(order.inputs).get("diffDiskSettings")),
        placement_group=reference(order.inputs.get("proximityPlacementGroup")),
    )


def _admit_vm(order: Order) -> None:
    wanted, group = _wanted_vm(order), _group_of(order.inputs)
    size = refuse_unavailable(order.world, wanted)
    _refuse_spot(order.text("priority"), order.inputs)
    if wanted.ephemeral:
        refuse_small_cache(wanted.size, int(_os_disk(order.inputs).get("diskSizeGB") or _DISK_GIB))
    for each in (order.inputs.get("networkProfile") or {}).get("networkInterfaces") or ():
        _refuse_taken(order, require(order.world, each.get("id"), by=path_of(order)))
    if order.before is not None and order.before.state.get("size") == size.name:
        return
    quota.refuse_over(order.world, wanted, size)
    if group:
        reservation.refuse_full(order.world, group, wanted.size, "".join(wanted.zones[:1]))
    else:
        refuse_no_room(order.world, wanted, "".join(wanted.zones[:1]))


def _refuse_taken(order: Order, interface: Record) -> None:
    holder = str(interface.state.get("attachedTo") or "")
    if holder and holder.lower() != path_of(order).lower():
        raise Refusal(
            "NicInUse", f"Network Interface {interface.id} is used by existing resource {holder}.", source="pulumi/pulumi-azure#441"
        )


def _vm_outputs(order: Order, id_: str) -> dict[str, Any]:
    wanted, before = _wanted_vm(order), order.before.state if order.before else {}
    return {
        "vmId": before.get("vmId") or guid(order.world),
        "timeCreated": before.get("timeCreated", order.world.clock.text()),
        "size": wanted.size,
        "priority": order.text("priority", "Regular"),
        "zone": "".join(wanted.zones[:1]),
        "reservationGroup": _group_of(order.inputs),
        "placementGroup": wanted.placement_group,
        "computerName": str((order.inputs.get("osProfile") or {}).get("computerName") or name_of(id_)),
        "gpuBusy": before.get("gpuBusy", 0.0),
    }


def _with_disks(order: Order, vm: Record) -> None:
    world = order.world
    for each in (order.inputs.get("networkProfile") or {}).get("networkInterfaces") or ():
        interface = find(world, each.get("id"))
        if interface is not None:
            world.store.put(interface.with_state(attachedTo=vm.id))
    if not _os_disk(order.inputs).get("diffDiskSettings"):
        made = scaling.os_disk(world, vm, int(_os_disk(order.inputs).get("diskSizeGB") or _DISK_GIB))
        # Azure keeps a VM's disks on delete unless told otherwise (Azure documentation, delete a VM and attached resources).
        world.store.put(replace(made, parent=vm.ref if _os_disk(order.inputs).get("deleteOption") == "Delete" else None))
    world.store.put(replace(world.store.by_ref(vm.ref) or vm, status=scaling.RUNNING))


def _vm_deleted(world: Simulation, vm: Record) -> None:
    """Interfaces and disks stay, unattached, unless they go with the machine."""
    for kind, field in ((t.INTERFACE, "attachedTo"), (t.DISK, "managedBy")):
        for part in world.store.of_kind(kind, vm.key):
            if str(part.state.get(field) or "").lower() == vm.id.lower() and part.parent != vm.ref:
                state = {**part.state, field: "", **({"diskState": "Unattached"} if kind == t.DISK else {})}
                world.store.put(replace(part, state=state))


def _profile(order: Order) -> Mapping[str, Any]:
    return order.inputs.get("virtualMachineProfile") or {}


def _subnet_of(profile: Mapping[str, Any]) -> str:
    for interface in (profile.get("networkProfile") or {}).get("networkInterfaceConfigurations") or ():
        for configuration in interface.get("ipConfigurations") or ():
            return reference(configuration.get("subnet"))
    return ""


def _scale_set_state(order: Order) -> dict[str, Any]:
    profile, disk = _profile(order), _os_disk(_profile(order))
    before = order.before.state if order.before else {}
    return {
        "size": str((order.inputs.get("sku") or {}).get("name") or ""),
        "priority": profile.get("priority") or "Regular",
        "zones": [str(zone) for zone in order.inputs.get("zones") or ()],
        "subnetId": _subnet_of(profile),
        "ephemeral": bool(disk.get("diffDiskSettings")),
        "osDiskGib": int(disk.get("diskSizeGB") or _DISK_GIB),
        "reservationGroup": _group_of(profile),
        "placementGroup": reference(order.inputs.get("proximityPlacementGroup")),
        "pool": before.get("pool", ""),
    }


def _admit_scale_set(order: Order) -> None:
    if order.before is not None and order.before.state.get("pool"):
        return
    state, profile = {**_scale_set_state(order), "location": location_of(order)}, _profile(order)
    wanted = wanted_of(Record(kind=order.token, key=order.place.key, id=path_of(order), state=state))
    size = refuse_unavailable(order.world, wanted)
    _refuse_spot(profile.get("priority"), profile)
    require(order.world, state["subnetId"], by=path_of(order))
    if wanted.ephemeral:
        refuse_small_cache(wanted.size, int(state["osDiskGib"]))
    if order.inputs.get("singlePlacementGroup") and int((order.inputs.get("sku") or {}).get("capacity") or 0) > 100:
        raise Refusal(
            "InvalidParameter",
            "A scale set with a single placement group has at most 100 machines.",
            source="Azure documentation, working with large virtual machine scale sets",
        )
    more = int((order.inputs.get("sku") or {}).get("capacity") or 0) - (len(scaling.vms(order.world, order.before)) if order.before else 0)
    if more > 0:
        quota.refuse_over(order.world, wanted, size, more)


def _scale_set_outputs(order: Order, _: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    return {
        **_scale_set_state(order),
        "uniqueId": before.get("uniqueId") or guid(order.world),
        "timeCreated": before.get("timeCreated", order.world.clock.text()),
    }


def _start(world: Simulation, scale_set: Record) -> None:
    if scale_set.state.get("pool"):
        return
    failure = scaling.reconcile(world, scale_set, int((scale_set.state.get("sku") or {}).get("capacity") or 0))
    if failure is not None and scale_set.status == "Creating":
        present = world.store.by_ref(scale_set.ref) or scale_set
        world.store.put(replace(present, status="Failed", state={**present.state, "provisioningState": "Failed"}))
        raise NotReady(failure.code, failure.message)


def _disk_outputs(order: Order, _: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    return {
        "diskState": before.get("diskState", "Unattached"),
        "managedBy": before.get("managedBy", ""),
        "timeCreated": before.get("timeCreated", order.world.clock.text()),
        "uniqueId": before.get("uniqueId") or guid(order.world),
    }


def _disk_releases(world: Simulation, disk: Record) -> None:
    holder = str(disk.state.get("managedBy") or "")
    if holder and find(world, holder) is not None:
        raise Refusal(
            "OperationNotAllowed",
            f"Disk {name_of(disk.id)} is attached to VM {holder}.",
            source="Azure error codes for virtual machine provisioning: attached disks",
            status=409,
        )


KINDS = (
    resource(
        t.VM,
        admit=_admit_vm,
        outputs=_vm_outputs,
        created=_with_disks,
        deleted=_vm_deleted,
        replace={"zones", "priority", "storageProfile.imageReference", "osProfile.computerName", "osProfile.adminUsername"},
        create_seconds=60,
        delete_seconds=30,
    ),
    resource(
        t.SCALE_SET,
        admit=_admit_scale_set,
        outputs=_scale_set_outputs,
        settle=_start,
        deleted=scaling.end_all,
        replace={"zones", "orchestrationMode", "virtualMachineProfile.priority"},
        moving={"sku"},
        create_seconds=60,
        delete_seconds=60,
    ),
    resource(t.DISK, outputs=_disk_outputs, releases=_disk_releases, replace={"creationData", "zones"}),
    resource(t.SNAPSHOT, replace={"creationData"}),
)
