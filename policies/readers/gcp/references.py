"""Who is meant on Google Cloud: by property dependency, self link, name or id. A self link ends in the name."""

from __future__ import annotations

from collections.abc import Sequence

from components.resource import Resource, Value
from components.unknown import Maybe, Unknown
from policies.readers.program import Program
from policies.readers.values import text


def named(program: Program, value: Value, *wanted: str) -> Resource | None:
    """The planned resource that a literal means: whole, or by the last segment of its path."""
    if not isinstance(value, str) or not value:
        return None
    whole = value.partition("/reservationBlocks/")[0].rstrip("/")
    return program.resources.existing(whole, *wanted) or program.resources.existing(whole.rpartition("/")[2], *wanted)


def reference(program: Program, resource: Resource, prop: str, value: Value, path: str, *wanted: str) -> Maybe[str | None]:
    """URN of the planned resource that `value`, which stands below the top-level `prop`, means; else the literal; None when absent."""
    if value is None:
        return None
    planned = named(program, value, *wanted)
    if planned is not None:
        return planned.urn
    if not isinstance(value, Unknown):
        return text(value, path)
    meant = _depended(program, resource, prop, *wanted)
    return meant[0] if len(meant) == 1 else value


def references(program: Program, resource: Resource, prop: str, values: Sequence[Value], path: str, *wanted: str) -> tuple[Maybe[str], ...]:
    """The same for a list. Those that are not known yet are the planned ones on which `prop` depends and that no literal names,
    where there is one for each, in no certain order, or one for all; otherwise they stay unknown.
    """
    found = [_literal(program, value, f"{path}[{i}]", *wanted) for i, value in enumerate(values)]
    waiting = [i for i, entry in enumerate(found) if isinstance(entry, Unknown)]
    free = [urn for urn in _depended(program, resource, prop, *wanted) if urn not in found]
    if len(free) == 1 or len(free) == len(waiting):
        for place, i in enumerate(waiting):
            found[i] = free[0] if len(free) == 1 else free[place]
    return tuple(found)


def _literal(program: Program, value: Value, path: str, *wanted: str) -> Maybe[str]:
    planned = named(program, value, *wanted)
    found = planned.urn if planned is not None else text(value, path)
    return Unknown(path, "not given") if found is None else found


def _depended(program: Program, resource: Resource, prop: str, *wanted: str) -> list[str]:
    urns = dict.fromkeys(resource.property_dependencies.get(prop, ()))
    return [urn for urn in urns if (source := program.resources.by_urn.get(urn)) is not None and source.type in wanted]
