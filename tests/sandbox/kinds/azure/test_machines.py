"""Virtual machines, scale sets and disks of a program's own; reservations and placement groups."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox.kinds.azure import scaling
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.store import Record
from tests.sandbox.azure import A100, CPU, H100, Azure


def interface(azure: Azure, name: str = "nic") -> Record:
    (subnet,) = azure.all(t.SUBNET)
    return azure.make(t.INTERFACE, networkInterfaceName=name, ipConfigurations=[{"name": "c", "subnet": {"id": subnet.id}}])


def vm(azure: Azure, nic: Record, name: str = "vm", size: str = A100, **changes: Any) -> Record:
    network = {"networkInterfaces": [{"id": nic.id}]}
    return azure.make(t.VM, vmName=name, hardwareProfile={"vmSize": size}, networkProfile=network, **changes)


def scale_set(azure: Azure, count: int = 2, size: str = A100, name: str = "set", **changes: Any) -> Record:
    (subnet,) = azure.all(t.SUBNET)
    configuration = {"name": "n", "ipConfigurations": [{"name": "c", "subnet": {"id": subnet.id}}]}
    profile = {"networkProfile": {"networkInterfaceConfigurations": [configuration]}, **changes.pop("profile", {})}
    return azure.make(t.SCALE_SET, vmScaleSetName=name, sku={"name": size, "capacity": count}, virtualMachineProfile=profile, **changes)


def test_a_machine_keeps_its_interface_and_leaves_its_disk(azure: Azure):
    azure.ground()
    nic = interface(azure)
    made = vm(azure, nic)
    with pytest.raises(Refusal, match="NicInUse"):
        azure.delete(nic)
    (disk,) = azure.all(t.DISK)
    with pytest.raises(Refusal, match="is attached to VM"):
        azure.delete(disk)
    azure.delete(made)
    assert azure.now(disk).state["diskState"] == "Unattached"
    azure.delete(nic)
    azure.delete(disk)


def test_a_disk_that_goes_with_its_machine_goes(azure: Azure):
    azure.ground()
    azure.delete(vm(azure, interface(azure), storageProfile={"osDisk": {"deleteOption": "Delete"}}))
    assert not azure.all(t.DISK)


def test_two_machines_do_not_share_an_interface(azure: Azure):
    azure.ground()
    nic = interface(azure)
    vm(azure, nic)
    with pytest.raises(Refusal, match="NicInUse"):
        vm(azure, nic, "other")


@pytest.mark.failure("E7")
@pytest.mark.parametrize(
    ("size", "zones", "code"),
    [("Standard_XX1", [], "InvalidParameter"), (H100, ["1"], "SkuNotAvailable"), (A100, ["4"], "SkuNotAvailable")],
)
def test_a_size_is_had_where_it_is_offered(azure: Azure, size: str, zones: list[str], code: str):
    azure.ground()
    with pytest.raises(Refusal, match=code):
        vm(azure, interface(azure), size=size, zones=zones)


def test_a_declared_zone_is_offered(azure: Azure):
    azure.ground()
    with azure.world.store.transaction():
        azure.world.store.set_meta(zones={f"eastus/{H100}": ["1"]})
    assert vm(azure, interface(azure), size=H100, zones=["1"]).state["zone"] == "1"


@pytest.mark.failure("E8")
def test_cores_of_machines_and_scale_sets_count_together(azure: Azure):
    azure.ground()
    scale_set(azure, 2)
    with azure.world.store.transaction():
        azure.world.store.set_meta(quotas={"StandardNCADSA100v4Family": 71})
    with pytest.raises(Refusal, match=r"Current Limit: 71, Current Usage: 48, Additional Required: 24, .* New Limit Required: 72"):
        vm(azure, interface(azure))


def test_a_scale_set_starts_ends_and_takes_its_machines_along(azure: Azure):
    azure.ground()
    made = scale_set(azure, 3)
    assert len(scaling.vms(azure.world, azure.now(made))) == 3
    changed = azure.change(made, sku={"name": A100, "capacity": 1})
    assert len(scaling.vms(azure.world, changed)) == 1
    azure.delete(changed)
    assert not azure.all(t.SCALE_SET_VM) + azure.all(t.DISK) + azure.all(t.INTERFACE)


def test_zones_are_filled_evenly(azure: Azure):
    azure.ground()
    made = scale_set(azure, 4, zones=["1", "2"])
    assert sorted(vm.state["zone"] for vm in scaling.vms(azure.world, azure.now(made))) == ["1", "1", "2", "2"]


def test_without_stock_a_scale_set_is_there_and_failed(azure: Azure):
    azure.ground()
    azure.world.faults.add("capacity", {"machine": A100})
    with pytest.raises(NotReady, match="AllocationFailed"):
        scale_set(azure)
    assert azure.all(t.SCALE_SET)[0].status == "Failed"


def test_host_names_count_in_base_36():
    assert [scaling.base36(number) for number in (0, 35, 36)] == ["000000", "00000Z", "000010"]


def test_a_reservation_stays_while_it_is_used_and_its_group_while_it_holds_any(azure: Azure):
    azure.ground()
    group = azure.reservation(size=A100, capacity=1)
    (reservation,) = azure.all(t.RESERVATION)
    used = vm(azure, interface(azure), capacityReservation={"capacityReservationGroup": {"id": group.id}})
    with pytest.raises(Refusal, match="cannot be deleted while virtual machines are associated"):
        azure.delete(reservation)
    with pytest.raises(Refusal, match="no free capacity"):
        vm(azure, interface(azure, "b"), "second", capacityReservation={"capacityReservationGroup": {"id": group.id}})
    with pytest.raises(Refusal, match="can only be deleted when all reservations"):
        azure.delete(group)
    for each in (used, reservation, group):
        azure.delete(each)
    assert not azure.all(t.RESERVATION_GROUP)


def test_a_placement_group_stays_while_a_machine_is_in_it(azure: Azure):
    azure.ground()
    group = azure.make(t.PLACEMENT_GROUP, proximityPlacementGroupName="ppg")
    made = vm(azure, interface(azure), proximityPlacementGroup={"id": group.id})
    with pytest.raises(Refusal, match="while it is in use"):
        azure.delete(group)
    azure.delete(made)
    azure.delete(group)


def test_eviction_belongs_to_spot(azure: Azure):
    azure.ground()
    with pytest.raises(Refusal, match="only on Azure Spot"):
        vm(azure, interface(azure), size=CPU, evictionPolicy="Deallocate")
