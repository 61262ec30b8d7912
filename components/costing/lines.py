"""How lines are made from figures: by the unit that a price is given in, never by a guess."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from components import catalog
from components.catalog import Figure
from components.inventory import Cloud, GpuPool, NodePool
from components.pricing import Terms
from components.resource import name_of
from components.unknown import Maybe, known

from .result import HOURS_PER_MONTH, Entry, Kind, Line, Missing

NO_PRICE = "no price for it in this region"
_PER_MONTH = ("gb-month", "gib-month", "disk-month")
_PER_AMOUNT = ("gb", "gib")
_PER_HOUR = ("hour", "cluster-hour", "gib-hour", "gb-hour", "rule-hour")


def hourly(figure: Figure, quantity: float = 1.0) -> float:
    """US dollars an hour of `quantity` units; of data, `quantity` is what flows in an hour.

    Raises ValueError for a unit that nothing turns into hours: a wrong sum is worse than none.
    """
    unit = figure.unit
    if unit in _PER_MONTH:
        return figure.usd * quantity / HOURS_PER_MONTH
    if unit in _PER_HOUR or unit in _PER_AMOUNT:
        return figure.usd * quantity
    raise ValueError(f"a price per {unit!r} is none of {', '.join((*_PER_HOUR, *_PER_MONTH, *_PER_AMOUNT))}")


@dataclass(frozen=True, kw_only=True)
class Price:
    """US dollars an hour of one billed thing, with where it comes from."""

    usd: float
    source: str
    as_of: date | None
    stale: bool


def priced(figure: Figure | None, terms: Terms, quantity: float = 1.0) -> Price | None:
    """`quantity` units of `figure`; None where there is no figure, which is never zero."""
    if figure is None:
        return None
    return Price(usd=hourly(figure, quantity), source=figure.source, as_of=figure.as_of, stale=terms.stale(figure))


def service_figure(cloud: Cloud, region: Maybe[str], service: str, sku: str) -> Figure | None:
    return catalog.service_price(cloud, region, service, sku) if known(region) else None


def single(urn: str, kind: Kind, what: str, price: Price | None) -> Entry:
    """A line that does not follow a pool."""
    if price is None:
        return Missing(urn=urn, what=f"{what} ({name_of(urn)})", reason=NO_PRICE)
    return Line(
        urn=urn,
        name=name_of(urn),
        what=what,
        now=1,
        maximum=1,
        surge=1,
        usd_per_hour=price.usd,
        list_usd_per_hour=price.usd,
        source=price.source,
        as_of=price.as_of,
        stale=price.stale,
        kind=kind,
    )


def following(pool: NodePool, kind: Kind, what: str, price: Price) -> Line:
    """A line of which every node of the pool has one."""
    nodes = pool.nodes
    return Line(
        urn=pool.urn,
        name=pool.name,
        what=what,
        now=nodes.now,
        maximum=nodes.maximum,
        surge=nodes.with_surge,
        usd_per_hour=price.usd,
        list_usd_per_hour=price.usd,
        source=price.source,
        as_of=price.as_of,
        stale=price.stale,
        kind=kind,
        pool=pool.name,
        gpu_pool=isinstance(pool, GpuPool),
    )
