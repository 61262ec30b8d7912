"""The resources that a stack has, out of `pulumi stack export`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from components.resource import ResourceSet
from scripts.errors import BadInput

from . import engine_json

WHAT = "`pulumi stack export`"


def read(path: Path) -> tuple[ResourceSet, tuple[str, ...]]:
    """The resources, and notes on what the state leaves open. Raises BadInput, naming `path`, for anything else."""
    document = engine_json.load(path, what=WHAT)
    deployment = document.get("deployment")
    if not isinstance(deployment, Mapping):
        raise BadInput(f"{path} has no `deployment`: give the output of {WHAT}.")
    try:
        resources: list[Any] = deployment.get("resources") or []
        found = [engine_json.resource(raw) for raw in resources if not raw.get("delete")]
        notes = tuple(_pending(p) for p in deployment.get("pending_operations") or ())
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadInput(f"{path} is damaged ({type(error).__name__}: {error}): make it anew with {WHAT}.") from None
    return engine_json.resource_set(found, {}, path=path, what=WHAT), notes


def _pending(operation: Mapping[str, Any]) -> str:
    return f"an interrupted update left a pending {operation['type']} of {operation['resource']['urn']}: it may exist and bill"
