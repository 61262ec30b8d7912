"""What to do about operations that an interrupted engine left open. Pure: the cloud's answers go in, decisions come out.

The engine itself repeats updates, and deletes in a destroy; but after an interrupted create it only warns and makes a second object:
for a GPU pool a second, paid one (H12).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.engine.lookup import Absent, Answer, CannotTell, Exists
from scripts.engine.state import PendingOperation, State
from scripts.errors import Refused


@dataclass(frozen=True)
class Adopt:
    """It exists: record it under `id`."""

    operation: PendingOperation
    id: str


@dataclass(frozen=True)
class Clear:
    """It does not exist, or making it again makes nothing twice: forget the attempt."""

    operation: PendingOperation
    why: str


@dataclass(frozen=True)
class Stop:
    """Nobody but a person can tell."""

    operation: PendingOperation
    why: str


Decision = Adopt | Clear | Stop


def decide(operation: PendingOperation, ask: Callable[[PendingOperation], Answer]) -> Decision:
    """The decision on one operation; `ask` is called only for creates of real things."""
    if operation.kind != "creating":
        return Clear(operation, f"{operation.kind} it is repeated, or its result is read from the cloud")
    if not operation.in_cloud:
        return Clear(operation, "it exists in the state only")
    match ask(operation):
        case Exists(ids=(only,)):
            return Adopt(operation, only)
        case Exists(ids=ids):
            return Stop(operation, f"there are {len(ids)} with its identity: {', '.join(sorted(ids))}")
        case Absent(why=why):
            return Clear(operation, why)
        case CannotTell(reason=reason):
            return Stop(operation, reason)


def repaired(state: State, decisions: tuple[Decision, ...], *, stack: str) -> State:
    """`state` with every adopted object recorded and nothing pending. Raises Refused, naming each, while any decision is Stop."""
    stops = [decision for decision in decisions if isinstance(decision, Stop)]
    if stops:
        raise Refused(_stopped(stops, stack))
    return state.with_resources(tuple(_record(decision) for decision in decisions if isinstance(decision, Adopt)))


def _record(decision: Adopt) -> Mapping[str, Any]:
    """The resource as registered, with its id. Its outputs are read from the cloud by the refresh that follows."""
    resource = dict(decision.operation.resource)
    return {**resource, "id": decision.id, "outputs": {**(resource.get("inputs") or {}), "id": decision.id}}


def _stopped(stops: list[Stop], stack: str) -> str:
    named = "\n".join(f"  - {stop.operation.type} {stop.operation.name}: {stop.why}\n    {stop.operation.urn}" for stop in stops)
    return (
        f"An earlier run on stack {stack} was cut off while it made something, and whether that exists cannot be told from here:\n{named}\n"
        f"Nothing was changed. Look in the cloud. If it exists, delete it there, or record it with `pulumi import`; "
        f"then run `pulumi refresh --clear-pending-creates --stack {stack}` and try again."
    )
