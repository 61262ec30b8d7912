"""Capacity that is paid for before a machine starts: reservation groups and the reservations in them; proximity placement groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripts.arm_paths import is_under, name_of
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import all_of, find, location_of, nested, path_of, resource
from scripts.sandbox.kinds.azure.identity import guid
from scripts.sandbox.kinds.azure.sizes import Wanted, machine, refuse_no_room, refuse_unavailable
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_CAPACITY = "Azure documentation, on-demand capacity reservation"


def _admit_reservation(order: Order) -> None:
    sku, zones = order.inputs.get("sku") or {}, [str(z) for z in order.inputs.get("zones") or ()]
    group = find(order.world, path_of(order).rpartition("/capacityReservations/")[0])
    for zone in zones:
        if group is not None and zone not in (group.state.get("zones") or ()):
            raise Refusal(
                "InvalidParameter",
                f"The zone {zone} of capacity reservation '{order.text('capacityReservationName')}' is not one of its group's zones.",
                source=_CAPACITY,
            )
    wanted = Wanted(resource=path_of(order), location=location_of(order), size=str(sku.get("name", "")), zones=zones)
    size = refuse_unavailable(order.world, wanted)
    mine = len(users(order.world, order.before)) if order.before else 0
    if int(sku.get("capacity") or 0) > int(((order.before.state.get("sku") or {}) if order.before else {}).get("capacity") or 0):
        refuse_no_room(order.world, wanted, zones[0] if zones else "")
    if int(sku.get("capacity") or 0) < mine:
        raise Refusal(
            "OperationNotAllowed", f"The capacity cannot be below the {mine} machines of size {size.name} that use it.", source=_CAPACITY
        )


def _reservation_outputs(order: Order, _: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    now = order.world.clock.text()
    return {
        "reservationId": before.get("reservationId") or guid(order.world),
        "timeCreated": before.get("timeCreated", now),
        "provisioningTime": before.get("provisioningTime", now),
    }


def users(world: Simulation, reservation: Record) -> list[Record]:
    """Machines that run in a reservation: of its size, in its group."""
    group = reservation.id.rpartition("/capacityReservations/")[0].lower()
    size = str((reservation.state.get("sku") or {}).get("name", "")).lower()
    found = [r for kind in (t.VM, t.SCALE_SET_VM) for r in all_of(world, kind, reservation)]
    return [r for r in found if str(r.state.get("reservationGroup", "")).lower() == group and str(r.state["size"]).lower() == size]


def matching(world: Simulation, group: Record, size: str, zone: str = "") -> list[Record]:
    """Reservations of a group that hold a size, in a zone or, without one, in the region."""
    held = [r for r in nested(world, group) if r.kind == t.RESERVATION and machine(str(r.state["sku"]["name"])) is machine(size)]
    return [r for r in held if not zone or zone in (r.state.get("zones") or ())]


def refuse_full(world: Simulation, group_path: str, size: str, zone: str) -> None:
    """Raises Refusal when the group has nothing free for one more machine. A group that this world does not know is large enough."""
    group = find(world, group_path)
    if group is None:
        return
    fitting = matching(world, group, size, zone)
    if not any(len(users(world, r)) < int(r.state["sku"]["capacity"]) for r in fitting):
        raise Refusal(
            "AllocationFailed",
            f"Allocation failed. The capacity reservation group {group.id} has no free capacity for size {size}.",
            source="Azure documentation, on-demand capacity reservation, overallocation without stock",
            status=409,
        )


def _reservation_releases(world: Simulation, reservation: Record) -> None:
    running = users(world, reservation)
    if running:
        raise Refusal(
            "OperationNotAllowed",
            f"Capacity reservation '{name_of(reservation.id)}' cannot be deleted while virtual machines are associated with it: {running[0].id}.",
            source="hashicorp/terraform-provider-azurerm#19051",
            status=409,
        )


def _group_releases(world: Simulation, group: Record) -> None:
    held = [r for r in nested(world, group) if r.kind == t.RESERVATION]
    associated = [
        r
        for kind in (t.SCALE_SET, t.VM)
        for r in all_of(world, kind, group)
        if str(r.state.get("reservationGroup", "")).lower() == group.id.lower()
    ]
    for user in (*held, *associated):
        raise Refusal(
            "OperationNotAllowed",
            f"Capacity reservation group '{name_of(group.id)}' can only be deleted when all reservations in it are deleted and all resources are "
            f"disassociated from it: {user.id}.",
            source="Azure/azure-rest-api-specs#14711, #18767",
            status=409,
        )  # fmt: skip


def _placement_releases(world: Simulation, group: Record) -> None:
    for kind in (t.SCALE_SET, t.VM, t.AGENT_POOL):
        for user in all_of(world, kind, group):
            if str(user.state.get("placementGroup", "")).lower() == group.id.lower() or is_under(
                str(user.state.get("proximityPlacementGroupID") or "-"), group.id
            ):
                raise Refusal(
                    "OperationNotAllowed",
                    f"Proximity placement group '{name_of(group.id)}' cannot be deleted while it is in use: {user.id}.",
                    source="Azure documentation, proximity placement groups: delete",
                    status=409,
                )


KINDS = (
    resource(t.RESERVATION_GROUP, releases=_group_releases, replace={"zones"}),
    resource(
        t.RESERVATION,
        admit=_admit_reservation,
        outputs=_reservation_outputs,
        releases=_reservation_releases,
        replace={"zones", "sku.name"},
    ),
    resource(t.PLACEMENT_GROUP, releases=_placement_releases, replace={"proximityPlacementGroupType", "zones"}),
)
