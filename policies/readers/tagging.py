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


def tags_of(resource: Resource, program: Program, *, prop: str, everywhere: str = "", within: str = "") -> Maybe[Tags]:
    """Those in `prop` over those of the provider's `everywhere` (below its key `within`), which the engine adds on the cloud's side.

    One place that cannot be read hides them all: a tag that counts may stand there.
    """
    own = _words(resource.read(prop), prop)
    general = _of_provider(resource, program, everywhere, within) if everywhere else {}
    if isinstance(own, Unknown) or isinstance(general, Unknown):
        return own if isinstance(own, Unknown) else general
    return {**general, **own}


def _of_provider(resource: Resource, program: Program, everywhere: str, within: str) -> Maybe[Tags]:
    provider = program.provider(resource)
    if provider is not None:
        value = _parsed(provider.read(everywhere))
    elif program.default_provider(resource):
        value = _parsed(program.resources.config.get(f"{resource.type.partition(':')[0]}:{everywhere}"))
    else:
        return {}
    if isinstance(value, Mapping) and within:
        value = cast("Mapping[str, Value]", value).get(within)
    return _words(value, everywhere)


def _parsed(value: Value) -> Value:
    """Providers take objects as JSON text, and so do the stack's settings."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _words(value: Value, path: str) -> Maybe[Tags]:
    found = texts(value, path)
    return found if isinstance(found, Unknown) else {key: given(said, f"{path}.{key}", "empty") for key, said in found.items()}
