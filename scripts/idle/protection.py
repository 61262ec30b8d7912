"""What keeps the idle tools away from a cluster or a pool. Tags that nobody read may do so: then nothing is idle (`verdict`)."""

from __future__ import annotations

from components import idle_tags

from .signals import Cluster, Pool


def of(cluster: Cluster) -> str | None:
    """Why the idle tools keep away from the cluster; None when nothing says so."""
    if cluster.opted_out:
        return "its stack file keeps the idle tools away"
    tag = idle_tags.kept_by(cluster.tags or {})
    return None if tag is None else f"its tag {tag} keeps the idle tools away"


def of_pool(pool: Pool) -> str | None:
    """The same of one pool."""
    return "its own tag keeps the idle tools away" if pool.opted_out else None
