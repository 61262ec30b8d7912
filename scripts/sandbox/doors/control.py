"""The control door: clock, load, faults, what is declared and the end of the server. Only for who can read the world's server file."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping
from typing import Any

from scripts.errors import GpukitError
from scripts.sandbox import declared, load, status
from scripts.sandbox.clock import duration, stamp
from scripts.sandbox.doors.http import Request, Response
from scripts.sandbox.passing import catch_up
from scripts.sandbox.simulation import Simulation

Action = Callable[[Simulation, Mapping[str, Any]], Any]


def _advance(world: Simulation, given: Mapping[str, Any]) -> Any:
    with world.store.transaction():
        now = world.clock.advance(duration(str(given.get("duration", ""))))
        world.tick()
    catch_up(world)
    return {"now": stamp(now)}


def _load(world: Simulation, given: Mapping[str, Any]) -> Any:
    return load.set_load(
        world,
        stack=str(given.get("stack", "")),
        pool=str(given.get("pool", "")),
        nodes=load.node_count(given.get("nodes")),
        gpu_busy=load.share(given.get("gpu_busy", 1.0)),
        pods=None if given.get("pods") is None else load.pod_count(given["pods"]),
    )


def _fault_add(world: Simulation, given: Mapping[str, Any]) -> Any:
    return world.faults.add(str(given.get("kind", "")), dict(given.get("where") or {})).as_json()


def _fault_list(world: Simulation, _given: Mapping[str, Any]) -> Any:
    return {"faults": [fault.as_json() for fault in world.faults.all()]}


def _fault_clear(world: Simulation, given: Mapping[str, Any]) -> Any:
    return {"cleared": world.faults.clear(given.get("id"))}


ACTIONS: Mapping[str, Action] = {
    "status": lambda world, _: status.summary(world),
    "advance": _advance,
    "load": _load,
    "fault/add": _fault_add,
    "fault/list": _fault_list,
    "fault/clear": _fault_clear,
    "declare": declared.declare,
}


def door(world: Simulation, token: str, stop: Callable[[], None]) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        if not hmac.compare_digest(request.headers.get("authorization", ""), f"Bearer {token}"):
            return Response.of_json({"error": "the control door needs the token of the world's server file"}, 401)
        name = request.path.strip("/")
        if name == "stop":
            stop()
            return Response.of_json({"stopping": True})
        action = ACTIONS.get(name)
        if action is None:
            return Response.of_json({"error": f"no action {name!r}: there are {', '.join(ACTIONS)}"}, 404)
        try:
            return Response.of_json(action(world, json.loads(request.body or b"{}")))
        except GpukitError as error:
            return Response.of_json({"error": str(error), "exit": int(error.exit)}, 400)

    return answer
