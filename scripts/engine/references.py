"""Entries of a state that name others. The engine refuses a state in which one names what is not there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, cast

from scripts.engine.state import State

Entry = Mapping[str, Any]
"""A resource as the state lists it."""


def rooted(entry: Entry, known: Collection[str]) -> Entry:
    """`entry` without references to what is not in `known`. The next `up` writes them anew."""
    properties = cast("Mapping[str, list[str]]", entry.get("propertyDependencies") or {})
    kept = {
        **entry,
        "dependencies": [urn for urn in entry.get("dependencies") or () if urn in known],
        "propertyDependencies": {name: [urn for urn in urns if urn in known] for name, urns in properties.items()},
    }
    if kept.get("deletedWith") not in known:
        kept.pop("deletedWith", None)
    return kept


def without(state: State, forgotten: Callable[[Entry], bool]) -> State:
    """`state` without the entries that are `forgotten`: nothing is deleted anywhere."""
    left = [each for each in state.resources if not forgotten(each)]
    known = {str(each["urn"]) for each in left}
    return State({**state.document, "deployment": {**state.deployment, "resources": [rooted(each, known) for each in left]}})
