"""Capacity reservation groups that pools start in. The groups are there already: they are made, paid for and deleted by people."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .outline import PoolOutline

GROUP_ID = re.compile(
    r"(?P<resource_group>/subscriptions/[^/]+/resourceGroups/[^/]+)/providers/Microsoft\.Compute/capacityReservationGroups/[^/]+"
)


def resource_group_of(group_id: str) -> str:
    """Id of the resource group that a capacity reservation group lies in. Raises ValueError for another kind of id."""
    found = GROUP_ID.fullmatch(group_id)
    if found is None:
        raise ValueError(f"{group_id!r} is no id of a capacity reservation group")
    return found["resource_group"]


def reserved_groups(pools: Iterable[PoolOutline]) -> tuple[str, ...]:
    """Where the cluster's identity needs rights: each resource group once."""
    return tuple(dict.fromkeys(resource_group_of(pool.reservation_group) for pool in pools if pool.reservation_group))
