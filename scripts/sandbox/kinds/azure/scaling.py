"""Scale sets: they start and end machines, with their interfaces, disks and nodes, until there are as many as wanted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from scripts.arm_paths import name_of, subscription_of
from scripts.sandbox.kinds.azure import nodes, quota, reservation
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import group_path, require
from scripts.sandbox.kinds.azure.groups import INFINIBAND, registered
from scripts.sandbox.kinds.azure.interfaces import Port, attach
from scripts.sandbox.kinds.azure.network import free_addresses, next_address
from scripts.sandbox.kinds.azure.sizes import Wanted, machine, refuse_no_room
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
RUNNING, DEALLOCATED = "running", "deallocated"


def vms(world: Simulation, scale_set: Record) -> list[Record]:
    """Running machines of a scale set, oldest first."""
    found = [r for r in world.store.children(scale_set) if r.kind == t.SCALE_SET_VM and r.status == RUNNING]
    return sorted(found, key=lambda r: int(r.state["instanceId"]))


def reconcile(world: Simulation, scale_set: Record, wanted: int) -> Refusal | None:
    """Start or end machines until `wanted` run, in the open transaction. Gives why the last start failed, or None."""
    running = vms(world, scale_set)
    for vm in reversed(running[wanted:]):
        end(world, vm)
    failure = None
    for _ in range(wanted - len(running)):
        present = world.store.by_ref(scale_set.ref) or scale_set
        failure = None if _woken(world, present) else _start_somewhere(world, present)
        if failure is not None:
            break
    present = world.store.by_ref(scale_set.ref)
    if present is not None:
        sku = {**(present.state.get("sku") or {}), "capacity": len(vms(world, present))}
        world.store.put(present.with_state(sku=sku))
    return failure


def _woken(world: Simulation, scale_set: Record) -> bool:
    """A deallocated machine starts again before a new one is made. Whether it finds room is not asked: simplified."""
    asleep = [r for r in world.store.children(scale_set) if r.kind == t.SCALE_SET_VM and r.status == DEALLOCATED]
    pool = world.store.by_ref(str(scale_set.state.get("pool") or ""))
    if not asleep or pool is None:
        return False
    vm = world.store.put(replace(asleep[0], status=RUNNING, state={**asleep[0].state, "powerState": RUNNING}))
    nodes.join(world, pool, vm)
    return True


def wanted_of(scale_set: Record) -> Wanted:
    state = scale_set.state
    return Wanted(
        resource=scale_set.id,
        location=str(state["location"]),
        size=str(state["size"]),
        zones=[str(z) for z in state.get("zones") or ()],
        spot=state.get("priority") == "Spot",
        ephemeral=state.get("ephemeral") is True,
        placement_group=str(state.get("placementGroup") or ""),
    )


def _start_somewhere(world: Simulation, scale_set: Record) -> Refusal | None:
    """Try the emptiest zone first. Gives the last refusal when no zone has room."""
    zones = [str(zone) for zone in scale_set.state.get("zones") or ()] or [""]
    used = Counter(str(vm.state.get("zone") or "") for vm in vms(world, scale_set))
    last: Refusal | None = None
    for zone in sorted(zones, key=lambda z: (used[z], z)):
        try:
            _start(world, scale_set, zone)
        except Refusal as refusal:
            last = refusal
        else:
            return None
    return last


def _start(world: Simulation, scale_set: Record, zone: str) -> Record:
    """One machine. Raises Refusal: quota, stock, reservation, addresses."""
    wanted, group = wanted_of(scale_set), str(scale_set.state.get("reservationGroup") or "")
    size = machine(wanted.size)
    quota.refuse_over(world, wanted, size)
    if group:
        reservation.refuse_full(world, group, wanted.size, zone)
    else:
        refuse_no_room(world, wanted, zone)
    subnet = require(world, scale_set.state["subnetId"], by=scale_set.id)
    if free_addresses(world, subnet) < 1:
        next_address(world, subnet)
    vm = _put(world, scale_set, zone)
    port = attach(
        world, vm, subnet, Port(name=name_of(scale_set.id), path=f"{vm.id}/networkInterfaces/{name_of(scale_set.id)}", tags=vm.tags)
    )
    vm = world.store.put(vm.with_state(privateIp=port.state["privateAddresses"][0]))
    if not wanted.ephemeral:
        os_disk(world, vm, int(scale_set.state.get("osDiskGib") or 0))
    pool = world.store.by_ref(str(scale_set.state.get("pool") or ""))
    if pool is not None:
        nodes.join(world, pool, vm)
    return vm


def _put(world: Simulation, scale_set: Record, zone: str) -> Record:
    number = int(scale_set.state.get("nextInstance") or 0)
    world.store.put(scale_set.with_state(nextInstance=number + 1))
    name, tags = name_of(scale_set.id), dict(scale_set.tags)
    state = {
        **{
            field: scale_set.state.get(field)
            for field in ("location", "size", "priority", "subnetId", "reservationGroup", "placementGroup")
        },
        "name": f"{name}_{number}",
        "instanceId": str(number),
        "vmScaleSetName": name,
        "resourceGroupName": group_path(scale_set.id).rsplit("/", 1)[-1],
        "computerName": f"{name}{base36(number)}",
        "zone": zone,
        "timeCreated": world.clock.text(),
        "provisioningState": "Succeeded",
        "infinibandPartition": _partition(world, scale_set, number),
        "tags": tags,
        "gpuBusy": 0.0,
    }
    return world.store.put(
        Record(
            kind=t.SCALE_SET_VM, key=scale_set.key, id=f"{scale_set.id}/virtualMachines/{number}", state=state, created=world.tick(),
            status=RUNNING, parent=scale_set.ref, tags=tags,
        )
    )  # fmt: skip


def base36(number: int) -> str:
    """Six digits to the base 36, as Azure ends the host names of a scale set."""
    text = ""
    for _ in range(6):
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text


def _partition(world: Simulation, scale_set: Record, number: int) -> str:
    """InfiniBand partition key: one a scale set, but any fabric for AKS nodes where the feature is not registered (AKS page on RDMA)."""
    if machine(str(scale_set.state["size"])).fabric != "infiniband":
        return ""
    joined = not scale_set.state.get("pool") or registered(world, subscription_of(scale_set.id), *INFINIBAND)
    return f"{name_of(scale_set.id)}" if joined else f"{name_of(scale_set.id)}-{number}"


def os_disk(world: Simulation, vm: Record, gib: int) -> Record:
    """The machine's managed OS disk, which goes with it."""
    name = f"{vm.state['name']}_OsDisk_1_{world.new_id('', 32)}"
    state = {
        "name": name,
        "type": "Microsoft.Compute/disks",
        "location": vm.state["location"],
        "diskSizeGB": gib,
        "diskState": "Attached",
        "managedBy": vm.id,
        "sku": {"name": "Premium_LRS"},
        "provisioningState": "Succeeded",
        "tags": dict(vm.tags),
    }
    path = f"{group_path(vm.id)}/providers/Microsoft.Compute/disks/{name}"
    return world.store.put(
        Record(kind=t.DISK, key=vm.key, id=path, state=state, created=world.tick(), status="Succeeded", parent=vm.ref, tags=dict(vm.tags))
    )


def end(world: Simulation, vm: Record) -> None:
    """Take a machine away with its interface, disk and node, in the open transaction; one of a pool that deallocates keeps all but the node."""
    scale_set = world.store.by_ref(vm.parent)
    pool = world.store.by_ref(str(scale_set.state.get("pool") or "")) if scale_set else None
    if pool is not None:
        nodes.leave(world, pool, vm)
        if pool.state.get("scaleDownMode") == "Deallocate":
            world.store.put(replace(vm, status=DEALLOCATED, state={**vm.state, "powerState": DEALLOCATED}))
            return
    world.drop_tree(vm)


def end_all(world: Simulation, scale_set: Record) -> None:
    """Every machine goes, deallocated ones too."""
    for vm in world.store.children(scale_set):
        pool = world.store.by_ref(str(scale_set.state.get("pool") or ""))
        if pool is not None and vm.kind == t.SCALE_SET_VM:
            nodes.leave(world, pool, vm)
        world.drop_tree(vm)
