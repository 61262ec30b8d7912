"""Capacity that is paid for before an instance starts: reservations and capacity blocks, made by a program or declared by a person.

A reservation that this world does not know is large enough and always open, as quotas are that nobody declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from scripts.errors import BadInput
from scripts.sandbox.clock import stamp
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

BLOCK = "capacity-block"
ENDS_BEFORE = timedelta(minutes=30)
"""EC2 ends a block's instances from then on (EC2 user guide, Capacity Blocks for ML)."""
_CODE = "ReservationCapacityExceeded"
_SOURCE = "EC2 API reference, client error codes"


@dataclass(frozen=True, kw_only=True)
class Start:
    """One instance that is to start in reserved capacity."""

    reservation: str
    machine: str
    zone: str
    placement: str


def targeted(template: Mapping[str, Any]) -> str:
    """Id of the reservation that a launch template names, or ""."""
    specification = template.get("capacityReservationSpecification") or {}
    return str((specification.get("capacityReservationTarget") or {}).get("capacityReservationId") or "")


def refuse(world: Simulation, key: str, start: Start) -> None:
    """Raises Refusal when the reservation, if this world knows it, has no room for the instance now."""
    reservation = world.store.get(t.CAPACITY_RESERVATION, key, start.reservation)
    if reservation is None:
        return
    state, id_ = reservation.state, reservation.id
    for what, wanted in (("instanceType", start.machine), ("availabilityZone", start.zone)):
        if state[what] != wanted:
            raise Refusal(_CODE, f"reservation {id_} holds {what} {state[what]}, not {wanted}", source="EC2 user guide: attributes match")
    if not is_open(world, reservation):
        raise Refusal(_CODE, f"reservation {id_} is not active now ({window(reservation)})", source="EKS user guide, Capacity Blocks")
    if start.placement and start.placement != str(state.get("placementGroup") or ""):
        raise Refusal(
            "InsufficientInstanceCapacity",
            f"reservation {id_} was not made in placement group {start.placement}",
            source="A9: terraform-aws-eks#3730, eksctl#8220",
        )
    used = len(instances(world, reservation))
    if used >= int(state["instanceCount"]):
        raise Refusal(_CODE, f"reservation {id_} has {state['instanceCount']} instances, {used} of them in use", source=_SOURCE)


def instances(world: Simulation, reservation: Record) -> list[Record]:
    """Running instances that use the reservation."""
    running = [i for i in world.store.of_kind(t.INSTANCE, reservation.key) if i.status == "running"]
    return [i for i in running if i.state.get("capacityReservationId") == reservation.id]


def is_block(reservation: Record) -> bool:
    return reservation.state.get("reservationType") == BLOCK


def moment(reservation: Record, name: str) -> datetime | None:
    text = reservation.state.get(name)
    return datetime.fromisoformat(str(text)) if text else None


def is_open(world: Simulation, reservation: Record) -> bool:
    """Whether instances may start in it: a block is closed half an hour before its end."""
    now, starts, ends = world.clock.now(), moment(reservation, "startDate"), moment(reservation, "endDate")
    last = ends - ENDS_BEFORE if ends and is_block(reservation) else ends
    return (starts is None or starts <= now) and (last is None or now < last)


def window(reservation: Record) -> str:
    return f"{reservation.state.get('startDate') or 'any time'} to {reservation.state.get('endDate') or 'any time'}"


def declared(world: Simulation, given: Mapping[str, Any]) -> Record:
    """A reservation that a person declares, in the open transaction: id, region, machine, zone, count; starts, ends, block, placement.

    Raises BadInput for what is missing or no moment with its zone.
    """
    missing = [name for name in ("id", "region", "machine", "zone", "count") if not given.get(name)]
    if missing:
        raise BadInput(f"a reservation needs {', '.join(missing)}: give id, region, machine, zone and count.")
    key = world.place(str(given["region"])).key
    state = {
        "arn": f"arn:aws:ec2:{given['region']}:{world.account('aws')}:capacity-reservation/{given['id']}",
        "instanceType": str(given["machine"]),
        "availabilityZone": str(given["zone"]),
        "instanceCount": int(given["count"]),
        "startDate": _moment(given.get("starts")),
        "endDate": _moment(given.get("ends")),
        "reservationType": BLOCK if given.get("block") else "default",
        "placementGroup": str(given.get("placement") or ""),
        "instanceMatchCriteria": "targeted",
    }
    record = Record(kind=t.CAPACITY_RESERVATION, key=key, id=str(given["id"]), state=state, created=world.tick(), status="active")
    return world.store.put(record)


def _moment(text: object) -> str:
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise BadInput(f"{text!r} is no moment: write it with its zone, such as 2027-01-11T11:30Z.")
    return stamp(moment)


def _admit(order: Order) -> None:
    from scripts.sandbox.kinds.aws import launch

    launch.find(order.text("instanceType"))
    before = order.before
    if before is not None and int(order.inputs.get("instanceCount") or 0) < len(instances(order.world, before)):
        raise Refusal("InvalidParameterValue", "a reservation cannot be smaller than what uses it", source=_SOURCE)


def _outputs(order: Order, id_: str) -> dict[str, Any]:
    return {
        "arn": order.arn("ec2", f"capacity-reservation/{id_}"),
        "ownerId": order.account,
        "endDateType": order.text("endDateType", "unlimited"),
        "instanceMatchCriteria": order.text("instanceMatchCriteria", "open"),
        "tenancy": order.text("tenancy", "default"),
        "ebsOptimized": order.inputs.get("ebsOptimized", False),
        "ephemeralStorage": order.inputs.get("ephemeralStorage", False),
    }


KINDS = (
    Kind(
        token=t.CAPACITY_RESERVATION,
        replace=frozenset(
            {
                *("availabilityZone", "ebsOptimized", "ephemeralStorage", "instanceMatchCriteria", "instancePlatform", "instanceType"),
                *("outpostArn", "placementGroupArn", "tenancy"),
            }
        ),
        identify=lambda order: order.world.new_id("cr"),
        admit=_admit,
        outputs=_outputs,
        starts="active",
        closed_sets={"instanceMatchCriteria": ("ec2", "InstanceMatchCriteria"), "endDateType": ("ec2", "EndDateType")},
    ),
)
