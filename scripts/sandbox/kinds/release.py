"""Helm releases: recorded with their chart and values; nothing is rendered and nothing runs."""

from __future__ import annotations

from typing import Any

from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal

NOTE = "simulated: the chart and its values are recorded; nothing is rendered and nothing runs"


def _namespace(order: Order) -> str:
    return order.text("namespace", "default")


def _admit(order: Order) -> None:
    from scripts.sandbox import objects

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
        starts="deployed",
        starting="pending-install",
    ),
)
