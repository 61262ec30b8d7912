"""Inventory -> what it costs: now, at maximum, and with the nodes that an update adds (J8).

Money is US dollars before tax. A month has 730 hours. Lines are floors wherever something is unknown: `unpriced` and `unknown` say
what is missing, so that no total passes for the whole.
"""

from __future__ import annotations

from .assumptions import NAT_GB_PER_MONTH
from .counting import cost
from .periods import Period, UpFront, until, up_front
from .result import HOURS_PER_MONTH, Amount, Cost, Entry, Kind, Line, Missing, SpotPrice, Unbounded, Unpriced, total
from .shares import PoolCost, SpotSaving, TeamShare, gpu_hour_usd, per_pool, per_team, spot_savings

__all__ = [
    "HOURS_PER_MONTH",
    "NAT_GB_PER_MONTH",
    "Amount",
    "Cost",
    "Entry",
    "Kind",
    "Line",
    "Missing",
    "Period",
    "PoolCost",
    "SpotPrice",
    "SpotSaving",
    "TeamShare",
    "Unbounded",
    "Unpriced",
    "UpFront",
    "cost",
    "gpu_hour_usd",
    "per_pool",
    "per_team",
    "spot_savings",
    "total",
    "until",
    "up_front",
]
