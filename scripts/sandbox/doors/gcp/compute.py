"""Compute Engine's REST API (`/compute/v1`): reading and deleting what is there, sizes of managed groups, quotas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from components import catalog
from scripts.sandbox import kinds
from scripts.sandbox.doors.gcp import compute_shapes as shapes
from scripts.sandbox.doors.gcp.call import Call, Handler, Route, Shape, delete, get, page, post
from scripts.sandbox.doors.gcp.filtering import matches
from scripts.sandbox.kinds.gcp import balancing, capacity, groups, paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

_ROOT = "/compute/v1/projects/{project}"
_SCOPES = {"global": "/global", "regions": "/regions/{region}", "zones": "/zones/{zone}"}


@dataclass(frozen=True, kw_only=True)
class Collection:
    """Objects of one type at one scope."""

    token: str
    scope: str
    plural: str
    shape: Shape
    kind: str
    """Google's word for a list's kind, such as `instance`."""

    @property
    def path(self) -> str:
        return f"{_ROOT}{_SCOPES[self.scope]}/{self.plural}"

    def id_of(self, call: Call) -> str:
        where = {"global": "global", "regions": f"regions/{call.words.get('region')}", "zones": f"zones/{call.words.get('zone')}"}[
            self.scope
        ]
        return f"projects/{call.project}/{where}/{self.plural}/{call.words['name']}"


COLLECTIONS = (
    Collection(token=t.NETWORK, scope="global", plural="networks", shape=shapes.network, kind="network"),
    Collection(token=t.FIREWALL, scope="global", plural="firewalls", shape=shapes.firewall, kind="firewall"),
    Collection(token=t.ROUTE, scope="global", plural="routes", shape=shapes.route, kind="route"),
    Collection(token=t.GLOBAL_ADDRESS, scope="global", plural="addresses", shape=shapes.address, kind="address"),
    Collection(token=t.TEMPLATE, scope="global", plural="instanceTemplates", shape=shapes.template, kind="instanceTemplate"),
    Collection(token=t.SUBNETWORK, scope="regions", plural="subnetworks", shape=shapes.subnetwork, kind="subnetwork"),
    Collection(token=t.ROUTER, scope="regions", plural="routers", shape=shapes.router, kind="router"),
    Collection(token=t.ADDRESS, scope="regions", plural="addresses", shape=shapes.address, kind="address"),
    Collection(token=t.POLICY, scope="regions", plural="resourcePolicies", shape=shapes.policy, kind="resourcePolicy"),
    Collection(token=t.INSTANCE, scope="zones", plural="instances", shape=shapes.instance, kind="instance"),
    Collection(token=t.DISK, scope="zones", plural="disks", shape=shapes.disk, kind="disk"),
    Collection(token=t.GROUP, scope="zones", plural="instanceGroupManagers", shape=shapes.group_manager, kind="instanceGroupManager"),
    Collection(token=t.RESERVATION, scope="zones", plural="reservations", shape=shapes.reservation, kind="reservation"),
    *(
        Collection(token=token, scope=scope, plural=plural, shape=shapes.part(plural), kind=plural.removesuffix("s"))
        for token, scope, plural in balancing.PARTS
    ),
)
_NEVER_AGGREGATED = ("networks", "firewalls", "routes", "snapshots")
"""Global kinds that Google lists in one place only."""
LABELLED = {t.INSTANCE, t.DISK, t.ADDRESS, t.GLOBAL_ADDRESS}


def _within(call: Call, collection: Collection) -> list[Record]:
    where = call.words.get("region") or call.words.get("zone")
    found = call.records(collection.token)
    return [r for r in found if where is None or r.id.split("/")[3] == where]


def _list(collection: Collection) -> Handler:
    def answer(call: Call) -> dict[str, Any]:
        items = [collection.shape(call.world, record) for record in _within(call, collection)]
        kept = [item for item in items if matches(item, call.one("filter"))]
        return {"kind": f"compute#{collection.kind}List", "id": "simulated", **page(call, kept, "items")}

    return answer


def _aggregated(collections: tuple[Collection, ...]) -> Handler:
    """By scope: `zones/us-central1-a`, `regions/us-central1`, `global`."""

    def answer(call: Call) -> dict[str, Any]:
        found: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for collection in collections:
            for record in call.records(collection.token):
                item = collection.shape(call.world, record)
                if matches(item, call.one("filter")):
                    scope = "/".join(record.id.split("/")[2:4]) if collection.scope != "global" else "global"
                    found.setdefault(scope, {}).setdefault(collection.plural, []).append(item)
        return {"kind": f"compute#{collections[0].kind}AggregatedList", "id": "simulated", "items": dict(sorted(found.items()))}

    return answer


def _one(collection: Collection) -> Handler:
    return lambda call: collection.shape(call.world, call.find(collection.token, collection.id_of(call)))


def _delete(collection: Collection) -> Handler:
    def answer(call: Call) -> dict[str, Any]:
        record = call.find(collection.token, collection.id_of(call))
        if record.kind == t.INSTANCE and record.parent:
            _end_managed(call, record)
        else:
            call.world.delete(kinds.kind(collection.token), record)
        return operation(record.id, "delete")

    return answer


def _end_managed(call: Call, instance: Record) -> None:
    """A managed group replaces a machine that somebody else deleted (Compute Engine documentation, managed instance groups: autohealing)."""
    with call.world.store.transaction():
        group = call.world.store.by_ref(instance.parent)
        groups.terminate(call.world, instance)
        if group is not None:
            groups.reconcile(call.world, call.world.store.by_ref(group.ref) or group)


def _set_labels(collection: Collection) -> Handler:
    def answer(call: Call) -> dict[str, Any]:
        record = call.find(collection.token, collection.id_of(call))
        labels = {str(k): str(v) for k, v in (call.body.get("labels") or {}).items()}
        with call.world.store.transaction():
            call.world.store.put(replace(record, tags=labels, state={**record.state, "labels": labels}))
        return operation(record.id, "setLabels")

    return answer


def operation(target: str, kind: str) -> dict[str, Any]:
    """An operation that is done already: this world waits before it answers."""
    words = target.split("/")
    where = "/".join(words[2:4]) if words[2] in ("zones", "regions") else "global"
    name = f"operation-simulated-{kind.lower()}"
    root = f"projects/{words[1]}/{where}"
    made = {
        "kind": "compute#operation", "id": "1", "name": name, "operationType": kind, "status": "DONE", "progress": 100,
        "targetLink": paths.self_link(target), "selfLink": paths.self_link(f"{root}/operations/{name}"),
    }  # fmt: skip
    if where != "global":
        made[words[2].removesuffix("s")] = paths.self_link(root)
    return made


def _operation(call: Call) -> dict[str, Any]:
    scope = call.words["scope"]
    return operation(f"projects/{call.project}/{scope}/operations/{call.words['name']}", call.words["name"].rpartition("-")[2])


def _group(call: Call) -> Record:
    id_ = f"projects/{call.project}/zones/{call.words['zone']}/instanceGroupManagers/{call.words['name']}"
    return call.find(t.GROUP, id_)


def _resize(call: Call) -> dict[str, Any]:
    size = call.one("size")
    if not size.isdigit():
        raise Refusal("invalid", f"Invalid value for field 'size': '{size}'", source="Compute Engine API, instanceGroupManagers.resize")
    group = _group(call)
    with call.world.store.transaction():
        groups.resize(call.world, group, int(size))
        call.world.tick()
    return operation(group.id, "resize")


def _managed(call: Call) -> dict[str, Any]:
    items = [shapes.managed_instance(call.world, each) for each in groups.instances(call.world, _group(call))]
    return page(call, items, "managedInstances")


def _region(call: Call) -> dict[str, Any]:
    name = call.words["region"]
    made = paths.self_link(f"projects/{call.project}/regions/{name}")
    quotas = list(_quotas(call, name))
    return {"kind": "compute#region", "id": "1", "name": name, "status": "UP", "selfLink": made, **({"quotas": quotas} if quotas else {})}


def _project(call: Call) -> dict[str, Any]:
    quotas = list(_quotas(call, None))
    link = paths.self_link(f"projects/{call.project}")
    return {"kind": "compute#project", "id": "1", "name": call.project, "selfLink": link, **({"quotas": quotas} if quotas else {})}


def _quotas(call: Call, region: str | None) -> Iterator[dict[str, Any]]:
    """Declared quotas with what is in use: those of a region, or the ones that count over all."""
    declared: Mapping[str, float] = call.world.store.meta("quotas", {})
    known = {quota.code for quota in catalog.quotas("gcp")}
    for code, limit in sorted(declared.items()):
        if code in known and (code == capacity.GLOBAL) is (region is None):
            yield {"metric": code, "limit": float(limit), "usage": capacity.in_use(call.world, call.key, code, region)}


def _machine_types(call: Call) -> dict[str, Any]:
    zone = call.words["zone"]
    offered = [m for m in catalog.machines("gcp") if paths.region_of(zone) in (catalog.regions("gcp", m.name) or (paths.region_of(zone),))]
    items = [shapes.machine_type(zone, machine, call.project) for machine in offered]
    return {
        "kind": "compute#machineTypeList",
        "id": "simulated",
        **page(call, [i for i in items if matches(i, call.one("filter"))], "items"),
    }


def _machine_type(call: Call) -> dict[str, Any]:
    found = catalog.find_machine("gcp", call.words["name"])
    if found is None:
        raise Refusal(
            "notFound", f"The resource 'machineTypes/{call.words['name']}' was not found", source="Google API errors, notFound", status=404
        )
    return shapes.machine_type(call.words["zone"], found, call.project)


def _routes() -> Iterator[Route]:
    by_plural: dict[str, tuple[Collection, ...]] = {}
    for collection in COLLECTIONS:
        by_plural[collection.plural] = (*by_plural.get(collection.plural, ()), collection)
        one = f"{collection.path}/{{name}}"
        yield from (get(collection.path, _list(collection)), get(one, _one(collection)), delete(one, _delete(collection)))
        if collection.token in LABELLED:
            yield post(f"{one}/setLabels", _set_labels(collection))
    for plural, collections in by_plural.items():
        if plural not in _NEVER_AGGREGATED:
            yield get(f"{_ROOT}/aggregated/{plural}", _aggregated(collections))
    manager = f"{_ROOT}/zones/{{zone}}/instanceGroupManagers/{{name}}"
    yield post(f"{manager}/resize", _resize)
    yield post(f"{manager}/listManagedInstances", _managed)
    for scope in ("global", "zones/{place}", "regions/{place}"):
        yield get(f"{_ROOT}/{scope}/operations/{{name}}", _scoped(scope))
        yield post(f"{_ROOT}/{scope}/operations/{{name}}/wait", _scoped(scope))
    yield get(f"{_ROOT}/regions/{{region}}", _region)
    yield get(f"{_ROOT}/zones/{{zone}}/machineTypes", _machine_types)
    yield get(f"{_ROOT}/zones/{{zone}}/machineTypes/{{name}}", _machine_type)
    yield get(_ROOT, _project)


def _scoped(scope: str) -> Handler:
    return lambda call: _operation(replace(call, words={**call.words, "scope": scope.format(place=call.words.get("place", ""))}))


ROUTES = tuple(_routes())
