"""What a resource is tagged or labelled with: by itself, and by what its provider or the stack's settings put on everything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from components.resource import Resource, Value
from components.unknown import Maybe, Unknown

from .program import Program
from .values import given, texts

Tags = Mapping[str, Maybe[str]]


def own_tags(resource: Resource, prop: str) -> Maybe[Tags]:
    return _words(resource.read(prop), prop)


def tags_everywhere(resource: Resource, program: Program, prop: str, within: str = "") -> Maybe[Tags]:
    """Those that its provider's `prop` (below its key `within`) puts on everything, on the cloud's side."""
    provider = program.provider(resource)
    if provider is not None:
        value = _parsed(provider.read(prop), prop)
    elif program.default_provider(resource):
        value = _parsed(program.resources.config.get(f"{resource.type.partition(':')[0]}:{prop}"), prop)
    else:
        return Unknown(prop, "of a provider that is not among the program's resources")
    if isinstance(value, Mapping) and within:
        value = cast("Mapping[str, Value]", value).get(within)
    return _words(value, prop)


def _parsed(value: Value, path: str) -> Value:
    """Providers take objects as JSON text, and so do the stack's settings."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return Unknown(path, "no JSON")


def _words(value: Value, path: str) -> Maybe[Tags]:
    found = texts(value, path)
    return found if isinstance(found, Unknown) else {key: given(said, f"{path}.{key}", "empty") for key, said in found.items()}
