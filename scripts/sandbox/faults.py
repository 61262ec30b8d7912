"""Faults that a test or a person injects: each is a rule in the world's journal until it is used up or cleared."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from scripts.errors import BadInput
from scripts.sandbox.refusal import Injected
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.kinds.kind import Order
    from scripts.sandbox.simulation import Simulation

KINDS = {
    "capacity": ("machine", "zone"),
    "fail_before_create": ("type", "times"),
    "fail_after_create": ("type", "times"),
    "fail_update": ("type", "times"),
    "fail_delete": ("type", "times"),
    "latency": ("type", "seconds"),
    "throttle": ("service", "times"),
    "unseen": ("type", "seconds"),
    "api_unreachable": ("cluster",),
}
"""Fault kinds and the settings that each takes. `type` and `machine` may be patterns (`aws:ec2/*`, `p5*`)."""

_SECONDS = {
    "latency": "simulated seconds added to each create and update",
    "unseen": "simulated seconds for which what was just made is in no answer of the AWS door",
}


@dataclass(frozen=True)
class Fault:
    """One injected fault. `left` counts down to nothing; None means until cleared."""

    id: str
    kind: str
    where: dict[str, str]
    left: int | None

    def as_json(self) -> dict[str, Any]:
        return {"id": self.id, "kind": self.kind, "where": self.where, "left": self.left}


class Faults:
    def __init__(self, world: Simulation) -> None:
        self._world = world

    def all(self) -> list[Fault]:
        return [Fault(**entry) for entry in self._world.store.meta("faults", [])]

    def add(self, kind: str, where: dict[str, Any]) -> Fault:
        """Inject a fault. Raises BadInput when the kind or a setting is unknown."""
        if kind not in KINDS:
            raise BadInput(f"there is no fault {kind!r}: choose one of {', '.join(KINDS)}.")
        for name in where:
            if name not in KINDS[kind]:
                raise BadInput(f"the fault {kind} has no setting {name!r}: it takes {', '.join(KINDS[kind])}.")
        settings = {name: str(value) for name, value in where.items() if name != "times"}
        times = _count(where.get("times", 1 if "times" in KINDS[kind] else None))
        if kind in _SECONDS and not settings.get("seconds", "").replace(".", "", 1).isdigit():
            raise BadInput(f"the fault {kind} takes seconds=N, {_SECONDS[kind]}.")
        fault = Fault(self._world.new_id("fault", 8), kind, settings, times)
        self._save([*self.all(), fault])
        return fault

    def clear(self, id_: str | None = None) -> int:
        """Remove one fault, or all. Returns how many there were."""
        kept = [f for f in self.all() if id_ is not None and f.id != id_]
        removed = len(self.all()) - len(kept)
        self._save(kept)
        return removed

    def _save(self, faults: list[Fault]) -> None:
        with self._world.store.transaction():
            self._world.store.set_meta(faults=[f.as_json() for f in faults])

    def _hit(self, kind: str, **facts: str) -> Fault | None:
        """The first fault of this kind that fits the facts; a counted one is used up by it."""
        with self._world.store.transaction():
            for fault in self.all():
                if fault.kind == kind and all(fnmatchcase(facts.get(name, ""), pattern) for name, pattern in fault.where.items()):
                    self._use(fault)
                    return fault
        return None

    def _use(self, fault: Fault) -> None:
        if fault.left is None:
            return
        rest = [f for f in self.all() if f.id != fault.id]
        if fault.left > 1:
            rest.append(Fault(fault.id, fault.kind, fault.where, fault.left - 1))
        self._save(rest)

    def before_create(self, order: Order) -> None:
        if self._hit("fail_before_create", type=order.token):
            raise Injected(f"injected fault: creating {order.token} {order.name} failed before anything was made")

    def after_create(self, order: Order) -> None:
        if self._hit("fail_after_create", type=order.token):
            raise Injected(f"injected fault: {order.token} {order.name} was made, but the answer was lost")

    def before_update(self, order: Order) -> None:
        if self._hit("fail_update", type=order.token):
            raise Injected(f"injected fault: updating {order.token} {order.name} failed")

    def before_delete(self, record: Record) -> None:
        if self._hit("fail_delete", type=record.kind):
            raise Injected(f"injected fault: deleting {record.kind} {record.id} failed")

    def latency(self, token: str) -> float:
        return sum(float(f.where["seconds"]) for f in self.all() if f.kind == "latency" and fnmatchcase(token, f.where.get("type", "*")))

    def hides(self, record: Record) -> bool:
        """Whether an object is too young to be shown (Amazon EC2 Developer Guide, "Eventual consistency in the Amazon EC2 API")."""
        hiding = [f for f in self.all() if f.kind == "unseen" and fnmatchcase(record.kind, f.where.get("type", "*"))]
        if not hiding or not record.created:
            return False
        age = self._world.clock.now() - datetime.fromisoformat(record.created)
        return age.total_seconds() < max(float(f.where["seconds"]) for f in hiding)

    def no_capacity(self, machine: str, zone: str) -> bool:
        return self._hit("capacity", machine=machine, zone=zone) is not None

    def throttled(self, service: str) -> bool:
        return self._hit("throttle", service=service) is not None

    def unreachable(self, cluster: str) -> bool:
        return self._hit("api_unreachable", cluster=cluster) is not None


def _count(value: Any) -> int | None:
    if value is None:
        return None
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise BadInput(f"times is {value!r}: give a whole number of at least 1.")
    return number
