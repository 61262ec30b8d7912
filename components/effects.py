"""What a change of the stack file does to nodes that run: the words, and the table of stacks/README.md. Each family says what it does."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Effect(StrEnum):
    """On the running nodes of a pool, from harmless to costly."""

    KEEPS = "nodes stay"
    ROLLS = "nodes are replaced, by `updates`"
    NEW_POOL = "a new pool; the old one goes"


def table(effects: Mapping[str, Effect]) -> str:
    """Fields by effect. `effects` is by path of the field; alternatives of a union carry their class's name."""
    lines = ["| change of | running GPU nodes |", "|---|---|"]
    for effect in Effect:
        fields = ", ".join(f"`{_shown(path)}`" for path, its in effects.items() if its is effect)
        lines.append(f"| {fields} | {effect} |")
    return "\n".join(lines)


def _shown(path: str) -> str:
    """`pools[].capacity.mode` for `pools.capacity.OnDemand.mode`."""
    plain = ".".join(part for part in path.split(".") if not part[0].isupper())
    return plain.replace("pools.", "pools[].").replace("buckets.", "buckets[].")
