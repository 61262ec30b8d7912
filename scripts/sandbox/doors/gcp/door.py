"""The door at `/gcp`: Google's REST APIs as google-cloud-compute, -container, -storage and discovery clients call them.

All APIs share one address; their paths tell them apart. Not checked: who asks, and which fields an answer should have.
"""

from __future__ import annotations

from collections.abc import Callable

from scripts.errors import GpukitError
from scripts.sandbox.doors.gcp import compute, container, monitoring, services, storage
from scripts.sandbox.doors.gcp.call import Call, Route, body_of, error
from scripts.sandbox.doors.http import Request, Response
from scripts.sandbox.passing import catch_up
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation

ROUTES: tuple[Route, ...] = (*container.ROUTES, *compute.ROUTES, *storage.ROUTES, *monitoring.ROUTES, *services.ROUTES)
_BY_WORD = {"compute": "compute", "storage": "storage"}


def service_of(path: str) -> str:
    """The service that a fault may throttle: by the path's first word, else by its collection."""
    first = path.strip("/").split("/", 1)[0]
    if path.endswith("/timeSeries"):
        return "monitoring"
    return _BY_WORD.get(first) or ("container" if "/clusters" in path else "google")


def door(world: Simulation) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        try:
            catch_up(world)
            _throttle(world, service_of(request.path))
            return Response.of_json(_answer(world, request))
        except Refusal as refusal:
            return error(refusal)
        except GpukitError as failure:
            return error(Refusal("backendError", str(failure), source="Google API errors, backendError", status=500))

    return answer


def _throttle(world: Simulation, service: str) -> None:
    if world.faults.throttled(service):
        raise Refusal(
            "rateLimitExceeded", "Rate Limit Exceeded (injected fault)",
            source="Compute Engine documentation, rate quotas: 403; Google API errors, rateLimitExceeded: 429",
            status=403 if service == "compute" else 429,
        )  # fmt: skip


def _answer(world: Simulation, request: Request) -> object:
    for route in ROUTES:
        words = route.match(request.method, request.path)
        if words is not None:
            return route.handler(Call(world=world, words=words, query=request.query, body=body_of(request.body)))
    raise Refusal(
        "notFound",
        f"the simulated Google APIs have nothing that answers {request.method} {request.path}",
        source="this world's own rule: nothing is made up",
        status=404,
    )
