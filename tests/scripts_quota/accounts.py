"""Stacks and demands that the tests ask accounts about."""

from __future__ import annotations

from typing import Any

from components.demand import QuotaDemand
from components.inventory import Cloud, Market

P_SPOT, STANDARD = "L-7212CCBC", "L-1216C47A"


def wanting(code: str, need: float, *, cloud: Cloud = "aws", region: str = "us-east-1", unit: str = "vCPU", **changes: Any) -> QuotaDemand:
    told: dict[str, Any] = {"name": code, "market": Market.ON_DEMAND, "pools": ("gpu",), **changes}
    return QuotaDemand(cloud=cloud, region=region, code=code, unit=unit, need=need, **told)
