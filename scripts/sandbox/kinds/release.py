"""Helm releases: recorded with their chart and values; nothing is rendered and nothing runs."""

from __future__ import annotations

from typing import Any

from scripts.sandbox import objects
from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

SECRET = objects.token("v1", "Secret")
MOST_REVISIONS = 10
"""Helm's default `--history-max`."""
NOTE = "simulated: the chart and its values are recorded; nothing is rendered and nothing runs"


def _namespace(order: Order) -> str:
    return order.text("namespace", "default")


def _admit(order: Order) -> None:
    name, namespace = order.text("name"), _namespace(order)
    if any(other.id == f"{namespace}/{name}" for other in order.peers()):
        raise Refusal("AlreadyExists", "cannot re-use a name that is still in use", source="Helm, pkg/action/install.go")
    if order.get(t.NAMESPACE, namespace) is None:
        if not order.inputs.get("createNamespace"):
            raise objects.not_found("namespace", namespace)
        objects.put(order.world, order.place.key, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    chart = order.text("chart")
    if (
        not chart.startswith(("oci://", "http://", "https://", ".", "/"))
        and "/" not in chart
        and not (order.inputs.get("repositoryOpts") or {}).get("repo")
    ):
        raise Refusal(
            "ChartNotFound",
            f"chart {chart!r} not found: give repositoryOpts.repo, an oci:// address or a path",
            source="Helm, pkg/action/install.go: LocateChart",
        )


def _outputs(order: Order, id_: str) -> dict[str, Any]:
    revision = int(order.before.state["status"]["revision"]) + 1 if order.before else 1
    namespace, name = id_.split("/", 1)
    chart = order.text("chart").rsplit("/", 1)[-1]
    return {
        "name": name,
        "namespace": namespace,
        "description": order.text("description") or NOTE,
        "resourceNames": {},
        "status": {
            "name": name,
            "namespace": namespace,
            "chart": chart,
            "version": order.text("version"),
            "revision": revision,
            "status": "deployed",
            "appVersion": "",
        },
    }


def _history(world: Simulation, record: Record) -> list[Record]:
    """The release's storage Secrets, oldest first."""
    namespace, name = record.id.split("/", 1)
    mine = {"owner": "helm", "name": name}
    secrets = [s for s in world.store.of_kind(SECRET, record.key) if s.id.startswith(f"{namespace}/")]
    found = [s for s in secrets if mine.items() <= (s.state["metadata"].get("labels") or {}).items()]
    return sorted(found, key=lambda secret: int(secret.state["metadata"]["labels"]["version"]))


def _remember(order: Order, record: Record) -> None:
    """Helm keeps each revision in a Secret of the release's namespace, by which a release is found again after a killed client.

    Source: Helm, pkg/storage/driver/secrets.go. The content is left out: values may be secret, and nothing here reads it.
    """
    world, (namespace, name) = order.world, record.id.split("/", 1)
    history = _history(world, record)
    for earlier in history:
        labels = {**earlier.state["metadata"]["labels"], "status": "superseded"}
        objects.replace_body(world, earlier, {**earlier.state, "metadata": {**earlier.state["metadata"], "labels": labels}})
    for forgotten in history[: max(0, len(history) + 1 - MOST_REVISIONS)]:
        objects.remove(world, forgotten)
    revision = str(record.state["status"]["revision"])
    labels = {"owner": "helm", "name": name, "status": "deployed", "version": revision}
    metadata = {"name": f"sh.helm.release.v1.{name}.v{revision}", "namespace": namespace, "labels": labels}
    objects.put(world, record.key, {"apiVersion": "v1", "kind": "Secret", "type": "helm.sh/release.v1", "metadata": metadata})


def _forget(world: Simulation, record: Record) -> None:
    for secret in _history(world, record):
        objects.remove(world, secret)


KINDS = (
    Kind(
        token=t.RELEASE,
        replace=frozenset({"name", "namespace"}),
        auto_name="name",
        name_limit=53,
        create_seconds=20,
        delete_seconds=10,
        identify=lambda order: f"{_namespace(order)}/{order.text('name')}",
        admit=_admit,
        outputs=_outputs,
        moving=frozenset({"status", "description", "resourceNames"}),
        created=_remember,
        updated=_remember,
        deleted=_forget,
        starts="deployed",
        starting="pending-install",
    ),
)
