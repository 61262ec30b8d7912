"""Outputs that a preview can promise: the inputs, and unknowns for what the cloud decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scripts.sandbox import kinds, sdk_schema, wire

_FROM_TAGS = {"tags": ("tagsAll",), "labels": ("effectiveLabels", "pulumiLabels"), "resourceLabels": ("effectiveLabels", "pulumiLabels")}
"""Outputs that follow from the tags or labels that a program gives."""


def planned_outputs(
    token: str, inputs: Mapping[str, Any], *, olds: Mapping[str, Any] | None = None, old_inputs: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Outputs of a create (or, with `olds`, of an update) as far as a plan knows them."""
    schema = sdk_schema.resource(token)
    names = schema.outputs if schema else frozenset[str]()
    if olds is None:
        made = {**dict.fromkeys(names, wire.UNKNOWN), **inputs}
        return {name: _enriched(token, name, value) for name, value in made.items() if not name.startswith("__")}
    moving = kinds.kind(token).moving
    kept = {name: value for name, value in olds.items() if name not in (old_inputs or {}) or name in inputs}
    changed = wire.plain(inputs) != wire.plain(old_inputs or {})
    made = {**kept, **{n: wire.UNKNOWN for n in moving if changed and n in names}}
    for name, value in inputs.items():
        old = olds.get(name)
        unchanged = wire.plain(value) == wire.plain((old_inputs or {}).get(name))
        made[name] = old if unchanged and old is not None else _enriched(token, name, value)
    for given, follow in _FROM_TAGS.items():
        if inputs.get(given) != (old_inputs or {}).get(given):
            made.update({name: wire.UNKNOWN for name in follow if name in names})
    return {name: value for name, value in made.items() if not name.startswith("__")}


def _enriched(token: str, name: str, value: Any) -> Any:
    kind = kinds.kind(token)
    if name in kind.shown_as and not wire.is_unknown(value):
        return kind.shown_as[name](value)
    added = kind.enriched.get(name)
    if not added or not isinstance(value, dict) or wire.SIGNATURE in value:
        return value
    return {**dict.fromkeys(added, wire.UNKNOWN), **cast("dict[str, Any]", value)}
