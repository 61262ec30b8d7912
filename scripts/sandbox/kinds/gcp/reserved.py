"""Reservations, future reservations and resource policies: capacity that is paid for before a machine starts, and where machines stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from scripts.errors import BadInput
from scripts.sandbox.clouds import Due
from scripts.sandbox.kinds.gcp import capacity, groups, machines, paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_RESERVATIONS = "Compute Engine documentation, reservations of zonal resources"


def _admit_reservation(order: Order) -> None:
    specific = cast("dict[str, Any]", order.inputs["specificReservation"])
    properties = cast("dict[str, Any]", specific.get("instanceProperties") or {})
    zone = str(order.inputs["zone"])
    machine = machines.machine(str(properties.get("machineType")), zone)
    kind = machines.in_gke(machine)
    if kind is not None and kind.modes and "reservation" not in kind.modes:
        raise paths.invalid("resource.specificReservation", machine.name, "this machine type cannot be reserved", source=kind.source)
    count, before = int(specific.get("count") or 0), order.before
    if count < 1:
        raise paths.invalid("resource.specificReservation.count", count, "Must be at least 1", source=_RESERVATIONS)
    if before is not None:
        if count < len(capacity.using(order.world, before)):
            raise paths.invalid("resource.specificReservation.count", count, "fewer than are in use", source=_RESERVATIONS)
        return
    over = capacity.short(
        order.world, order.place.key, capacity.Wish(machine=machine, zone=zone, purchase=capacity.Purchase(), count=count)
    )
    if over is not None:
        raise Refusal(
            "Error 403",
            f"Quota '{over.code}' exceeded. Limit: {over.limit:.1f}, quotaExceeded",
            source=f"{_RESERVATIONS}: quota",
            status=403,
        )
    capacity.refuse_stockout(order.world, machine, zone, order.account)


def _reservation_outputs(order: Order, id_: str) -> dict[str, Any]:
    return {
        **paths.computed(order, id_),
        "specificReservation": {"inUseCount": 0, **cast("dict[str, Any]", order.inputs["specificReservation"])},
        "specificReservationRequired": order.inputs.get("specificReservationRequired", False),
        "status": "READY",
        "commitment": "",
        "kind": "compute#reservation",
    }


def _reservation_releases(world: Simulation, reservation: Record) -> None:
    """A reservation that must be named cannot go while machines run in it."""
    used = capacity.using(world, reservation)
    if used and reservation.state.get("specificReservationRequired"):
        raise paths.in_use("reservation", reservation.id, used[0].id)


def _admit_future(order: Order) -> None:
    window = cast("dict[str, Any]", order.inputs["timeWindow"])
    starts = _moment(window.get("startTime"))
    if starts is not None and starts <= order.world.clock.now() and order.before is None:
        raise paths.invalid(
            "resource.timeWindow.startTime",
            window.get("startTime"),
            "Must be in the future",
            source="Compute Engine documentation, future reservations",
        )


def declared(world: Simulation, given: Mapping[str, object]) -> Record:
    """A reservation that a person declares, in the open transaction: id, zone, machine, count; project, starts, ends. Raises BadInput for what is missing."""
    missing = [name for name in ("id", "zone", "machine", "count") if not given.get(name)]
    if missing:
        raise BadInput(f"a reservation needs {', '.join(missing)}: give id, zone, machine and count.")
    zone, project = str(given["zone"]), str(given.get("project") or world.account("gcp"))
    id_ = f"projects/{project}/zones/{zone}/reservations/{given['id']}"
    starts = _moment(given.get("starts"))
    state = {
        "name": str(given["id"]), "zone": zone, "selfLink": paths.self_link(id_), "specificReservationRequired": True,
        "specificReservation": {"count": int(str(given["count"])), "instanceProperties": {"machineType": str(given["machine"])}},
        "startTime": _text(given.get("starts")), "endTime": _text(given.get("ends")), "creationTimestamp": world.clock.text(),
    }  # fmt: skip
    status = "CREATING" if starts is not None and starts > world.clock.now() else "READY"
    return world.store.put(
        Record(
            kind=t.RESERVATION,
            key=world.place("global", "gcp").key,
            id=id_,
            state={**state, "status": status},
            created=world.tick(),
            status=status,
        )
    )


def _moment(value: object) -> datetime | None:
    if not value:
        return None
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise BadInput(f"{value!r} is no moment: write it with its zone, such as 2027-01-11T11:30Z.")
    return moment


def _text(value: object) -> str:
    moment = _moment(value)
    return moment.isoformat() if moment else ""


def due(world: Simulation) -> Iterator[Due]:
    """A paid window opens and ends; machines with a bounded life end."""
    for record in list(world.store):
        if record.kind == t.RESERVATION:
            yield from _window(world, record)
        elif record.kind == t.INSTANCE and record.status == "RUNNING":
            yield from _bounded(world, record)


def _window(world: Simulation, reservation: Record) -> Iterator[Due]:
    starts, ends = _moment(reservation.state.get("startTime")), _moment(reservation.state.get("endTime"))
    if starts is not None and reservation.status == "CREATING":
        yield starts, reservation.ref, lambda: _open(world, reservation)
    if ends is not None:
        yield ends, reservation.ref, lambda: _end(world, reservation)


def _open(world: Simulation, reservation: Record) -> None:
    world.store.put(replace(reservation, status="READY", state={**reservation.state, "status": "READY"}))


def _end(world: Simulation, reservation: Record) -> None:
    """Google ends what runs in a reservation of a calendar when its time is over (Compute Engine documentation, calendar mode)."""
    for instance in capacity.using(world, reservation):
        _stop(world, instance)
    present = world.store.by_ref(reservation.ref)
    if present is not None:
        world.store.drop(present)


def _bounded(world: Simulation, instance: Record) -> Iterator[Due]:
    """Flex-start machines end after the longest run that their pool asks for, seven days by default."""
    text = str(instance.state.get("maxRunDuration") or "")
    if text.endswith("s") and text[:-1].isdigit():
        started = datetime.fromisoformat(str(instance.state["creationTimestamp"]))
        ends = datetime.fromtimestamp(started.timestamp() + int(text[:-1]), tz=started.tzinfo)
        yield ends, instance.ref, lambda: _stop(world, instance)


def _stop(world: Simulation, instance: Record) -> None:
    """The machine goes, and its group does not want it back."""
    group = world.store.by_ref(instance.parent)
    groups.terminate(world, instance)
    if group is not None:
        present = world.store.by_ref(group.ref) or group
        world.store.put(present.with_state(targetSize=max(0, int(present.state["targetSize"]) - 1)))


def _admit_policy(order: Order) -> None:
    shapes = [
        name
        for name in (
            "groupPlacementPolicy",
            "workloadPolicy",
            "snapshotSchedulePolicy",
            "instanceSchedulePolicy",
            "diskConsistencyGroupPolicy",
        )
        if order.inputs.get(name)
    ]
    if len(shapes) > 1:
        raise paths.invalid(
            "resource", ", ".join(shapes), "A resource policy is of one kind", source="Compute Engine API, resourcePolicies: one of"
        )


def _policy_releases(world: Simulation, policy: Record) -> None:
    name = str(policy.state["name"])
    for pool in world.store.of_kind(t.NODE_POOL, policy.key):
        if str((pool.state.get("placementPolicy") or {}).get("policyName") or "").rsplit("/", 1)[-1] == name:
            raise paths.in_use("resource_policy", policy.id, pool.id)


KINDS = (
    paths.kind(
        t.RESERVATION, lambda order: f"zones/{order.inputs['zone']}/reservations", _admit_reservation,
        replace=frozenset({"name", "project", "zone", "description", "specificReservationRequired", "specificReservation.instanceProperties"}),
        outputs=_reservation_outputs, releases=_reservation_releases, starts="READY",
    ),
    paths.kind(
        t.FUTURE_RESERVATION, lambda order: f"zones/{paths.zone(order)}/futureReservations", _admit_future,
        replace=frozenset({"name", "project", "zone"}), starts="PENDING_APPROVAL",
    ),
    paths.kind(
        t.POLICY, lambda order: f"regions/{paths.region(order)}/resourcePolicies", _admit_policy,
        replace=frozenset({"name", "project", "region", "description", "groupPlacementPolicy", "instanceSchedulePolicy", "workloadPolicy"}),
        outputs=lambda order, id_: paths.computed(order, id_, region=paths.region(order)), releases=_policy_releases, starts="READY",
    ),
)  # fmt: skip
