"""What a change of the stack file does to nodes that run on AKS: told in stacks/README.md, tested against what is built."""

from __future__ import annotations

from collections.abc import Mapping

from components.effects import Effect, table

EFFECTS: Mapping[str, Effect] = {
    "tags": Effect.KEEPS,
    "owner": Effect.KEEPS,
    "lease.expires": Effect.KEEPS,
    "access.admins": Effect.KEEPS,
    "access.api_cidrs": Effect.KEEPS,
    "storage.buckets.name": Effect.KEEPS,
    "budget.alert_emails": Effect.KEEPS,
    "pools.nodes.min": Effect.KEEPS,
    "pools.nodes.max": Effect.KEEPS,
    "pools.labels": Effect.KEEPS,
    "pools.fabric": Effect.KEEPS,
    "pools.updates": Effect.KEEPS,
    "kubernetes_version": Effect.ROLLS,
    "pools.disk_gib": Effect.NEW_POOL,
    "pools.image": Effect.NEW_POOL,
    "pools.machine": Effect.NEW_POOL,
    "pools.placement": Effect.NEW_POOL,
    "pools.zone": Effect.NEW_POOL,
    "pools.sharing.Mig.mig": Effect.NEW_POOL,
    "pools.capacity.OnDemand.mode": Effect.NEW_POOL,
    "pools.capacity.Spot.max_usd_per_hour": Effect.NEW_POOL,
    "pools.name": Effect.NEW_POOL,
}
"""By path of the field; alternatives of a union carry their class's name."""


def readme_table() -> str:
    """The table of stacks/README.md."""
    return table(EFFECTS)
