"""A raw Pulumi resource as every source gives it: recorded program, preview, exported state, the engine's analyzer calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, cast

from .unknown import SECRET, Unknown

Value = Any
"""JSON as the engine sends it (camelCase keys, whole numbers as int), with `Unknown` and `Secret` as possible leaves."""

_EMPTY: Mapping[str, Any] = MappingProxyType({})
UNKNOWN_ID = Unknown("id")
"""The id of a resource that is still to be made."""


def name_of(urn: str) -> str:
    """The name in `urn:pulumi:STACK::PROJECT::TYPE::NAME`, which may itself hold `::`; any other text, such as the id of an existing
    resource, as it is.
    """
    parts = urn.split("::", 3)
    return parts[3] if len(parts) == 4 and urn.startswith("urn:pulumi:") else urn  # the parts of a URN


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that Pulumi marks secret. It may be compared, never printed."""

    value: Value

    def __repr__(self) -> str:
        return "Secret([secret])"

    __str__ = __repr__


@dataclass(frozen=True, kw_only=True)
class Options:
    """Resource options that rules ask about."""

    protect: bool = False
    retain_on_delete: bool = False
    ignore_changes: tuple[str, ...] = ()
    delete_before_replace: bool = False
    deleted_with: str | None = None
    partial: bool = False
    """True where the source leaves options out: the policy SDK tells neither `deleted_with` nor `retain_on_delete`."""


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One registered resource. `inputs` are what the program wrote, `outputs` what is known of the result (in a plan: the inputs)."""

    urn: str
    type: str
    name: str
    custom: bool = True
    parent: str | None = None
    inputs: Mapping[str, Value] = field(default_factory=lambda: _EMPTY)
    outputs: Mapping[str, Value] = field(default_factory=lambda: _EMPTY)
    id: str | Unknown = UNKNOWN_ID
    dependencies: tuple[str, ...] = ()
    property_dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _EMPTY)
    provider: str | None = None
    options: Options = Options()
    remote: bool = False
    """A component whose children another process would make: they are not among the resources."""
    external: bool = False
    """Read with `.get()`: made, sized and paid for elsewhere. The engine's policy protocol does not tell this."""
    replaced: tuple[str, ...] | None = None
    """Properties for whose change the update makes it anew; None where it does not, or the source does not tell: only a preview does."""

    def read(self, *path: str | int) -> Value:
        """The input at `path`: None when absent, `Unknown` when it, or anything on the way to it, is unknown or secret.

        A wrong type on the way is unknown too: what cannot be read is not a pass.
        """
        return read(self.inputs, *path)


def read(node: Value, *path: str | int, _seen: str = "") -> Value:
    """Walk `path` through plain JSON: None when absent, `Unknown` with the full path when it cannot be known."""
    at = _seen
    for key in path:
        if isinstance(node, Unknown):
            return Unknown(at or node.path, node.reason)
        if isinstance(node, Secret):
            return Unknown(at, SECRET)
        if node is None:
            return None
        at = f"{at}[{key}]" if isinstance(key, int) else f"{at}.{key}" if at else str(key)
        if isinstance(node, Mapping) and isinstance(key, str):
            node = cast("Mapping[str, Value]", node).get(key)
        elif isinstance(node, list | tuple) and isinstance(key, int):
            items = cast("list[Value]", node)
            node = items[key] if -len(items) <= key < len(items) else None
        else:
            return Unknown(at, f"not readable: {type(node).__name__} where {'a list' if isinstance(key, int) else 'an object'} belongs")
    if isinstance(node, Unknown):
        return Unknown(at or node.path, node.reason)
    if isinstance(node, Secret):
        return Unknown(at, SECRET)
    return node


@dataclass(frozen=True, kw_only=True)
class ResourceSet:
    """All resources of one stack, in the order of registration, with the stack's own settings."""

    project: str
    stack: str
    resources: tuple[Resource, ...]
    config: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    files: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    """Text of local files that resources name, by path as written; empty where the source has resources alone, as a state has."""

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.resources)

    @cached_property
    def by_urn(self) -> Mapping[str, Resource]:
        return {r.urn: r for r in self.resources}

    @cached_property
    def by_type(self) -> Mapping[str, tuple[Resource, ...]]:
        found: dict[str, list[Resource]] = {}
        for r in self.resources:
            found.setdefault(r.type, []).append(r)
        return {t: tuple(rs) for t, rs in found.items()}

    @cached_property
    def _by_id(self) -> Mapping[tuple[str, str], Resource]:
        return {(r.type, r.id): r for r in self.resources if isinstance(r.id, str)}

    def of_type(self, *types: str) -> tuple[Resource, ...]:
        return tuple(r for t in types for r in self.by_type.get(t, ()))

    def referred(self, resource: Resource, prop: str, *types: str) -> tuple[Resource, ...]:
        """The resources of `types` that the top-level input `prop` refers to: by property dependency, or by a literal id or name in it."""
        by_dependency = [
            r for urn in resource.property_dependencies.get(prop, ()) if (r := self.by_urn.get(urn)) is not None and r.type in types
        ]
        by_literal = [r for text in strings(resource.inputs.get(prop)) if (r := self.existing(text, *types))]
        return tuple({r.urn: r for r in [*by_dependency, *by_literal]}.values())

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Resource]:
        """By type and physical name, ARN, or id as the outputs have it; of several with one name the first.

        An ARN ends in the id or name, which helps where a source gives outputs but no ids, as analyzer calls do.
        """
        found: dict[tuple[str, str], Resource] = {}
        for r in self.resources:
            arn = r.outputs.get("arn")
            ending = re.split("[:/]", arn)[-1] if isinstance(arn, str) else None
            for text in (r.inputs.get("name"), r.outputs.get("id"), arn, ending):
                if isinstance(text, str) and text:
                    found.setdefault((r.type, text), r)
        return found

    def existing(self, text: str, *types: str) -> Resource | None:
        """The resource of `types` that `text` names by id, physical name or ARN."""
        found = (self._by_id.get((t, text)) or self._by_name.get((t, text)) for t in types)
        return next((r for r in found if r is not None), None)


def strings(value: Value, *, keys: bool = False) -> Iterable[str]:
    """Every text in it, in order, with `keys` those of objects before their values, however deep it lies: foreign values may be nested
    further than functions. What is unknown or secret holds none.
    """
    ahead: list[Value] = [value]
    while ahead:
        node = ahead.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, Mapping):
            for key, inner in reversed(list(cast("Mapping[str, Value]", node).items())):
                ahead += [inner, str(key)] if keys else [inner]
        elif isinstance(node, list | tuple):
            ahead += list(cast("list[Value]", node))[::-1]
