"""Recorded example programs with one value changed: what readers and rules must stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from components.resource import ResourceSet
from components.unknown import Unknown

Path = tuple[str | int, ...]


def places(resources: ResourceSet) -> Iterator[tuple[str, Path]]:
    """Every place of every resource's inputs."""
    for resource in resources:
        if isinstance(resource.inputs, dict) and not resource.type.startswith("pulumi:pulumi"):
            yield from ((resource.urn, path) for path in _below(resource.inputs, ()))


def _below(node: Any, at: Path) -> Iterator[Path]:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield (*at, key)
        yield from _below(child, (*at, key))


def changed(resources: ResourceSet, urn: str, path: Path, value: Any) -> ResourceSet:
    """A copy with `value` in one place."""

    def one(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        copied = deepcopy(dict(inputs))
        node: Any = copied
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = value
        return copied

    made = tuple(replace(r, inputs=one(r.inputs), outputs=one(r.inputs)) if r.urn == urn else r for r in resources)
    return replace(resources, resources=made)


def hidden(resources: ResourceSet, urn: str, path: Path) -> ResourceSet:
    return changed(resources, urn, path, Unknown("".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in path).lstrip(".")))
