"""What happens on AWS because time passed: scheduled actions of scaling groups, and the end of reserved capacity."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from scripts.sandbox.clouds import Due
from scripts.sandbox.kinds.aws import controllers, reservation, scaling
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

EKS_SCALES_DOWN_BEFORE = timedelta(minutes=40)
"""EKS's own scheduled action on groups of a capacity block (EKS user guide, managed node groups with Capacity Blocks)."""
UNCHANGED = -1


def due(world: Simulation) -> Iterator[Due]:
    """Everything that has a moment, past or to come."""
    yield from controllers.due(world)
    for record in list(world.store):
        if record.kind == t.SCHEDULE and record.state.get("startTime"):
            yield datetime.fromisoformat(str(record.state["startTime"])), record.ref, lambda r=record: _act(world, r)
        if record.kind == t.CAPACITY_RESERVATION:
            yield from _ends(world, record)


def _act(world: Simulation, action: Record) -> None:
    """A scheduled action runs once and is gone. Sizes that it leaves out stay; -1 is how the provider writes that."""
    world.store.drop(action)
    group = world.store.get(t.SCALING_GROUP, action.key, str(action.state["autoscalingGroupName"]))
    if group is None or "ScheduledActions" in group.state.get("suspended", ()):
        return
    names = {"minSize": "minSize", "maxSize": "maxSize"}
    sizes = {mine: int(action.state[name]) for mine, name in names.items() if int(action.state.get(name, UNCHANGED)) != UNCHANGED}
    desired = int(action.state.get("desiredCapacity", UNCHANGED))
    _resize(world, group.with_state(**sizes), desired if desired != UNCHANGED else int(group.state["desiredCapacity"]))


def _resize(world: Simulation, group: Record, desired: int) -> None:
    low, high = int(group.state["minSize"]), int(group.state["maxSize"])
    scaling.set_desired(world, world.store.put(group), min(max(desired, low), high))


def _ends(world: Simulation, reserved: Record) -> Iterator[Due]:
    ends = reservation.moment(reserved, "endDate")
    if ends is None:
        return
    if not reservation.is_block(reserved):
        if reservation.instances(world, reserved):
            yield ends, reserved.ref, lambda: _let_go(world, reserved)
        return
    groups = [g for g in world.store.of_kind(t.SCALING_GROUP, reserved.key) if reservation.targeted(g.state["template"]) == reserved.id]
    if any(int(g.state["desiredCapacity"]) for g in groups):
        yield ends - EKS_SCALES_DOWN_BEFORE, reserved.ref, lambda: _scale_down(world, groups)
    if reservation.instances(world, reserved):
        yield ends - reservation.ENDS_BEFORE, reserved.ref, lambda: _end(world, reserved)


def _scale_down(world: Simulation, groups: list[Record]) -> None:
    for group in groups:
        present = world.store.by_ref(group.ref)
        if present is not None:
            _resize(world, present.with_state(minSize=0), 0)


def _end(world: Simulation, reserved: Record) -> None:
    """B15: EC2 ends what still runs in the block, whatever its group wants."""
    for instance in reservation.instances(world, reserved):
        scaling.terminate(world, instance)


def _let_go(world: Simulation, reserved: Record) -> None:
    """Instances outlive a plain reservation, and are billed on demand from then on."""
    for instance in reservation.instances(world, reserved):
        world.store.put(instance.with_state(capacityReservationId=""))


def refuse_past(world: Simulation, start: object) -> None:
    """Raises Refusal for an action that would have run already."""
    if isinstance(start, str) and datetime.fromisoformat(start) <= world.clock.now():
        raise Refusal(
            "ValidationError",
            "Given start time is in the past",
            source="Auto Scaling API reference, PutScheduledUpdateGroupAction: an action in the past is an error",
        )
