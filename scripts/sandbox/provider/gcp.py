"""pulumi-gcp's own ways: a project on every resource, default labels, and the data sources that are answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scripts.sandbox import sdk_schema
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.place import Place
from scripts.sandbox.provider.connections import Connection, parsed
from scripts.sandbox.provider.packages import Extras, Package
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation

_LABELS = ("labels", "resourceLabels", "userLabels")
"""Inputs that hold a resource's labels, by type."""


def _configure(world: Simulation, args: Mapping[str, Any]) -> Connection:
    """Configure a Google provider. Raises Refusal on a missing project and on one that this world does not have."""
    settings = {name: parsed(value) for name, value in args.items()}
    project = settings.get("project")
    if not isinstance(project, str) or not project:
        raise Refusal(
            "InvalidClientConfig",
            "project: required field is not set: set gcp:project or the provider's project",
            source="Terraform Google provider, tpgresource/utils.go: GetProject",
        )
    if not world.allows("gcp", project):
        raise Refusal(
            "Error 403",
            f"Permission denied on resource project {project}. The simulated project is {world.account('gcp')}.",
            source="Google API errors, CONSUMER_INVALID: the caller has no such project",
            status=403,
        )
    labels = cast("dict[str, Any]", settings.get("defaultLabels") or {})
    defaults = {name: str(settings[name]) for name in ("region", "zone") if settings.get(name)}
    return Connection(Place("gcp", project, "global"), {k: str(v) for k, v in labels.items()}, defaults=defaults)


def _place(connection: Connection, _kind: Kind, inputs: Mapping[str, Any], id_: str) -> Place:
    """Records of a project are together: their ids tell region and zone."""
    words = id_.split("/")
    named = words[1] if words[0] == "projects" and len(words) > 2 else None
    project = inputs.get("project") or named or connection.place.account
    return Place("gcp", str(project), "global")


def _extras(connection: Connection, order: Order) -> Extras:
    """The labels that an object finally has, and the outputs that repeat them where its schema names them."""
    schema = sdk_schema.resource(order.token)
    names = schema.outputs if schema else frozenset[str]()
    given = next((order.inputs[name] for name in _LABELS if isinstance(order.inputs.get(name), dict)), {})
    labels = {**connection.default_tags, **{k: str(v) for k, v in cast("dict[str, Any]", given).items()}}
    outputs: dict[str, Any] = {"project": order.account, "effectiveLabels": labels, "pulumiLabels": labels}
    for where in ("region", "zone"):
        if where in connection.defaults and not order.inputs.get(where):
            outputs[where] = connection.defaults[where]
    return Extras(labels, {name: value for name, value in outputs.items() if name in names})


PACKAGE = Package(name="gcp", distribution="pulumi-gcp", configure=_configure, place=_place, extras=_extras)
