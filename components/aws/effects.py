"""What a change of the stack file does to nodes that run: told in stacks/README.md, tested against what is built."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Effect(StrEnum):
    """On the running nodes of a pool, from harmless to costly."""

    KEEPS = "nodes stay"
    ROLLS = "nodes are replaced, by `updates`"
    NEW_POOL = "a new pool; the old one goes"


EFFECTS: Mapping[str, Effect] = {
    "tags": Effect.KEEPS,
    "owner": Effect.KEEPS,
    "lease.expires": Effect.KEEPS,
    "access.admins": Effect.KEEPS,
    "access.api_cidrs": Effect.KEEPS,
    "storage.buckets.name": Effect.KEEPS,
    "storage.shared_filesystem.tib": Effect.KEEPS,
    "budget.alert_emails": Effect.KEEPS,
    "pools.nodes.min": Effect.KEEPS,
    "pools.nodes.max": Effect.KEEPS,
    "pools.labels": Effect.KEEPS,
    "pools.sharing": Effect.KEEPS,
    "pools.updates": Effect.KEEPS,
    "pools.disk_gib": Effect.ROLLS,
    "pools.fabric": Effect.ROLLS,
    "pools.placement": Effect.ROLLS,
    "kubernetes_version": Effect.ROLLS,
    "pools.image": Effect.NEW_POOL,
    "pools.machine": Effect.NEW_POOL,
    "pools.zone": Effect.NEW_POOL,
    "pools.capacity.OnDemand.mode": Effect.NEW_POOL,
    "pools.name": Effect.NEW_POOL,
}
"""By path of the field; alternatives of a union carry their class's name."""


def readme_table() -> str:
    """The table of stacks/README.md: fields by effect."""
    lines = ["| change of | running GPU nodes |", "|---|---|"]
    for effect in Effect:
        fields = ", ".join(f"`{_shown(path)}`" for path, its in EFFECTS.items() if its is effect)
        lines.append(f"| {fields} | {effect} |")
    return "\n".join(lines)


def _shown(path: str) -> str:
    """`pools[].capacity.mode` for `pools.capacity.OnDemand.mode`."""
    plain = ".".join(part for part in path.split(".") if not part[0].isupper())
    return plain.replace("pools.", "pools[].").replace("buckets.", "buckets[].")
