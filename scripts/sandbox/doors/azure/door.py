"""The door at `/azure`."""

from __future__ import annotations

from collections.abc import Callable

from scripts.sandbox.doors.http import Request, Response
from scripts.sandbox.simulation import Simulation


def door(world: Simulation) -> Callable[[Request], Response]:
    del world

    def answer(request: Request) -> Response:
        return Response.of_json(
            {"error": {"code": 404, "message": f"the simulated Azure does not answer {request.method} {request.path}"}}, 404
        )

    return answer
