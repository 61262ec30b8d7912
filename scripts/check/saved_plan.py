"""A plan that `gpukit plan --json` wrote earlier, read back so that it is judged by today's rules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from components.resource import Options, Resource, ResourceSet, Secret, Value
from components.unknown import MASKED_SECRET, SECRET, Unknown
from scripts.errors import BadInput
from scripts.plan.judgement import Yardsticks
from scripts.plan.model import StackPlan
from scripts.plan.plan_json import SCHEMA

from . import engine_json
from .model import checked

WHAT = "`gpukit plan --json`"
_UNKNOWN_KEYS = {"unknown", "reason"}


def read(path: Path, by: Yardsticks) -> tuple[StackPlan, ...]:
    """The stacks of the plan in `path`, judged anew. Raises BadInput, naming `path`, for anything else than such a plan."""
    document = engine_json.load(path, what=WHAT)
    if document.get("schema") != SCHEMA:
        raise BadInput(f"{path} has schema {document.get('schema')!r}, {SCHEMA!r} is expected: give the output of {WHAT}.")
    try:
        return tuple(_stack(raw, by) for raw in document["stacks"])
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} is damaged ({type(error).__name__}: {error}): make it anew with {WHAT}.") from None


def _stack(raw: Mapping[str, Any], by: Yardsticks) -> StackPlan:
    name, project = str(raw["name"]), str(raw["project"])
    if raw.get("error") is not None:
        return StackPlan(name=name, project=project, source="saved plan", error=str(raw["error"]))
    config = {str(key): str(value) for key, value in raw["config"].items()}
    resources = tuple(_resource(each) for each in raw["resources"])
    return checked(ResourceSet(project=project, stack=name, resources=resources, config=config), by, source="saved plan")


def _resource(raw: Mapping[str, Any]) -> Resource:
    inputs = {key: value(inner) for key, inner in raw["inputs"].items()}
    id_ = value(raw["id"])
    options: dict[str, Any] = {key: tuple(given) if isinstance(given, list) else given for key, given in raw["options"].items()}
    return Resource(
        urn=str(raw["urn"]),
        type=str(raw["type"]),
        name=str(raw["name"]),
        custom=bool(raw["custom"]),
        parent=raw["parent"],
        provider=raw["provider"],
        inputs=inputs,
        outputs=inputs,
        id=id_ if isinstance(id_, str | Unknown) else Unknown("id"),
        dependencies=tuple(raw["dependencies"]),
        property_dependencies={key: tuple(urns) for key, urns in raw["property_dependencies"].items()},
        options=Options(**options),
    )


def value(raw: Any) -> Value:
    """`raw` with unknowns and secrets as they were when `plan_json.plain` wrote them."""
    if raw == MASKED_SECRET:
        return Secret(Unknown("", SECRET))
    if isinstance(raw, Mapping):
        given = cast("Mapping[str, Any]", raw)
        if set(given) == _UNKNOWN_KEYS:
            return Unknown(str(given["unknown"]), str(given["reason"]))
        return {key: value(inner) for key, inner in given.items()}
    if isinstance(raw, list):
        return [value(inner) for inner in cast("list[Any]", raw)]
    return raw
