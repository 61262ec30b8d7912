"""The schema of `limits.yaml` in the form that a policy's configuration takes: one property of a larger schema, so without references."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .limits import Limits

_DROPPED = ("title", "default", "format")
"""Titles say nothing; defaults would be filled in by the engine, and what is left out would look as if it were given; days are checked
when they are read, in words of ours.
"""


def limits_schema() -> dict[str, Any]:
    """JSON Schema of the limits as an object in which no other key may stand."""
    schema = Limits.model_json_schema(by_alias=True)
    found: dict[str, Any] = _inlined(schema, schema.pop("$defs"))
    return found


def _inlined(node: object, parts: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_inlined(inner, parts) for inner in cast("list[object]", node)]
    if not isinstance(node, Mapping):
        return node
    given = cast("Mapping[str, Any]", node)
    if "$ref" in given:
        return _inlined(parts[str(given["$ref"]).rpartition("/")[2]], parts)
    names = given.get("properties")
    kept = {key: _inlined(inner, parts) for key, inner in given.items() if key not in (*_DROPPED, "properties")}
    if names is None:
        return kept
    return {**kept, "properties": {key: _inlined(inner, parts) for key, inner in names.items()}}
