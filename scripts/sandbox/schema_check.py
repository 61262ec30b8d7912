"""Inputs against the SDK's schema: required, unknown and mistyped properties at every depth, each by its property path."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from scripts.sandbox import sdk_schema, wire
from scripts.sandbox.sdk_schema import Properties, Shape

_WORDS = {str: "a string", bool: "true or false", int: "a whole number", float: "a number"}


@dataclass(frozen=True)
class Failure:
    path: str
    reason: str


def check(properties: Properties, value: Mapping[str, Any], *, path: str = "") -> list[Failure]:
    """Every property of `value` that the schema does not allow, and every required one that is missing.

    Unknown values (a plan knows them only after the update) pass: they are judged when they are known.
    """
    return list(_object(properties, value, path))


def _object(properties: Properties, value: Mapping[str, Any], path: str) -> Iterator[Failure]:
    for name in sorted(properties.required - value.keys()):
        yield Failure(_join(path, name), f"missing required property {name!r}")
    for name, item in value.items():
        if name.startswith("__"):
            continue
        shape = properties.shapes.get(name)
        if shape is None:
            yield Failure(_join(path, name), f"unknown property {name!r}{nearest(name, properties.shapes)}")
        else:
            yield from _value(shape, item, _join(path, name))


def _value(shape: Shape, value: Any, path: str) -> Iterator[Failure]:
    if wire.is_unknown(value):
        return
    if wire.is_secret(value) or (isinstance(value, dict) and cast("dict[str, Any]", value).get(wire.SIGNATURE) == wire.OUTPUT):
        yield from _value(shape, cast("dict[str, Any]", value)["value"], path)
        return
    if shape.anything or value is None or (isinstance(value, dict) and wire.SIGNATURE in value):
        return
    if isinstance(value, dict) and shape.record is not None:
        yield from _object(sdk_schema.properties(shape.record), cast("dict[str, Any]", value), path)
    elif isinstance(value, dict) and shape.entry is not None:
        for key, item in cast("dict[str, Any]", value).items():
            yield from _value(shape.entry, item, f"{path}.{key}")
    elif isinstance(value, list) and shape.item is not None:
        for at, item in enumerate(cast("list[Any]", value)):
            yield from _value(shape.item, item, f"{path}[{at}]")
    elif not _scalar(shape, value) and not _quantity(path, value):
        yield Failure(path, f"{_named(value)} where {_wanted(shape)} belongs")


def _scalar(shape: Shape, value: Any) -> bool:
    if isinstance(value, bool):
        return bool in shape.scalars
    if isinstance(value, int):
        return bool({int, float} & shape.scalars)
    return isinstance(value, float | str) and type(value) in shape.scalars


def _quantity(path: str, value: Any) -> bool:
    """Kubernetes takes numbers for resource quantities, which its SDK types as strings."""
    return isinstance(value, int | float) and any(f".{part}." in path for part in ("limits", "requests", "hard"))


def _wanted(shape: Shape) -> str:
    words = [_WORDS[s] for s in (str, bool, int, float) if s in shape.scalars]
    words += ["a list"] * (shape.item is not None) + ["an object"] * (shape.record is not None or shape.entry is not None)
    return " or ".join(words)


def _named(value: Any) -> str:
    return {dict: "an object", list: "a list", str: "a string", bool: "true or false"}.get(type(value), "a number")


def nearest(name: str, names: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(name, list(names), n=1)
    return f": did you mean {close[0]!r}?" if close else ""


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
