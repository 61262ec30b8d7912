"""Long-running operations as Resource Manager does them: accepted at once, then asked for until they end."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scripts.arm_paths import subscription_of
from scripts.errors import GpukitError
from scripts.sandbox.doors.http import Response
from scripts.sandbox.kinds.azure.arm import find
from scripts.sandbox.refusal import NotReady, Refusal
from scripts.sandbox.simulation import Simulation

_PATIENCE = 0.25
"""Seconds for which a request waits: what a cloud refuses it refuses within them."""


@dataclass
class _Running:
    thread: threading.Thread
    error: GpukitError | None = None


@dataclass(frozen=True)
class Begun:
    """An operation that a request began, and whether it has ended already."""

    name: str
    ended: bool


@dataclass
class Operations:
    """Creates and deletes that are under way in this process. What a killed server had begun is told by whether its object is there."""

    world: Simulation
    _all: dict[str, _Running] = field(default_factory=dict[str, _Running])

    def run(self, verb: str, path: str, work: Callable[[], object]) -> Begun:
        """Begin `work` on the object of a path. Raises its Refusal, if it comes soon."""
        serial = self.world.new_id("", 6)
        name = f"{base64.urlsafe_b64encode(f'{verb} {path}'.encode()).decode().rstrip('=')}.{serial}"
        running = _Running(threading.Thread(target=self._work, args=(name, work), daemon=True))
        self._all[name] = running
        running.thread.start()
        running.thread.join(_PATIENCE)
        if running.thread.is_alive():
            return Begun(name, ended=False)
        del self._all[name]
        if running.error is not None and not (verb == "put" and isinstance(running.error, NotReady)):
            raise running.error
        return Begun(name, ended=True)

    def _work(self, name: str, work: Callable[[], object]) -> None:
        try:
            work()
        except GpukitError as error:
            running = self._all.get(name)
            if running is not None:
                running.error = error

    def status(self, name: str) -> dict[str, Any]:
        """What the operation's address answers."""
        running = self._all.get(name)
        if running is not None and running.thread.is_alive():
            return {"name": name, "status": "InProgress"}
        error = running.error if running is not None else None
        if error is not None:
            return {"name": name, "status": "Failed", "error": error_body(error)}
        verb, path = _decoded(name)
        there = find(self.world, path)
        ended = there is None if verb == "delete" else there is not None and there.status != "Failed"
        return {"name": name, "status": "Succeeded" if ended else "Failed"}


def _decoded(name: str) -> tuple[str, str]:
    """Raises Refusal for a name that this door did not give."""
    text = name.partition(".")[0]
    try:
        verb, _, path = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().partition(" ")
    except ValueError as error:
        raise Refusal("NotFound", f"The operation {name} was not found.", source="Azure Resource Manager", status=404) from error
    return verb, path


def headers(base: str, path: str, name: str) -> Mapping[str, str]:
    """Where a client asks for an operation. `base`: the door's address."""
    where = f"{base}/subscriptions/{subscription_of(path)}/providers/Microsoft.Simulated/locations/global"
    return {
        "Azure-AsyncOperation": f"{where}/operations/{name}?api-version=2024-01-01",
        "Location": f"{where}/operationResults/{name}?api-version=2024-01-01",
    }


def error_body(error: GpukitError) -> dict[str, Any]:
    code = error.code if isinstance(error, Refusal | NotReady) else "InternalServerError"
    message = error.message if isinstance(error, Refusal | NotReady) else str(error)
    return {"code": code, "message": message}


def failure(error: GpukitError) -> Response:
    return Response.of_json({"error": error_body(error)}, error.status if isinstance(error, Refusal) else 500)
