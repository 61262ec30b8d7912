"""Inventory -> what it draws on each quota of its account, at maximum with surge; and the comparison with a recorded snapshot (J1).

What the cloud's listing does not hold is unknown, never room.
"""

from __future__ import annotations

from components.inventory import Inventory

from .addresses import of_address
from .amounts import EVERYWHERE, QuotaDemand, Unmeasured, merged
from .entries import QuotaEntry, quota_key
from .pools import of_pool
from .requesting import Ask, ask_for, asked
from .snapshot import USABLE_DAYS, QuotaSnapshot
from .snapshot_file import SCHEMA

__all__ = [
    "EVERYWHERE",
    "SCHEMA",
    "USABLE_DAYS",
    "Ask",
    "QuotaDemand",
    "QuotaEntry",
    "QuotaSnapshot",
    "Unmeasured",
    "ask_for",
    "asked",
    "demand",
    "merged",
    "quota_key",
]


def demand(inventory: Inventory) -> tuple[QuotaDemand, ...]:
    """Demand of one stack per quota, sorted by cloud, region and code."""
    pools = (part for pool in inventory.pools for part in of_pool(pool))
    addresses = (part for address in inventory.addresses for part in of_address(address))
    return merged([*pools, *addresses])
