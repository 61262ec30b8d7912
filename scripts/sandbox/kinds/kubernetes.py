"""Any Kubernetes object that the provider creates: stored in its cluster, visible at that cluster's API door."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_FIXED = frozenset({"apiVersion", "kind", "metadata.name", "metadata.namespace"})
_IMMUTABLE = {
    "Service": frozenset({"spec.clusterIP"}),
    "Deployment": frozenset({"spec.selector"}),
    "StatefulSet": frozenset({"spec.selector", "spec.serviceName", "spec.volumeClaimTemplates"}),
    "Job": frozenset({"spec.selector", "spec.template", "spec.completions"}),
    "StorageClass": frozenset({"provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"}),
}
"""Fields whose change needs a new object (pulumi-kubernetes, provider/pkg/provider/diff.go: forceNew properties)."""


@lru_cache(maxsize=512)
def kubernetes_object(token: str) -> Kind:
    from scripts.sandbox import objects

    _, kind = objects.kind_of(token)

    def identify(order: Order) -> str:
        metadata = order.inputs.get("metadata") or {}
        return objects.object_id(objects.namespace_of(kind, metadata), str(metadata.get("name") or ""))

    return Kind(
        token=token, replace=_FIXED | _IMMUTABLE.get(kind, frozenset()), identify=identify, create_seconds=1, delete_seconds=1, starts=""
    )


def create(world: Simulation, order: Order, kept: Mapping[str, Any]) -> Record:
    """Put the object of an order into its cluster. Raises Refusal as the API server would."""
    from scripts.sandbox import objects

    api_version, kind = objects.kind_of(order.token)
    world.faults.before_create(order)
    with world.store.transaction():
        body = {name: value for name, value in kept.items() if not name.startswith("__")}
        record = objects.put(world, order.place.key, {"apiVersion": api_version, "kind": kind, **body}, inputs=kept)
    world.clock.spend(1 + world.faults.latency(order.token))
    world.faults.after_create(order)
    return record


def update(world: Simulation, order: Order, kept: Mapping[str, Any]) -> Record:
    from scripts.sandbox import objects

    record = order.before
    if record is None:
        raise ValueError("an update needs the record that it changes")
    world.faults.before_update(order)
    with world.store.transaction():
        body = {**record.state, **{name: value for name, value in kept.items() if not name.startswith("__")}}
        for name in record.inputs:
            if name not in kept:
                body.pop(name, None)
        return objects.replace_body(
            world, record, {**body, "metadata": {**(body.get("metadata") or {}), "resourceVersion": None}}, inputs=kept
        )


def delete(world: Simulation, record: Record) -> None:
    """Remove an object; one whose finalizers nobody serves stays, and so does its namespace."""
    from scripts.sandbox import objects
    from scripts.sandbox.refusal import NotReady

    world.faults.before_delete(record)
    with world.store.transaction():
        present = world.store.by_ref(record.ref)
        left = objects.remove(world, present) if present is not None else None
    if left is not None:
        meta = left.state["metadata"]
        raise NotReady(
            "Timeout",
            f"{left.id} is still there: finalizers {meta.get('finalizers') or 'of objects in it'} have not been served "
            "(simulated: no controller serves them; remove them through the API)",
        )
