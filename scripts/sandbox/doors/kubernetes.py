"""The Kubernetes door: an API server per simulated cluster, at `/eks/…`, `/gke/…` or `/aks/…`, as the Kubernetes client SDKs call it.

Not checked: who asks (tokens and certificates are accepted unseen), admission, schemas of custom kinds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from scripts.errors import GpukitError
from scripts.sandbox import api_server, clouds, objects, vault
from scripts.sandbox.doors import kube_names
from scripts.sandbox.doors.http import Request, Response
from scripts.sandbox.doors.kube_patch import APPLY, patched
from scripts.sandbox.doors.kube_paths import Target, discovery, target_of
from scripts.sandbox.doors.kube_select import fielded, labelled, selected
from scripts.sandbox.objects import KUBERNETES
from scripts.sandbox.passing import catch_up
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

_POLL_SECONDS = 0.2
_BUDGET = "kubernetes:policy/v1:PodDisruptionBudget"


def door(world: Simulation) -> Callable[[Request], Response]:
    """Serves the addresses of all clouds' clusters."""

    def answer(request: Request) -> Response:
        catch_up(world)
        found = clouds.addressed(world, f"{request.door}{request.path}")
        cluster = clouds.cluster_of(world, found[0]) if found else None
        if found is None or cluster is None:
            return Response(hang_up=True)
        place, path = found
        try:
            return _serve(world, request, place.key, path, clouds.of(place.cloud).version(cluster))
        except Refusal as refusal:
            return _status(refusal.status, refusal.code, refusal.message)
        except GpukitError as error:
            return _status(500, "InternalError", str(error))

    return answer


def _status(code: int, reason: str, message: str, *, details: Mapping[str, Any] | None = None) -> Response:
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success" if code < 400 else "Failure",
        "message": message,
        "code": code,
    }
    return Response.of_json({**body, **({"reason": reason} if reason else {}), **({"details": details} if details else {})}, code)


def _serve(world: Simulation, request: Request, key: str, path: list[str], version: str) -> Response:
    discovered = discovery(world, key, path, version)
    if discovered is not None:
        return Response.of_json(discovered)
    if path[0] == "openapi" or len(path) < (2 if path[0] == "api" else 3):
        return _status(404, "NotFound", f"the simulated API server has nothing at /{'/'.join(path)}")
    target = target_of(key, path)
    verb = _VERBS.get((request.method, bool(target.name)))
    if verb is None:
        return _status(405, "MethodNotAllowed", f"{request.method} is not allowed on /{'/'.join(path)}")
    return verb(world, request, target)


def _kind(world: Simulation, target: Target) -> str:
    kind = kube_names.kind_named(world, target.key, target.api_version, target.plural)
    if kind is None:
        raise Refusal("NotFound", "the server could not find the requested resource", source=KUBERNETES, status=404)
    return kind


def _record(world: Simulation, target: Target) -> Record:
    kind = _kind(world, target)
    token = objects.token(target.api_version, kind)
    record = world.store.get(token, target.key, objects.object_id(target.namespace, target.name))
    if record is None:
        raise Refusal("NotFound", f'{target.plural} "{target.name}" not found', source=KUBERNETES, status=404)
    return record


def _show(world: Simulation, record: Record) -> dict[str, Any]:
    api_version, kind = objects.kind_of(record.kind)
    body = vault.unmarked(api_server.seen(world, record))
    return {"apiVersion": api_version, "kind": kind, **{k: v for k, v in body.items() if not k.startswith("__")}}


def _body(request: Request) -> Any:
    try:
        return yaml.safe_load(request.body) if "yaml" in request.headers.get("content-type", "") else json.loads(request.body or b"{}")
    except (ValueError, yaml.YAMLError) as error:
        raise Refusal("BadRequest", f"the body cannot be read: {error}", source=KUBERNETES) from error


def _matching(world: Simulation, request: Request, target: Target) -> list[Record]:
    token = objects.token(target.api_version, _kind(world, target))
    found = [r for r in world.store.of_kind(token, target.key) if not target.namespace or r.id.startswith(f"{target.namespace}/")]
    labels, fields = request.one("labelSelector") or "", request.one("fieldSelector") or ""
    return [r for r in found if labelled(r.state["metadata"].get("labels") or {}, labels) and fielded(r.state, fields)]


def _list(world: Simulation, request: Request, target: Target) -> Response:
    if (request.one("watch") or "").lower() in ("true", "1"):
        return Response(stream=_watch(world, request, target))
    records = _matching(world, request, target)
    limit, after = int(request.one("limit") or 0), request.one("continue") or ""
    rest = [r for r in records if r.id > after] if after else records
    chosen = rest[:limit] if limit else rest
    metadata: dict[str, Any] = {"resourceVersion": str(world.store.meta("serial", 0))}
    if len(chosen) < len(rest):
        metadata |= {"continue": chosen[-1].id, "remainingItemCount": len(rest) - len(chosen)}
    items = [_show(world, r) for r in chosen]
    return Response.of_json({"kind": f"{_kind(world, target)}List", "apiVersion": target.api_version, "metadata": metadata, "items": items})


def _watch(world: Simulation, request: Request, target: Target) -> Iterator[bytes]:
    """Changes as they come, until the client's time-out (default: five minutes)."""
    since = request.one("resourceVersion") or "0"
    known = {
        r.id: r for r in _matching(world, request, target) if since != "0" and int(r.state["metadata"]["resourceVersion"]) <= int(since)
    }
    end = time.monotonic() + float(request.one("timeoutSeconds") or 300)
    while True:
        present = {r.id: r for r in _matching(world, request, target)}
        for id_, record in present.items():
            if id_ not in known or known[id_].state != record.state:
                yield _event("MODIFIED" if id_ in known else "ADDED", _show(world, record))
        for id_ in known.keys() - present.keys():
            yield _event("DELETED", _show(world, known[id_]))
        known = present
        if time.monotonic() >= end:
            return
        time.sleep(_POLL_SECONDS)


def _event(kind: str, body: Mapping[str, Any]) -> bytes:
    return json.dumps({"type": kind, "object": body}).encode() + b"\n"


def _create(world: Simulation, request: Request, target: Target) -> Response:
    body = _body(request)
    kind = body.get("kind") or _kind(world, target)
    if kube_names.plural(kind) != target.plural:
        raise Refusal("BadRequest", f"{kind} in the body does not match {target.plural} in the path", source=KUBERNETES)
    metadata = dict(body.get("metadata") or {})
    if target.namespace:
        metadata["namespace"] = target.namespace
    return _put(world, request, {**body, "apiVersion": target.api_version, "kind": kind, "metadata": metadata}, target.key)


def _put(world: Simulation, request: Request, body: Mapping[str, Any], key: str) -> Response:
    if request.one("dryRun"):
        return Response.of_json(body, 201)
    with world.store.transaction():
        record = objects.put(world, key, body)
    return Response.of_json(_show(world, record), 201)


def _get(world: Simulation, _request: Request, target: Target) -> Response:
    record = _record(world, target)
    if target.part == "log":
        return Response(200, b"simulated: nothing runs in this cluster\n", "text/plain")
    return Response.of_json(_scale(record) if target.part == "scale" else _show(world, record))


def _scale(record: Record) -> dict[str, Any]:
    spec, meta = record.state.get("spec") or {}, record.state["metadata"]
    return {
        "kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {"name": meta["name"], "namespace": meta.get("namespace")},
        "spec": {"replicas": spec.get("replicas", 1)}, "status": {"replicas": spec.get("replicas", 1)},
    }  # fmt: skip


def _replace(world: Simulation, request: Request, target: Target) -> Response:
    return _change(world, request, target, lambda _: _body(request))


def _patch(world: Simulation, request: Request, target: Target) -> Response:
    content_type = request.headers.get("content-type", "").split(";")[0]
    body = _body(request)
    if (
        content_type == APPLY
        and world.store.get(
            objects.token(target.api_version, str(body.get("kind"))), target.key, objects.object_id(target.namespace, target.name)
        )
        is None
    ):
        return _create(world, request, target)
    return _change(world, request, target, lambda old: patched(old, body, content_type))


def _change(world: Simulation, request: Request, target: Target, new_body: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> Response:
    with world.store.transaction():
        record = _record(world, target)
        old = record.state
        new = new_body(_scale(record) if target.part == "scale" else old)
        if target.part == "scale":
            new = {**old, "spec": {**(old.get("spec") or {}), "replicas": int((new.get("spec") or {}).get("replicas", 1))}}
        elif target.part == "status":
            new = {**old, "status": new.get("status") or {}}
        if request.one("dryRun"):
            return Response.of_json(new)
        changed = objects.replace_body(world, record, new)
        if "deletionTimestamp" in changed.state["metadata"] and not changed.state["metadata"].get("finalizers"):
            objects.remove(world, changed)
    answer = _scale(changed) if target.part == "scale" else _show(world, changed)
    return Response.of_json(answer)


def _delete(world: Simulation, _request: Request, target: Target) -> Response:
    with world.store.transaction():
        record = _record(world, target)
        left = objects.remove(world, record)
    if left is not None:
        return Response.of_json(_show(world, left))
    return _status(200, "", "", details={"name": target.name, "kind": target.plural, "uid": record.state["metadata"].get("uid")})


def _delete_all(world: Simulation, request: Request, target: Target) -> Response:
    with world.store.transaction():
        for record in _matching(world, request, target):
            objects.remove(world, record)
    return _status(200, "", "")


def _act(world: Simulation, _request: Request, target: Target) -> Response:
    """POST below an object: evictions."""
    record = _record(world, target)
    if target.part != "eviction":
        raise Refusal("NotFound", f"{target.plural}/{target.part} is not simulated", source=KUBERNETES, status=404)
    if any(_forbids(budget, target, record) for budget in world.store.of_kind(_BUDGET, target.key)):
        raise Refusal("TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", source=KUBERNETES, status=429)
    with world.store.transaction():
        objects.remove(world, record)
    return _status(201, "", "")


def _forbids(budget: Record, target: Target, pod: Record) -> bool:
    """Whether a disruption budget allows no disruption at all of this pod; budgets that count are not simulated."""
    spec: Mapping[str, Any] = budget.state.get("spec") or {}
    concerns = budget.id.startswith(f"{target.namespace}/") and selected(pod.state["metadata"].get("labels") or {}, spec.get("selector"))
    return concerns and (str(spec.get("maxUnavailable", "")) in ("0", "0%") or str(spec.get("minAvailable", "")) == "100%")


_VERBS: Mapping[tuple[str, bool], Callable[[Simulation, Request, Target], Response]] = {
    ("GET", False): _list,
    ("GET", True): _get,
    ("POST", False): _create,
    ("POST", True): _act,
    ("PUT", True): _replace,
    ("PATCH", True): _patch,
    ("DELETE", True): _delete,
    ("DELETE", False): _delete_all,
}
