"""What a pool's machine costs per hour, by the catalogue. None where it does not know: never zero."""

from __future__ import annotations

from components import catalog
from components.inventory import Cloud, Market


def usd_per_hour(cloud: Cloud, region: str, machine: str | None, market: Market | None) -> float | None:
    """List price per machine and hour. Spot counts at its dearest zone, or on demand where that is not known: a limit must hold."""
    found = catalog.price(cloud, region, machine) if machine else None
    if found is None or market is None:
        return None
    figure = {
        Market.SPOT: found.spot_high or found.on_demand,
        Market.CAPACITY_BLOCK: found.capacity_block,
        Market.FLEX_START: found.flex_start or found.on_demand,
        Market.CALENDAR: found.calendar,
    }.get(market, found.on_demand)
    return None if figure is None else figure.usd
