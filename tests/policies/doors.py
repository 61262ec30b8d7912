"""One program in the form of every source that the guardrails read, made from its recording with Python alone.

`through_*` give what is said at each door; `as_*_knows` the same program with what that source cannot tell taken away. These functions
are the only known differences between doors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from components.resource import Options, Resource, ResourceSet, Secret
from components.unknown import MASKED_SECRET, Unknown
from policies import Settings, evaluate
from policies.adapter import STACK
from policies.pack import text
from scripts.check import preview_json, state
from tests.policies import pack_runner
from tests.policies.pack_runner import SECRET, UNKNOWN_SENTINEL

Said = list[tuple[str, str, str]]
"""Level, resource, and words of every finding."""


def as_a_preview_knows(resources: ResourceSet) -> ResourceSet:
    """Everything but whose children another process makes, what stands in files that the program names, and the stack's own outputs."""
    return replace(resources, resources=tuple(_without_outputs(replace(r, remote=False)) for r in resources), files={})


def _without_outputs(resource: Resource) -> Resource:
    """The engine tells of the stack before the program has said its outputs."""
    return replace(resource, outputs={}) if resource.type == STACK else resource


def as_a_state_knows(resources: ResourceSet) -> ResourceSet:
    """The same with the stack's outputs, and without its settings and what a change makes anew, which no state holds."""
    return replace(resources, resources=tuple(replace(r, remote=False, replaced=None) for r in resources), files={}, config={})


def as_the_pack_knows(resources: ResourceSet) -> ResourceSet:
    """The same without `deleted_with`, `retain_on_delete`, replacements and what is only looked up, which the policy SDK does not tell, and
    without the stack's outputs, whose secrets look plain inside the engine.
    """

    def one(resource: Resource) -> Resource:
        told = resource.options
        options = Options(
            protect=told.protect, ignore_changes=told.ignore_changes, delete_before_replace=told.delete_before_replace, partial=True
        )
        outputs = {} if resource.type == STACK else resource.outputs
        return replace(resource, options=options, outputs=outputs, external=False, replaced=None)

    known = as_a_preview_knows(resources)
    return replace(known, resources=tuple(one(r) for r in known))


def offline(resources: ResourceSet, settings: Settings) -> Said:
    return sorted(("mandatory" if f.fails else "advisory", f.urn, text(f)) for f in evaluate(resources, settings))


def through_a_preview(resources: ResourceSet, settings: Settings, directory: Path) -> Said:
    told = [_without_outputs(r) for r in resources]
    steps = [_step(r, _state(r, resources, MASKED_SECRET)) for r in told]
    document = {"config": dict(resources.config), "steps": steps, "changeSummary": {"create": len(steps)}}
    return offline(preview_json.read(_written(document, directory)), settings)


def _step(resource: Resource, state: Mapping[str, Any]) -> dict[str, Any]:
    if resource.replaced is None:
        return {"op": "create", "urn": resource.urn, "newState": state}
    return {"op": "replace", "urn": resource.urn, "newState": state, "replaceReasons": list(resource.replaced)}


def through_a_state(resources: ResourceSet, settings: Settings, directory: Path) -> Said:
    hidden = {**SECRET, "ciphertext": "djE6"}
    document = {"version": 3, "deployment": {"resources": [_state(r, resources, hidden) for r in resources]}}
    return offline(state.read(_written(document, directory))[0], settings)


def through_the_pack(resources: ResourceSet, config: pack_runner.Config) -> Said:
    return sorted((d.level, d.urn, d.message) for d in pack_runner.judge_here(resources, config))


def _written(document: Mapping[str, Any], directory: Path) -> Path:
    file = directory / "engine.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return file


def _state(resource: Resource, resources: ResourceSet, secret: Any) -> dict[str, Any]:
    """`resource` as the engine's state has it."""
    provider = resources.by_urn.get(resource.provider or "")
    given = resource.options
    return {
        "urn": resource.urn,
        "type": resource.type,
        "custom": resource.custom,
        "external": resource.external,
        "id": "" if isinstance(resource.id, Unknown) else resource.id,
        "parent": resource.parent or "",
        "inputs": _engine_json(resource.inputs, secret),
        "outputs": _engine_json(resource.outputs, secret),
        "dependencies": list(resource.dependencies),
        "propertyDependencies": {prop: list(urns) for prop, urns in resource.property_dependencies.items()},
        "provider": f"{provider.urn if provider else resource.provider}::{UNKNOWN_SENTINEL}" if resource.provider else "",
        "protect": given.protect,
        "retainOnDelete": given.retain_on_delete,
        "ignoreChanges": list(given.ignore_changes),
        "deleteBeforeReplace": given.delete_before_replace,
        "deletedWith": given.deleted_with or "",
    }


def _engine_json(value: Any, secret: Any) -> Any:
    if isinstance(value, Unknown):
        return UNKNOWN_SENTINEL
    if isinstance(value, Secret):
        return secret
    if isinstance(value, Mapping):
        return {key: _engine_json(inner, secret) for key, inner in value.items()}
    return [_engine_json(inner, secret) for inner in value] if isinstance(value, list | tuple) else value
