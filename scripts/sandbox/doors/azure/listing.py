"""Collections: objects of one type in a subscription, a group or a parent; all resources by tag; pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from scripts.arm_paths import TYPES, ArmType, is_under, parse, subscription_of
from scripts.sandbox.doors.azure.shapes import resource_line, shown
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import place_of
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

PAGE = 100
_COLLECTION = re.compile(r"(?P<above>/subscriptions/[^/]+(?:/resourceGroups/[^/]+)?)/providers/(?P<word>.+)", re.IGNORECASE)
_EXTENSIONS = frozenset({t.ROLE_ASSIGNMENT, t.LOCK, t.BUDGET, t.DIAGNOSTIC_SETTING})
_TAG = re.compile(r"tagName eq '(?P<name>[^']*)'(?: and tagValue eq '(?P<value>[^']*)')?", re.IGNORECASE)
_TYPE = re.compile(r"resourceType eq '(?P<type>[^']*)'", re.IGNORECASE)
_FILTER = "Azure Resource Manager REST reference, Resources - List"


def collection(world: Simulation, path: str) -> list[Record] | None:
    """The objects of the collection that a path names; None when it names none."""
    found = _nested(world, path)
    if found is not None:
        return found
    match = _COLLECTION.fullmatch(path)
    if match is None:
        return None
    kind = _by_word(match["word"])
    return None if kind is None else _below(world, kind, match["above"])


def _nested(world: Simulation, path: str) -> list[Record] | None:
    """Objects in a parent (subnets of a network), or of an extension type on a scope."""
    named = parse(f"{path}/x")
    if named is None:
        return None
    kind = named[0]
    parent = path.rpartition("/")[0]
    if kind.scoped:
        return [r for r in _all(world, kind.token, path) if is_under(r.id, path.rpartition("/providers/")[0])]
    if _by_word(path.rpartition("/providers/")[2]) is kind:
        return _below(world, kind, path.rpartition("/providers/")[0])
    return [r for r in _all(world, kind.token, path) if is_under(r.id, parent) and r.id.count("/") == path.count("/") + 1]


def _by_word(word: str) -> ArmType | None:
    return next((kind for kind in TYPES.values() if kind.word.lower() == word.lower()), None)


def _below(world: Simulation, kind: ArmType, above: str) -> list[Record]:
    return [r for r in _all(world, kind.token, above) if is_under(r.id, above)]


def _all(world: Simulation, token: str, path: str) -> list[Record]:
    return world.store.of_kind(token, place_of(subscription_of(path)).key)


def resources(world: Simulation, above: str, condition: str) -> list[Record]:
    """Everything in a subscription or group that is no group, and fits the filter. Raises Refusal for a filter that is not understood."""
    found = [r for r in world.store.in_place(place_of(subscription_of(above)).key) if _listed(r) and is_under(r.id, above)]
    if not condition:
        return found
    tag, kind = _TAG.fullmatch(condition), _TYPE.fullmatch(condition)
    if tag is not None:
        return [r for r in found if tag["name"] in r.tags and tag["value"] in (None, r.tags[tag["name"]])]
    if kind is not None:
        return [r for r in found if (named := parse(r.id)) is not None and named[0].word.lower() == kind["type"].lower()]
    raise Refusal("InvalidFilterInQueryString", f"Invalid $filter '{condition}' specified in the query string.", source=_FILTER)


def _listed(record: Record) -> bool:
    """The list of all resources holds no groups, no extensions, and no parts such as subnets and pools."""
    named = parse(record.id)
    if record.kind in _EXTENSIONS or record.kind in (t.RESOURCE_GROUP, t.FEATURE):
        return False
    return named is None or named[0].word.count("/") == 1


def groups(world: Simulation, subscription: str, condition: str) -> list[Record]:
    found = world.store.of_kind(t.RESOURCE_GROUP, place_of(subscription).key)
    tag = _TAG.fullmatch(condition) if condition else None
    if condition and tag is None:
        raise Refusal("InvalidFilterInQueryString", f"Invalid $filter '{condition}' specified in the query string.", source=_FILTER)
    return [g for g in found if tag is None or (tag["name"] in g.tags and tag["value"] in (None, g.tags[tag["name"]]))]


def page(
    world: Simulation, records: Sequence[Record], query: Mapping[str, list[str]], address: str, *, lines: bool = False
) -> dict[str, Any]:
    """One page of a list. `address`: where the list was asked for, to which the next page's mark is added."""
    mark = (query.get("$skiptoken") or ["0"])[0]
    start = int(mark) if mark.isdigit() else 0
    ordered = sorted(records, key=lambda r: r.id.lower())
    chosen = ordered[start : start + PAGE]
    body: dict[str, Any] = {"value": [resource_line(r) if lines else shown(world, r) for r in chosen]}
    if start + PAGE < len(ordered):
        kept = "&".join(f"{quote(name)}={quote(value)}" for name, values in query.items() for value in values if name != "$skiptoken")
        body["nextLink"] = f"{address}?{kept}&%24skiptoken={start + PAGE}"
    return body
