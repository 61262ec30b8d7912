"""What a cloud itself refuses to delete: seen before a destroy begins, not when everything beside it is gone (K11, H14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from components.resource import name_of
from scripts.engine.state import State
from scripts.errors import Refused

_FLAGS = ("deletionProtection", "enableDeletionProtection", "disableApiTermination")
"""The words of EKS and GKE clusters, of load balancers, and of EC2 instances."""


def protected_names(state: State) -> tuple[str, ...]:
    """Type and name of everything in `state` that its cloud, or the engine by `protect`, refuses to delete."""
    return tuple(f"{each['type']} {_name(each)}" for each in state.resources if each.get("protect") is True or _protected(each))


def refuse_protected(state: State, stack: str) -> None:
    """Raises Refused when anything in `state` is protected by its cloud, naming each."""
    found = [f"{each['type']} {_name(each)}" for each in state.resources if _protected(each)]
    if found:
        named = "\n".join(f"  - {name}" for name in found)
        raise Refused(
            f"Stack {stack} is protected against deletion in its cloud:\n{named}\n"
            f"Nothing was deleted. To end it: set `environment: dev` in its stack file, run `gpukit up {stack}`, then destroy it."
        )


def _protected(resource: Mapping[str, Any]) -> bool:
    return not resource.get("delete") and any(flag is True for flag in _flags(resource))


def _flags(resource: Mapping[str, Any]) -> Iterator[object]:
    for part in ("outputs", "inputs"):
        values = resource.get(part)
        if isinstance(values, Mapping):
            yield from (cast("Mapping[str, Any]", values).get(flag) for flag in _FLAGS)


def _name(resource: Mapping[str, Any]) -> str:
    return name_of(str(resource["urn"]))
