"""Which price a machine is judged at: by market, age of the figure, and the rates that someone has negotiated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, cast

from . import catalog
from .catalog import Figure, MachinePrice
from .inventory import CLOUDS, Cloud, Market
from .json_file import bound, day, document, finite, read_json
from .refusals import written

SCHEMA = "gpukit/prices/1"
STALE_DAYS = 90
OVERLAY_MARKETS = (Market.ON_DEMAND, Market.SPOT, Market.CAPACITY_BLOCK, Market.FLEX_START)

Offer = tuple[str, str, str, Market]
"""cloud, region, machine, market."""


@dataclass(frozen=True)
class PriceOverlay:
    """Negotiated machine rates in US dollars an hour; they go before the catalogue's."""

    figures: Mapping[Offer, Figure] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a `gpukit/prices/1` JSON file. Raises ValueError with what is wrong in it, OSError when it cannot be read."""
        return cls.from_json(read_json(path, "price file"))

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Raises ValueError naming the first wrong entry."""
        given = document(value, "price file", SCHEMA)
        rates = given.get("machines")
        if rates is None or not isinstance(rates, list):
            raise ValueError("price file: `machines` must be a list of rates")
        source, as_of = str(given.get("source") or "price file"), day(given.get("as_of"), "price file: as_of", "the day of the rates")
        return cls(MappingProxyType(dict(_rate(rate, i, source, as_of) for i, rate in enumerate(cast("list[object]", rates)))))


def _rate(value: object, index: int, source: str, as_of: date) -> tuple[Offer, Figure]:
    where = f"price file: machines[{index}]"
    rate = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
    cloud, region, machine, market = (rate.get(key) for key in ("cloud", "region", "machine", "market"))
    usd = finite(rate.get("usd_per_hour"))
    if cloud not in CLOUDS or not isinstance(region, str) or not isinstance(machine, str):
        raise ValueError(f"{where} needs cloud ({', '.join(CLOUDS)}), region and machine")
    if market not in OVERLAY_MARKETS:
        raise ValueError(f"{where}.market is {market!r}, give one of {', '.join(OVERLAY_MARKETS)}")
    if not usd:
        raise ValueError(f"{where}.usd_per_hour is {written(rate, 'usd_per_hour')}, give a number above 0{bound(rate.get('usd_per_hour'))}")
    return (cloud, region, machine, Market(market)), Figure(usd=usd, unit="hour", source=source, as_of=as_of)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How prices are chosen: rates of one's own, the day that counts, and the age beyond which a figure is old."""

    now: datetime
    overlay: PriceOverlay = PriceOverlay()
    stale_days: int = STALE_DAYS

    def stale(self, figure: Figure) -> bool:
        """Undated counts as old."""
        return figure.as_of is None or (self.now.date() - figure.as_of).days > self.stale_days


@dataclass(frozen=True)
class Rate:
    """One hour of one machine, with how it was chosen."""

    figure: Figure
    basis: str
    on_demand: Figure | None = None
    """Of spot: what the same machine costs on demand."""
    spot: Figure | None = None
    """Of spot: the dearest price that is known, however old; what is judged may be another (`figure`)."""


def machine_rate(cloud: Cloud, region: str, machine: str, market: Market, terms: Terms) -> Rate | None:
    """The rate at which a node is judged; None when no price is known, which is never zero.

    Spot counts at the region's dearest zone, or on demand when that price is unknown or old. A reservation bills on demand whether it
    is used or not. A capacity block counts at its effective hourly rate though it is paid up front.
    """
    listed = catalog.price(cloud, region, machine)
    on_demand = terms.overlay.figures.get((cloud, region, machine, Market.ON_DEMAND)) or (listed.on_demand if listed else None)
    if figure := terms.overlay.figures.get((cloud, region, machine, _billed_as(market))):
        spot = market is Market.SPOT
        return Rate(figure, f"{market}, negotiated", on_demand if spot else None, figure if spot else None)
    if market is Market.SPOT:
        return _spot_rate(listed, on_demand, terms)
    if market is Market.CAPACITY_BLOCK:
        return Rate(listed.capacity_block, "capacity block, paid up front") if listed and listed.capacity_block else None
    if market is Market.FLEX_START and listed and listed.flex_start:
        return Rate(listed.flex_start, "flex-start")
    if market is Market.CALENDAR and listed and listed.calendar:
        return Rate(listed.calendar, "calendar mode")
    basis = "on demand" if market is Market.ON_DEMAND else f"{market.replace('_', ' ')} at on-demand rate"
    return Rate(on_demand, basis) if on_demand else None


def _billed_as(market: Market) -> Market:
    return market if market in OVERLAY_MARKETS else Market.ON_DEMAND


def _spot_rate(listed: MachinePrice | None, on_demand: Figure | None, terms: Terms) -> Rate | None:
    dearest = listed.spot_high if listed else None
    if dearest is not None and not terms.stale(dearest):
        return Rate(dearest, "spot, dearest zone", on_demand, dearest)
    if on_demand is None:
        return None
    known = dearest or (listed.spot_low if listed else None)
    why = (
        f"is undated or older than {terms.stale_days} days" if dearest else "of the dearest zone is not known" if known else "is not known"
    )
    return Rate(on_demand, f"spot at on-demand rate, as the spot price {why}", on_demand, known)
