"""What every controller needs: its cluster's inside, its namesake Deployment, an object's finalizers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from scripts.sandbox import objects
from scripts.sandbox.clouds import Due
from scripts.sandbox.kinds.aws import nodes
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from scripts.sandbox.simulation import Simulation

DEPLOYMENT = objects.token("apps/v1", "Deployment")


def inside(cluster: Record) -> str:
    """Key of the place inside a cluster."""
    return nodes.key_of(cluster)


def installed(world: Simulation, cluster: Record, name: str) -> bool:
    """Whether a Deployment of that name, or with that `app.kubernetes.io/name`, wants pods."""
    found = world.store.of_kind(DEPLOYMENT, inside(cluster))
    return any(name in (r.state["metadata"]["name"], (r.state["metadata"].get("labels") or {}).get("app.kubernetes.io/name"))
               and (r.state.get("spec") or {}).get("replicas", 1) for r in found)  # fmt: skip


def leaving(record: Record) -> bool:
    return "deletionTimestamp" in record.state["metadata"]


def finalized(record: Record, finalizer: str) -> bool:
    return finalizer in (record.state["metadata"].get("finalizers") or ())


def soon(record: Record, work: Callable[[], None]) -> Due:
    """Due at once, in the order in which things were made."""
    return datetime.fromisoformat(record.created), record.ref, work


def hold(world: Simulation, record: Record, finalizer: str, **changes: Any) -> Record:
    """Put a finalizer on an object, with `changes` of its state."""
    metadata = record.state["metadata"]
    return objects.replace_body(
        world, record, {**record.state, **changes, "metadata": {**metadata, "finalizers": [*(metadata.get("finalizers") or ()), finalizer]}}
    )


def release(world: Simulation, record: Record, finalizer: str) -> None:
    """Take a finalizer off; an object that waited for it goes."""
    metadata = record.state["metadata"]
    left = [each for each in metadata.get("finalizers") or () if each != finalizer]
    changed = objects.replace_body(world, record, {**record.state, "metadata": {**metadata, "finalizers": left}})
    if not left and leaving(changed):
        objects.remove(world, changed)


def owned(cluster: Record) -> Mapping[str, str]:
    return {f"kubernetes.io/cluster/{cluster.id}": "owned"}


def subnets(world: Simulation, cluster: Record) -> list[Record]:
    """Subnets that the cluster was given."""
    found = (world.store.get(t.SUBNET, cluster.key, str(id_)) for id_ in cluster.state["vpcConfig"]["subnetIds"])
    return [subnet for subnet in found if subnet is not None]
