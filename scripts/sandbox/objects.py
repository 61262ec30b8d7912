"""Kubernetes objects as records: one kind per API version and kind, one id per namespace and name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

CLUSTER_SCOPED = frozenset(
    {
        "Namespace", "Node", "PersistentVolume", "StorageClass", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "PriorityClass",
        "RuntimeClass", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "APIService", "CSIDriver", "CSINode", "IngressClass",
        "DeviceClass", "ResourceSlice", "VolumeAttachment", "ValidatingAdmissionPolicy", "ClusterPolicy", "NVIDIADriver", "NicClusterPolicy",
        "ClusterQueue", "ResourceFlavor", "Topology", "AdmissionCheck", "WorkloadPriorityClass", "NodePool", "NodeClass", "EC2NodeClass",
        "NodeClaim", "Network", "GKENetworkParamSet", "ClusterTrainingRuntime",
    }
)  # fmt: skip
"""Kinds without a namespace: Kubernetes' own, and those of the operators that this project installs."""

_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
KUBERNETES = "Kubernetes API conventions, error handling"


def token(api_version: str, kind: str) -> str:
    """The Pulumi type of an object; the core group has no name in the API and `core` in Pulumi."""
    return f"kubernetes:{api_version if '/' in api_version else f'core/{api_version}'}:{kind}"


def kind_of(type_token: str) -> tuple[str, str]:
    """API version and kind of a Pulumi type."""
    _, module, kind = type_token.split(":")
    return module.removeprefix("core/"), kind


def object_id(namespace: str, name: str) -> str:
    return f"{namespace}/{name}" if namespace else name


def namespace_of(kind: str, metadata: Mapping[str, Any]) -> str:
    return "" if kind in CLUSTER_SCOPED else str(metadata.get("namespace") or "default")


def not_found(kind: str, name: str) -> Refusal:
    return Refusal("NotFound", f'{kind.lower()}s "{name}" not found', source=KUBERNETES, status=404)


def put(
    world: Simulation, key: str, body: Mapping[str, Any], *, inputs: Mapping[str, Any] | None = None, tags: Mapping[str, str] | None = None
) -> Record:
    """Create an object in the open transaction: metadata filled in, namespace required. Raises Refusal 404, 409, 422."""
    kind, api_version = str(body["kind"]), str(body["apiVersion"])
    metadata = dict(body.get("metadata") or {})
    name = str(metadata.get("name") or "")
    if not name and metadata.get("generateName"):
        name = f"{metadata['generateName']}{world.new_id('', 5)}"
    if not name:
        raise Refusal(
            "Invalid", f"{kind} is invalid: metadata.name: Required value: name or generateName is required", source=KUBERNETES, status=422
        )
    if not _NAME.fullmatch(name) and not api_version.startswith("rbac."):
        raise Refusal(
            "Invalid",
            f'{kind} "{name}" is invalid: metadata.name: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, - or .',
            source=KUBERNETES,
            status=422,
        )
    namespace = namespace_of(kind, metadata)
    if namespace and world.store.get(t.NAMESPACE, key, namespace) is None:
        raise not_found("namespace", namespace)
    id_ = object_id(namespace, name)
    if world.store.get(token(api_version, kind), key, id_) is not None:
        raise Refusal("AlreadyExists", f'{kind.lower()}s "{name}" already exists', source=KUBERNETES, status=409)
    metadata.update(
        {"name": name, "uid": _uid(world), "creationTimestamp": world.tick(), "generation": 1, "resourceVersion": _version(world)}
        | ({"namespace": namespace} if namespace else {})
    )
    state = {**body, "metadata": metadata}
    state = {**state, **_defaulted(kind, state)}
    return world.store.put(
        Record(
            kind=token(api_version, kind),
            key=key,
            id=id_,
            inputs=dict(inputs or {}),
            state=state,
            created=world.tick(),
            status="",
            tags=dict(tags or {}),
        )
    )


def replace_body(world: Simulation, record: Record, body: Mapping[str, Any], *, inputs: Mapping[str, Any] | None = None) -> Record:
    """Give an object a new body, keeping its identity. Raises Refusal 409 when the caller knew an older version."""
    old, given = record.state["metadata"], dict(body.get("metadata") or {})
    if given.get("resourceVersion") not in (None, "", old["resourceVersion"]):
        raise Refusal(
            "Conflict",
            f'Operation cannot be fulfilled on "{record.id}": the object has been modified; please apply your changes to the latest version',
            source=KUBERNETES,
            status=409,
        )
    kept = {name: old[name] for name in ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp") if name in old}
    changed = body.get("spec") != record.state.get("spec")
    metadata = {**given, **kept, "generation": old.get("generation", 1) + changed, "resourceVersion": _version(world)}
    state = {**({"status": record.state["status"]} if "status" in record.state else {}), **body, "metadata": metadata}
    world.tick()
    return world.store.put(replace(record, state=state, inputs=dict(inputs) if inputs is not None else record.inputs))


def remove(world: Simulation, record: Record) -> Record | None:
    """Delete an object in the open transaction. One with finalizers stays, marked as being deleted, and is returned."""
    if record.state["metadata"].get("finalizers"):
        if "deletionTimestamp" not in record.state["metadata"]:
            metadata = {**record.state["metadata"], "deletionTimestamp": world.tick(), "resourceVersion": _version(world)}
            return world.store.put(record.with_state(metadata=metadata))
        return record
    if record.kind == t.NAMESPACE and _contents(world, record):
        metadata = {**record.state["metadata"], "deletionTimestamp": world.tick(), "resourceVersion": _version(world)}
        kept = world.store.put(record.with_state(metadata=metadata, status={"phase": "Terminating"}))
        for inner in _contents(world, record):
            # A Helm release lives in secrets of its namespace: it goes without having been uninstalled.
            if inner.kind == t.RELEASE:
                world.store.drop(inner)
            else:
                remove(world, inner)
        if _contents(world, record):
            return kept
    world.store.drop(world.store.by_ref(record.ref) or record)
    _collect(world, record)
    _finish_namespaces(world, record.key)
    return None


def _collect(world: Simulation, owner: Record) -> None:
    """Objects that name a deleted one as their owner go after it."""
    uid = owner.state["metadata"].get("uid")
    for record in world.store.in_place(owner.key):
        owners = (record.state.get("metadata") or {}).get("ownerReferences") or ()
        if any(reference.get("uid") == uid for reference in owners) and world.store.by_ref(record.ref) is not None:
            remove(world, record)


def _contents(world: Simulation, namespace: Record) -> list[Record]:
    return [r for r in world.store.in_place(namespace.key) if r.id.startswith(f"{namespace.id}/")]


def _finish_namespaces(world: Simulation, key: str) -> None:
    """A namespace that was waiting for its last object goes with it."""
    for namespace in world.store.of_kind(t.NAMESPACE, key):
        meta = namespace.state["metadata"]
        if "deletionTimestamp" in meta and not meta.get("finalizers") and not _contents(world, namespace):
            world.store.drop(namespace)


def _uid(world: Simulation) -> str:
    digits = world.new_id("", 32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _version(world: Simulation) -> str:
    world.new_id("")
    return str(world.store.meta("serial"))


def _defaulted(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Status that its controller would reach at once. Nothing runs here: controllers are simulated as having succeeded."""
    spec: Mapping[str, Any] = body.get("spec") or {}
    if kind == "Namespace":
        return {"spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
    if kind in ("Deployment", "StatefulSet", "ReplicaSet"):
        count = spec.get("replicas", 1)
        return {
            "status": {
                "replicas": count,
                "readyReplicas": count,
                "availableReplicas": count,
                "updatedReplicas": count,
                "observedGeneration": 1,
            }
        }
    if kind == "Service" and spec.get("type", "ClusterIP") != "ExternalName":
        return {"spec": {"clusterIP": "172.20.0.10", "type": "ClusterIP", **spec}, "status": {"loadBalancer": {}}}
    if kind == "ResourceQuota":
        return {"status": {"hard": spec.get("hard", {}), "used": {}}}
    if kind == "Pod" and "status" not in body:
        return {"status": {"phase": "Pending"}}
    return {}
