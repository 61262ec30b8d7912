"""One request at the GCP door: what it asks for, how answers and errors look, and the table of what is answered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from scripts.sandbox.doors.http import Response
from scripts.sandbox.place import Place
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

_REASONS = {
    400: "badRequest",
    401: "required",
    403: "forbidden",
    404: "notFound",
    409: "conflict",
    412: "conditionNotMet",
    429: "rateLimitExceeded",
}
_STATUSES = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ALREADY_EXISTS",
    412: "FAILED_PRECONDITION", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request whose path has been understood."""

    world: Simulation
    words: Mapping[str, str]
    """The parts of the path that its template names."""
    query: Mapping[str, list[str]] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def project(self) -> str:
        return self.words.get("project") or self.one("project") or self.world.account("gcp")

    @property
    def key(self) -> str:
        return Place("gcp", self.project, "global").key

    def one(self, name: str) -> str:
        return (self.query.get(name) or [""])[0]

    def records(self, kind: str) -> list[Record]:
        return self.world.store.of_kind(kind, self.key)

    def find(self, kind: str, id_: str) -> Record:
        """Raises Refusal 404 when there is no such object."""
        found = self.world.store.get(kind, self.key, id_)
        if found is None:
            raise Refusal("notFound", f"The resource '{id_}' was not found", source="Google API errors, notFound", status=404)
        return found


Handler = Callable[[Call], dict[str, Any]]
Shape = Callable[[Simulation, Record], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Route:
    """What answers a method on the paths of a template: `{name}` stands for one word, `{name:}` for the rest."""

    method: str
    template: str
    handler: Handler

    def match(self, method: str, path: str) -> dict[str, str] | None:
        found = _pattern(self.template).fullmatch(path) if method == self.method else None
        return found.groupdict() if found else None


@lru_cache(maxsize=1024)
def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"(\{\w+:?\})", template)
    return re.compile("".join(_part(part) for part in parts))


def _part(part: str) -> str:
    if not part.startswith("{"):
        return re.escape(part)
    name = part.strip("{}")
    return f"(?P<{name.removesuffix(':')}>.+)" if name.endswith(":") else f"(?P<{name}>[^/:]+)"


def get(template: str, handler: Handler) -> Route:
    return Route(method="GET", template=template, handler=handler)


def post(template: str, handler: Handler) -> Route:
    return Route(method="POST", template=template, handler=handler)


def delete(template: str, handler: Handler) -> Route:
    return Route(method="DELETE", template=template, handler=handler)


def error(refusal: Refusal) -> Response:
    """In the form that all of Google's REST APIs share."""
    status = refusal.status
    reason = (
        refusal.code
        if " " not in refusal.code
        else refusal.message.rpartition(", ")[2]
        if ", " in refusal.message
        else _REASONS.get(status, "invalid")
    )
    message = refusal.message
    body = {
        "code": status,
        "message": message,
        "status": _STATUSES.get(status, "INTERNAL"),
        "errors": [{"message": message, "domain": "global", "reason": reason}],
    }
    return Response.of_json({"error": body}, status)


def page(call: Call, items: Iterable[dict[str, Any]], name: str, *, size: str = "maxResults") -> dict[str, Any]:
    """A list as Google's APIs cut it: `maxResults` or `pageSize`, and a token that is the place to go on at."""
    everything = list(items)
    most, start = int(call.one(size) or 0), int(call.one("pageToken") or 0)
    chosen = everything[start : start + most] if most else everything[start:]
    more = {"nextPageToken": str(start + most)} if most and start + most < len(everything) else {}
    return {name: chosen, **more} if chosen else more


def body_of(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text or b"{}")
    except ValueError as problem:
        raise Refusal("parseError", f"Parse Error: {problem}", source="Google API errors, parseError") from problem
    return found if isinstance(found, dict) else {}
