"""A stack's state as the engine keeps it: what exists, and what was under way when an engine was cut off."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from scripts.engine.events import STACK_TYPE, masked, resource_name
from scripts.errors import BadInput

_OWN_ARNS = ("arn", "accessEntryArn", "associationArn")
"""Outputs with a thing's own ARN: the second is an EKS access entry's, the third a Pod Identity association's, whose ids are no part of it."""


@dataclass(frozen=True)
class PendingOperation:
    """An operation whose end the engine did not see. `kind` is creating, updating, deleting, reading or importing."""

    kind: str
    resource: Mapping[str, Any]

    @property
    def urn(self) -> str:
        return str(self.resource.get("urn", ""))

    @property
    def type(self) -> str:
        return str(self.resource.get("type", ""))

    @property
    def name(self) -> str:
        return resource_name(self.urn)

    @property
    def in_cloud(self) -> bool:
        """Whether it is about a thing in a cloud: providers and components exist in the state only."""
        return bool(self.resource.get("custom", True)) and not self.type.startswith("pulumi:providers:")

    @property
    def inputs(self) -> Mapping[str, Any]:
        return self.resource.get("inputs") or {}


@dataclass(frozen=True)
class State:
    """An export of a stack (`pulumi stack export`). `document` is the whole of it, which `with_` changes keep."""

    document: Mapping[str, Any]

    @property
    def deployment(self) -> Mapping[str, Any]:
        return self.document.get("deployment") or {}

    @property
    def resources(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(self.deployment.get("resources") or ())

    @property
    def pending(self) -> tuple[PendingOperation, ...]:
        return tuple(PendingOperation(str(each["type"]), each["resource"]) for each in self.deployment.get("pending_operations") or ())

    @property
    def empty(self) -> bool:
        """Whether nothing but the stack itself was ever made or is left."""
        return all(resource.get("type") == STACK_TYPE for resource in self.resources)

    @property
    def ids(self) -> frozenset[str]:
        """Ids and ARNs of everything recorded."""
        ids = {str(resource["id"]) for resource in self.resources if resource.get("id")}
        outputs = [resource.get("outputs") or {} for resource in self.resources]
        arns = {str(each[name]) for each in outputs for name in _OWN_ARNS if each.get(name)}
        return frozenset(ids | arns)

    @property
    def outputs(self) -> dict[str, Any]:
        """The stack's outputs, secrets masked."""
        for resource in self.resources:
            if resource.get("type") == STACK_TYPE:
                return {key: masked(value) for key, value in dict(resource.get("outputs") or {}).items()}
        return {}

    def with_resources(self, added: tuple[Mapping[str, Any], ...]) -> State:
        """The same state with `added` at its end and no pending operation."""
        deployment = {key: value for key, value in self.deployment.items() if key != "pending_operations"}
        return State({**self.document, "deployment": {**deployment, "resources": [*self.resources, *added]}})


def parse(text: str, *, source: str) -> State:
    """A state from an export's text. Raises BadInput when `text` is no export: acting on half a state makes things twice."""
    try:
        state = State(cast("Mapping[str, Any]", json.loads(text)))
        whole = all("urn" in each and "type" in each for each in state.resources) and all(each.urn for each in state.pending)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"The state of {source} is corrupt: {error}. Nothing was changed. {_repair(source)}") from error
    if not whole:
        raise BadInput(f"The state of {source} is corrupt: it lists resources without URN or type. Nothing was changed. {_repair(source)}")
    return state


def read_file(path: Path) -> State | None:
    """The state kept by the file backend at `path`; None when the stack was never made. Raises BadInput when it is corrupt."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The state file {path} cannot be read ({error}). Nothing was changed. {_repair(str(path))}") from error
    return parse(_as_export(text, path), source=str(path))


def _as_export(text: str, path: Path) -> str:
    """The backend keeps `checkpoint.latest` where an export has `deployment`."""
    try:
        content = json.loads(text)
        checkpoint = content["checkpoint"]
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"The state file {path} is corrupt: {error!r}. Nothing was changed. {_repair(str(path))}") from error
    return json.dumps({"version": content.get("version", 3), "deployment": checkpoint.get("latest") or {}})


def _repair(source: str) -> str:
    if not source.endswith(".json"):
        return "Restore an earlier version from its backend's history, then run `gpukit refresh`."
    return f"The engine keeps the last good one beside it ({source}.bak): look at it, copy it over, and run `gpukit refresh` first."
