"""Scalars that a Terraform-bridged provider takes for one another: numbers and booleans as strings, strings as numbers and booleans.

Source: pulumi-terraform-bridge, pkg/tfbridge/schema.go (makeTerraformInput: a boolean becomes "true" or "false", a number its shortest
decimal form) and pkg/tfbridge/typechecker ("the bridge permits coalescing ..."). Providers that are not bridged (kubernetes) coerce nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

from scripts.sandbox import sdk_schema, wire
from scripts.sandbox.sdk_schema import Properties, Shape

BRIDGED = frozenset({"aws", "gcp"})
_TEXT: frozenset[type] = frozenset({str})
_TRUTH: frozenset[type] = frozenset({bool})
_NUMBERS: frozenset[type] = frozenset({int, float})
_BOOLEANS = {"true": True, "false": False}
_SPELLED = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


def coerced(properties: Properties, value: Mapping[str, Any]) -> dict[str, Any]:
    """`value` as the bridge hands it on. What cannot be taken for the wanted type stays as it is, for the schema check to name."""
    shapes = properties.shapes
    return {name: _value(shapes[name], item) if name in shapes else item for name, item in value.items()}


def _value(shape: Shape, value: Any) -> Any:
    if wire.is_unknown(value):
        return value
    if isinstance(value, dict):
        return _mapping(shape, cast("dict[str, Any]", value))
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return items if shape.item is None else [_value(shape.item, item) for item in items]
    return _scalar(shape.scalars, value)


def _mapping(shape: Shape, value: dict[str, Any]) -> dict[str, Any]:
    if value.get(wire.SIGNATURE) in (wire.SECRET, wire.OUTPUT) and "value" in value:
        return {**value, "value": _value(shape, value["value"])}
    if wire.SIGNATURE in value:
        return value
    if shape.record is not None:
        return coerced(sdk_schema.properties(shape.record), value)
    entry = shape.entry
    return value if entry is None else {name: _value(entry, item) for name, item in value.items()}


def _scalar(wanted: frozenset[type], value: Any) -> Any:
    """A scalar for a property of one type alone; a property of several types takes it as it is."""
    if isinstance(value, bool):
        return str(value).lower() if wanted == _TEXT else value
    if isinstance(value, int | float):
        return _text(value) if wanted == _TEXT else value
    if not isinstance(value, str) or not wanted or str in wanted:
        return value
    if wanted == _TRUTH:
        return _BOOLEANS.get(value, value)
    return _number(value, whole=float not in wanted) if wanted <= _NUMBERS else value


def _text(number: float) -> str:
    """Without exponent and without needless digits, as Go's FormatFloat(number, 'f', -1)."""
    return str(number) if isinstance(number, int) else f"{Decimal(repr(number)):f}".removesuffix(".0")


def _number(text: str, *, whole: bool) -> int | float | str:
    """The number that `text` spells; `text` itself when it spells none."""
    if not _SPELLED.fullmatch(text):
        return text
    number = float(text)
    if number.is_integer():
        return int(number)
    return text if whole or not math.isfinite(number) else number
