"""Cloud Storage's JSON API (`/storage/v1`): buckets; there are no objects in this world."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors.gcp.call import Call, Route, delete, get, page
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

_BUCKET = "/storage/v1/b/{bucket}"


def _bucket(call: Call) -> Record:
    """Bucket names are one space: a path names no project."""
    name = call.words["bucket"]
    found = next((r for r in call.world.store if r.kind == t.BUCKET and r.id == name), None)
    if found is None:
        raise Refusal("notFound", "The specified bucket does not exist.", source="Cloud Storage JSON API, status codes", status=404)
    return found


def _shown(record: Record) -> dict[str, Any]:
    state = record.state
    uniform = bool(state.get("uniformBucketLevelAccess"))
    made = {
        "kind": "storage#bucket", "id": record.id, "name": record.id, "selfLink": state["selfLink"], "location": state["location"],
        "storageClass": state["storageClass"], "timeCreated": state["timeCreated"], "updated": state["updated"], "metageneration": "1", "etag": "CAE=",
        "labels": dict(record.tags),
        "iamConfiguration": {
            "uniformBucketLevelAccess": {"enabled": uniform}, "publicAccessPrevention": state.get("publicAccessPrevention", "inherited"),
        },
        "versioning": {"enabled": bool((state.get("versioning") or {}).get("enabled"))},
        "hierarchicalNamespace": {"enabled": bool((state.get("hierarchicalNamespace") or {}).get("enabled"))},
    }  # fmt: skip
    return {name: value for name, value in made.items() if value != {}}


def _list(call: Call) -> dict[str, Any]:
    prefix = call.one("prefix")
    items = [_shown(record) for record in call.records(t.BUCKET) if record.id.startswith(prefix)]
    return {"kind": "storage#buckets", **page(call, items, "items")}


def _delete(call: Call) -> dict[str, Any]:
    call.world.delete(kinds.kind(t.BUCKET), _bucket(call))
    return {}


def _patch(call: Call) -> dict[str, Any]:
    """Labels alone: null takes one away."""
    record = _bucket(call)
    changed = {**record.tags, **(call.body.get("labels") or {})}
    labels = {str(name): str(value) for name, value in changed.items() if value is not None}
    with call.world.store.transaction():
        record = call.world.store.put(replace(record, tags=labels))
    return _shown(record)


def _objects(call: Call) -> dict[str, Any]:
    _bucket(call)
    return {"kind": "storage#objects"}


ROUTES: tuple[Route, ...] = (
    get("/storage/v1/b", _list),
    get(_BUCKET, lambda call: _shown(_bucket(call))),
    delete(_BUCKET, _delete),
    Route(method="PATCH", template=_BUCKET, handler=_patch),
    get(f"{_BUCKET}/o", _objects),
)
