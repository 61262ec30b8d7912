"""Prices: machines by region and way of buying, and everything else that a cluster bills."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from .names import Cloud, cloud_named
from .tables import Row, as_of, rows, source

HOUR = "hour"


@dataclass(frozen=True, slots=True)
class Figure:
    """A price in US dollars per `unit`, before tax and discounts, with where and when it was read."""

    usd: float
    unit: str
    source: str
    as_of: date | None
    """None where the source gives no date: counts as old."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachinePrice:
    """What one machine costs per hour in one region (Linux). None: no price known, which is never zero."""

    cloud: Cloud
    region: str
    machine: str
    on_demand: Figure | None
    spot_low: Figure | None
    """Cheapest zone of the region."""
    spot_high: Figure | None
    """Dearest zone of the region."""
    capacity_block: Figure | None
    """AWS: effective hourly rate of a block that is paid up front."""
    flex_start: Figure | None
    calendar: Figure | None
    """GCP: calendar mode."""


@cache
def _offers(cloud: Cloud) -> dict[tuple[str, str], dict[str, Row]]:
    offers: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows(f"{cloud}_prices"):
        offers.setdefault((row["region"], row["machine"]), {})[row["market"]] = row
    return offers


def price(cloud: str, region: str, machine: str) -> MachinePrice | None:
    """Prices of `machine` in `region`; None when no way of buying it there has a known price.

    Raises UnknownName for an unknown cloud.
    """
    known_cloud = cloud_named(cloud)
    offer = _offers(known_cloud).get((region, machine))
    if offer is None:
        return None
    return MachinePrice(
        cloud=known_cloud,
        region=region,
        machine=machine,
        on_demand=_figure(offer.get("on_demand")),
        spot_low=_figure(offer.get("spot")),
        spot_high=_figure(offer.get("spot"), "usd_high"),
        capacity_block=_figure(offer.get("capacity_block")),
        flex_start=_figure(offer.get("flex_start")),
        calendar=_figure(offer.get("calendar")),
    )


def priced(cloud: str) -> tuple[tuple[str, str], ...]:
    """Every (region, machine) of the cloud that has some price."""
    return tuple(_offers(cloud_named(cloud)))


@cache
def _services(cloud: Cloud) -> dict[tuple[str, str, str], Row]:
    return {(row["service"], row["sku"], row["region"]): row for row in rows(f"{cloud}_services")}


def service_price(cloud: str, region: str, service: str, sku: str) -> Figure | None:
    """Price of something other than a machine, e.g. `service_price("aws", "us-east-1", "nat_gateway", "hour")`.

    The cloud's worldwide rate stands in where it has one and the region has none; None: no price known for that region.
    """
    table = _services(cloud_named(cloud))
    return _figure(table.get((service, sku, region)) or table.get((service, sku, "global")))


def service_names(cloud: str) -> tuple[tuple[str, str], ...]:
    """Every (service, sku) that has a price somewhere on the cloud."""
    return tuple(dict.fromkeys((service, sku) for service, sku, _ in _services(cloud_named(cloud))))


def priced_services(cloud: str) -> tuple[tuple[str, str, str], ...]:
    """Every (service, sku, region) of the cloud that has a price; `global` for one worldwide rate."""
    return tuple(_services(cloud_named(cloud)))


def _figure(row: Row | None, column: str = "usd") -> Figure | None:
    if row is None or not row[column]:
        return None
    return Figure(usd=float(row[column]), unit=row.get("unit", HOUR), source=source(row), as_of=as_of(row))
