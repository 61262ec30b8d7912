"""The Azure door: what the azure-mgmt clients call with `base_url` and any bearer token. Versions of the API are accepted as they come."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from scripts.arm_paths import ArmType, parse, subscription_of
from scripts.errors import GpukitError
from scripts.sandbox import kinds
from scripts.sandbox.doors.azure import listing, metrics, views
from scripts.sandbox.doors.azure.actions import action
from scripts.sandbox.doors.azure.operations import Operations, failure, headers
from scripts.sandbox.doors.azure.shapes import inputs_of, instance_view, shown
from scripts.sandbox.doors.http import Request, Response
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import find, place_of
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.passing import catch_up
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Given, Simulation
from scripts.sandbox.store import Record

_ARM = "Azure Resource Manager common errors"
_VERSION = re.compile(r"\d{4}-\d{2}-\d{2}(-[a-z]+)?")
_OPERATION = re.compile(r".*/providers/Microsoft\.Simulated/locations/global/(?P<what>operations|operationResults)/(?P<name>[^/]+)")
_ACCEPTED = frozenset({t.DISK, t.STORAGE_ACCOUNT})
"""Types whose create is answered with 202 while it runs, not with 201 (Azure REST reference)."""
_AT_ONCE = frozenset(
    {
        *(t.STORAGE_ACCOUNT, t.BLOB_CONTAINER, t.MANAGEMENT_POLICY, t.RESERVATION_GROUP, t.PLACEMENT_GROUP, t.IDENTITY, t.VAULT),
        *(t.FEDERATED_CREDENTIAL, t.ROLE_ASSIGNMENT, t.LOCK, t.BUDGET, t.DIAGNOSTIC_SETTING, t.CLUSTER_MAINTENANCE),
    }
)
"""Types whose delete is no long-running operation (Azure REST reference)."""
_GROUPS = re.compile(r"/subscriptions/(?P<subscription>[^/]+)/resourcegroups", re.IGNORECASE)
_RESOURCES = re.compile(r"(?P<above>/subscriptions/[^/]+(/resourceGroups/[^/]+)?)/resources", re.IGNORECASE)


def door(world: Simulation) -> Callable[[Request], Response]:
    desk = _Desk(world)

    def answer(request: Request) -> Response:
        try:
            return desk.answer(request)
        except GpukitError as error:
            return failure(error)

    return answer


class _Desk:
    def __init__(self, world: Simulation) -> None:
        self.world = world
        self.operations = Operations(world)

    def answer(self, request: Request) -> Response:
        self._refuse_strangers(request)
        catch_up(self.world)
        path = request.path.rstrip("/")
        self._refuse_throttled(path)
        metered = metrics.answer(self.world, request, path)
        if metered is not None:
            return metered
        asked = _OPERATION.fullmatch(path)
        if asked is not None:
            return self._operation(asked["what"], asked["name"])
        view = views.route(request.method, path)
        if view is not None:
            return Response.of_json(view[0](views.View(self.world, view[1], request.query, _body(request))))
        return self._of_objects(request, path)

    def _refuse_strangers(self, request: Request) -> None:
        """No call without a token, a version, and the subscription of this world."""
        if not request.headers.get("authorization", "").startswith("Bearer "):
            message = (
                "Authentication failed. The 'Authorization' header is missing or no bearer token: any token opens the simulated Azure."
            )
            raise Refusal("AuthenticationFailed", message, source=_ARM, status=401)
        version = request.one("api-version")
        if metrics.SENT.fullmatch(request.path) and request.method == "POST":
            version = "2018-01-01"  # the regional endpoint of metrics knows no versions
        if version is None or not _VERSION.fullmatch(version):
            raise Refusal(
                "MissingApiVersionParameter", f"The api-version query parameter (?api-version=) is required, not {version!r}.", source=_ARM
            )
        own, given = self.world.account("azure"), subscription_of(request.path)
        if given and given.lower() != own.lower():
            raise Refusal(
                "SubscriptionNotFound",
                f"The subscription '{given}' could not be found: the simulated one is {own}.",
                source=_ARM,
                status=404,
            )

    def _refuse_throttled(self, path: str) -> None:
        """The service of a `throttle` fault is the last provider's, such as `compute`."""
        word = re.search(r".*/providers/Microsoft\.(\w+)", path, re.IGNORECASE)
        if self.world.faults.throttled(word[1].lower() if word else "resources"):
            message = "Number of requests exceeded the limit (injected fault). Please try again after '0' seconds."
            raise Refusal(
                "TooManyRequests", message, source="Azure Resource Manager documentation, request limits and throttling", status=429
            )

    def _operation(self, what: str, name: str) -> Response:
        status = self.operations.status(name)
        if what == "operations":
            return Response.of_json(status)
        if status["status"] == "InProgress":
            return Response(202)
        return Response.of_json({"error": status["error"]}, 400) if "error" in status else Response(204)

    def _of_objects(self, request: Request, path: str) -> Response:
        base = f"http://{request.headers.get('host', '127.0.0.1')}/azure"
        match request.method:
            case "GET" | "HEAD":
                return self._get(request, path, base)
            case "PUT" | "PATCH":
                return self._put(request, path, base)
            case "DELETE":
                return self._delete(path, base)
            case "POST":
                return self._act(request, path, base)
            case other:
                raise Refusal("MethodNotAllowed", f"{other} is not answered.", source=_ARM, status=405)

    def _get(self, request: Request, path: str, base: str) -> Response:
        record = find(self.world, path)
        if record is not None:
            return Response(204) if request.method == "HEAD" else Response.of_json(shown(self.world, record))
        condition, address = request.one("$filter") or "", f"{base}{path}"
        groups, resources = _GROUPS.fullmatch(path), _RESOURCES.fullmatch(path)
        if groups is not None:
            found = listing.groups(self.world, groups["subscription"], condition)
            return Response.of_json(listing.page(self.world, found, request.query, address))
        if resources is not None:
            found = listing.resources(self.world, resources["above"], condition)
            return Response.of_json(listing.page(self.world, found, request.query, address, lines=True))
        return self._get_part(request, path, address)

    def _get_part(self, request: Request, path: str, address: str) -> Response:
        above, _, last = path.rpartition("/")
        machine = find(self.world, above) if last.lower() == "instanceview" else None
        if machine is not None:
            return Response.of_json(instance_view(machine))
        if last.lower() == "networkinterfaces" and "/virtualmachinescalesets/" in path.lower():
            found = [
                r
                for r in self.world.store.of_kind(t.INTERFACE, place_of(subscription_of(path)).key)
                if r.id.lower().startswith(f"{above}/".lower())
            ]
            return Response.of_json(listing.page(self.world, found, request.query, address))
        listed = listing.collection(self.world, path)
        if listed is None:
            raise _absent(path)
        return Response.of_json(listing.page(self.world, listed, request.query, address))

    def _put(self, request: Request, path: str, base: str) -> Response:
        named = parse(path)
        if named is None:
            raise Refusal("InvalidResourceType", f"The simulated Azure does not know what {path} is.", source=_ARM, status=404)
        kind, parts = named
        before, body = find(self.world, path), _body(request)
        if request.method == "PATCH" and before is None:
            raise _absent(path)
        inputs = {**inputs_of(kind.token, body), **{name: parts[name] for name in kind.inputs}}
        if request.method == "PATCH" and before is not None:
            inputs = _merged(before.inputs, inputs)
        begun = self.operations.run("put", path, lambda: self._made(kind, inputs, before))
        record = find(self.world, path)
        if record is None:
            raise _absent(path)
        made = (200 if begun.ended else 202) if kind.token in _ACCEPTED else 201
        extra = {} if begun.ended else headers(base, path, begun.name)
        return Response(200 if before is not None else made, json.dumps(shown(self.world, record)).encode(), headers=extra)

    def _made(self, kind: ArmType, inputs: dict[str, Any], before: Record | None) -> Record:
        key = before.key if before else place_of(self.world.account("azure")).key
        place = place_of(key.split("/")[1])
        order = Order(
            world=self.world, place=place, token=kind.token, name=str(inputs.get(kind.name_input, "")), inputs=inputs, before=before
        )
        tags = {k: str(v) for k, v in (inputs.get("tags") or {}).items()}
        given = Given(self.world.vault.hide(inputs), tags)
        behaviour = kinds.kind(kind.token)
        return self.world.update(behaviour, order, given=given) if before is not None else self.world.create(behaviour, order, given=given)

    def _delete(self, path: str, base: str) -> Response:
        record = find(self.world, path)
        if record is None:
            return Response(204)
        begun = self.operations.run("delete", path, lambda: self._gone(record))
        return Response(200) if record.kind in _AT_ONCE else Response(202, headers=headers(base, path, begun.name))

    def _gone(self, record: Record) -> None:
        if record.kind == t.SCALE_SET_VM:
            from scripts.sandbox.kinds.azure import scaling

            with self.world.store.transaction():
                scaling.end(self.world, record)
            return
        self.world.delete(kinds.kind(record.kind), record)

    def _act(self, request: Request, path: str, base: str) -> Response:
        above, _, verb = path.rpartition("/")
        record, body = find(self.world, above), _body(request)
        if record is None:
            raise _absent(above)
        wanted, answers = action(record, verb), list[dict[str, Any]]()

        def work() -> None:
            with self.world.store.transaction():
                answer = wanted(self.world, record, body)
                answers.extend([answer] if answer is not None else [])
                self.world.tick()

        begun = self.operations.run("put", above, work)
        return Response.of_json(answers[0]) if answers else Response(202, headers=headers(base, above, begun.name))


def _body(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(request.body or b"{}")
    except ValueError as error:
        raise Refusal(
            "InvalidRequestContent", f"The request content was invalid and could not be deserialized: {error}", source=_ARM
        ) from error
    return body if isinstance(body, dict) else {}


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """PATCH changes what it names; objects are merged, lists and scalars replaced (RFC 7396)."""
    made = dict(old)
    for name, value in new.items():
        present = made.get(name)
        made[name] = _merged(present, value) if isinstance(present, dict) and isinstance(value, dict) and name != "tags" else value
    return made


def _absent(path: str) -> Refusal:
    named = parse(path)
    code = "ResourceGroupNotFound" if named is not None and named[0].token == t.RESOURCE_GROUP else "ResourceNotFound"
    return Refusal(code, f"The Resource '{path}' was not found.", source=_ARM, status=404)
