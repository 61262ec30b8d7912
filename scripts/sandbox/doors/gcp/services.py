"""The smaller Google APIs: projects and their policies, service accounts, file systems, keys, budgets, channels, logs, TPUs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors.gcp.call import Call, Handler, Route, delete, get, page, post
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

Fields = Callable[[Record], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Service:
    """Objects of one API that are named by their whole path."""

    token: str
    root: str
    """Template of the collection."""
    plural: str
    fields: Fields
    deletes: bool = True
    operations: bool = True
    """Whether a delete answers with a long-running operation."""


def _labels(record: Record) -> dict[str, str] | None:
    return dict(record.tags) or None


SERVICES = (
    Service(
        token=t.SERVICE_ACCOUNT, root="/v1/projects/{project}/serviceAccounts", plural="accounts", operations=False,
        fields=lambda r: {"name": r.id, "email": r.state["email"], "projectId": r.key.split("/")[1], "uniqueId": r.state["uniqueId"], "displayName": r.state.get("displayName"), "description": r.state.get("description")},
    ),
    Service(
        token=t.CUSTOM_ROLE, root="/v1/projects/{project}/roles", plural="roles", operations=False,
        fields=lambda r: {"name": r.id, "title": r.state.get("title"), "includedPermissions": r.state.get("permissions"), "stage": r.state.get("stage")},
    ),
    Service(
        token=t.LUSTRE, root="/v1/projects/{project}/locations/{location}/instances", plural="instances",
        fields=lambda r: {"name": r.id, "state": "ACTIVE", "capacityGib": str(r.state["capacityGib"]), "filesystem": r.state["filesystem"], "mountPoint": r.state.get("mountPoint"), "network": r.state.get("network"), "labels": _labels(r), "createTime": r.state.get("createTime")},
    ),
    Service(
        token=t.FILESTORE, root="/v1/projects/{project}/locations/{location}/instances", plural="instances",
        fields=lambda r: {"name": r.id, "state": "READY", "tier": r.state.get("tier"), "labels": _labels(r), "createTime": r.state.get("createTime")},
    ),
    Service(
        token=t.KEY_RING, root="/v1/projects/{project}/locations/{location}/keyRings", plural="keyRings", deletes=False,
        fields=lambda r: {"name": r.id, "createTime": r.created},
    ),
    Service(
        token=t.KEY, root="/v1/projects/{project}/locations/{location}/keyRings/{ring}/cryptoKeys", plural="cryptoKeys", deletes=False,
        fields=lambda r: {"name": r.id, "purpose": r.state.get("purpose"), "rotationPeriod": r.state.get("rotationPeriod"), "labels": _labels(r), "createTime": r.created},
    ),
    Service(
        token=t.CHANNEL, root="/v3/projects/{project}/notificationChannels", plural="notificationChannels", operations=False,
        fields=lambda r: {"name": r.id, "type": r.state.get("type"), "displayName": r.state.get("displayName"), "userLabels": _labels(r)},
    ),
    Service(
        token=t.LOG_SINK, root="/v2/projects/{project}/sinks", plural="sinks", operations=False,
        fields=lambda r: {"name": r.state["name"], "destination": r.state.get("destination"), "filter": r.state.get("filter"), "writerIdentity": r.state.get("writerIdentity")},
    ),
    Service(
        token=t.LOG_BUCKET, root="/v2/projects/{project}/locations/{location}/buckets", plural="buckets", operations=False,
        fields=lambda r: {"name": r.id, "retentionDays": r.state.get("retentionDays"), "lifecycleState": "ACTIVE"},
    ),
    Service(
        token=t.TPU_VM, root="/v2/projects/{project}/locations/{location}/nodes", plural="nodes",
        fields=lambda r: {"name": r.id, "state": "READY", "acceleratorType": r.state.get("acceleratorType"), "runtimeVersion": r.state.get("runtimeVersion"), "labels": _labels(r)},
    ),
)  # fmt: skip
_EVERYWHERE = "-"


def _shown(service: Service, record: Record) -> dict[str, Any]:
    return {name: value for name, value in service.fields(record).items() if value is not None}


def _collection(service: Service, call: Call) -> str:
    return service.root.format(**call.words).split("/", 2)[2]


def _inside(service: Service, call: Call) -> Iterator[Record]:
    """Records of a collection; `-` as location stands for all."""
    wanted = _collection(service, call).split("/")
    for record in call.records(service.token):
        words = record.id.split("/")[: len(wanted)]
        if len(words) == len(wanted) and all(a in (b, _EVERYWHERE) for a, b in zip(wanted, words, strict=True)):
            yield record


def _list(services: tuple[Service, ...]) -> Handler:
    def answer(call: Call) -> dict[str, Any]:
        items = [_shown(service, record) for service in services for record in _inside(service, call)]
        return page(call, items, services[0].plural, size="pageSize")

    return answer


def _found(services: tuple[Service, ...], call: Call) -> tuple[Service, Record]:
    id_ = f"{_collection(services[0], call)}/{call.words['name']}"
    for service in services:
        record = call.world.store.get(service.token, call.key, id_)
        if record is not None:
            return service, record
    raise Refusal("notFound", f"Resource '{id_}' was not found", source="Google API errors, notFound", status=404)


def _delete(services: tuple[Service, ...]) -> Handler:
    def answer(call: Call) -> dict[str, Any]:
        service, record = _found(services, call)
        if not service.deletes:
            raise Refusal(
                "notFound",
                "key rings and keys cannot be deleted",
                source="Cloud KMS documentation: objects that cannot be deleted",
                status=404,
            )
        call.world.delete(kinds.kind(service.token), record)
        if not service.operations:
            return {}
        return {"name": f"{'/'.join(record.id.split('/')[:4])}/operations/operation-simulated-delete", "done": True, "response": {}}

    return answer


def _one(services: tuple[Service, ...]) -> Handler:
    return lambda call: _shown(*_found(services, call))


def _project(call: Call) -> dict[str, Any]:
    """Both versions of the API; a project that this world's credentials do not open is forbidden, as Google says of unknown ones too."""
    name = call.words["project"]
    if not call.world.allows("gcp", name):
        raise Refusal(
            "forbidden", f"Permission 'resourcemanager.projects.get' denied on resource '//cloudresourcemanager.googleapis.com/projects/{name}' (or it may not exist).",
            source="Resource Manager API, projects.get: unknown projects are forbidden", status=403,
        )  # fmt: skip
    return {"name": "projects/1", "projectId": name, "state": "ACTIVE", "displayName": f"{name} (simulated)"}


def _policy(call: Call) -> dict[str, Any]:
    bound: dict[str, list[str]] = defaultdict(list)
    for record in call.records(t.PROJECT_MEMBER):
        bound[str(record.state["role"])].append(str(record.state["member"]))
    return {
        "version": 1,
        "etag": "c2ltdWxhdGVk",
        "bindings": [{"role": role, "members": sorted(who)} for role, who in sorted(bound.items())],
    }


def _budgets(call: Call) -> dict[str, Any]:
    account = call.words["billing"]
    found = [r for r in call.world.store if r.kind == t.BUDGET and r.id.startswith(f"billingAccounts/{account}/")]
    return page(call, [_budget_shown(record) for record in found], "budgets", size="pageSize")


def _budget(call: Call) -> Record:
    id_ = f"billingAccounts/{call.words['billing']}/budgets/{call.words['name']}"
    found = next((r for r in call.world.store if r.kind == t.BUDGET and r.id == id_), None)
    if found is None:
        raise Refusal("notFound", f"Budget {id_} was not found", source="Google API errors, notFound", status=404)
    return found


def _budget_shown(record: Record) -> dict[str, Any]:
    chosen = record.state.get("budgetFilter") or {}
    kept = {name: chosen[name] for name in ("projects",) if chosen.get(name)}
    labels = {key: {"values": [value]} for key, value in (chosen.get("labels") or {}).items()}
    filter_ = {**kept, **({"labels": {key: value["values"] for key, value in labels.items()}} if labels else {})}
    return {
        "name": record.id,
        "displayName": record.state.get("displayName", ""),
        "etag": "simulated",
        **({"budgetFilter": filter_} if filter_ else {}),
    }


def _delete_budget(call: Call) -> dict[str, Any]:
    call.world.delete(kinds.kind(t.BUDGET), _budget(call))
    return {}


def _token(_: Call) -> dict[str, Any]:
    """Who the credentials speak for."""
    return {
        "email": "simulated@simulated-project.iam.gserviceaccount.com",
        "expires_in": "3600",
        "scope": "https://www.googleapis.com/auth/cloud-platform",
    }


def _routes() -> Iterator[Route]:
    by_root: dict[str, tuple[Service, ...]] = {}
    for service in SERVICES:
        by_root[service.root] = (*by_root.get(service.root, ()), service)
    for root, services in by_root.items():
        one = f"{root}/{{name}}"
        yield from (get(root, _list(services)), get(one, _one(services)), delete(one, _delete(services)))
    for version in ("v1", "v3"):
        yield get(f"/{version}/projects/{{project}}", _project)
        yield post(f"/{version}/projects/{{project}}:getIamPolicy", _policy)
    budgets = "/v1/billingAccounts/{billing}/budgets"
    yield from (
        get(budgets, _budgets),
        get(f"{budgets}/{{name}}", lambda call: _budget_shown(_budget(call))),
        delete(f"{budgets}/{{name}}", _delete_budget),
    )
    yield get("/oauth2/v3/tokeninfo", _token)


ROUTES = tuple(_routes())
