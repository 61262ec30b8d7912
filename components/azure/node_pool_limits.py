"""How much AKS takes of a pool. Source: AKS documentation, "Quotas, virtual machine size restrictions, and region availability"."""

from __future__ import annotations

from collections.abc import Mapping

from components.naming import TAG_RULES

from .outline import PoolOutline
from .scaling_tags import scaling_tags

MOST_NODES = 1000
OWN_TAGS = 5
"""Identity tags of a pool."""
TAGS_OF_AKS = 8
"""Tags that AKS itself puts on a scale set, generously counted."""


def pool_tags_problem(pool: PoolOutline, user_tags: Mapping[str, str]) -> str | None:
    """A scale set takes as many tags as any resource, and ours, AKS's and the autoscaler's hints come on top of the user's."""
    needed = len({**user_tags, **scaling_tags(pool)}) + OWN_TAGS + TAGS_OF_AKS
    most = TAG_RULES["azure"].most
    if needed <= most:
        return None
    return f"the scale set of pool {pool.name} would carry {needed} tags, of which Azure takes {most}: give fewer tags"
