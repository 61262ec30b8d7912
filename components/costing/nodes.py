"""Nodes of pools at the price of their market. A pool that may start several machines counts the dearest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from components import attached_gpus, catalog
from components.inventory import GpuPool, Market, NodePool
from components.pricing import Rate, Terms, machine_rate
from components.unknown import Unknown, known

from .assumptions import Assumptions
from .lines import Price, following
from .result import Entry, Kind, Line, Missing, SpotPrice, Unbounded, Unpriced


@dataclass(frozen=True)
class _Offer:
    machine: str
    market: Market
    rate: Rate


def sizes(pool: NodePool) -> Iterator[Unbounded]:
    """H10: a size that the plan does not know bounds nothing. An unknown desired size leaves the bound and makes `now` partial."""
    missing = [count for count in (pool.nodes.maximum, pool.nodes.with_surge) if isinstance(count, Unknown)]
    for unknown in dict.fromkeys(missing):
        yield Unbounded(urn=pool.urn, name=pool.name, missing=unknown)


def nodes(pool: NodePool, assumed: Assumptions, terms: Terms) -> Iterator[Entry]:
    region, market, machines = pool.region, pool.market, pool.machines
    if isinstance(region, Unknown) or isinstance(market, Unknown) or isinstance(machines, Unknown):
        missing = [fact for fact in (region, market, machines) if isinstance(fact, Unknown)]
        yield from (Unbounded(urn=pool.urn, name=pool.name, missing=fact) for fact in missing)
        return
    offers: list[_Offer] = []
    unpriced: list[str] = []
    for machine in machines:
        if isinstance(machine, Unknown):
            yield Unbounded(urn=pool.urn, name=pool.name, missing=machine)
        elif rate := machine_rate(pool.cloud, region, machine, market, terms):
            offers.append(_Offer(machine, market, rate))
        else:
            unpriced.append(machine)
    yield from _without_price(pool, unpriced, region, market)
    if offers:
        dearest = max(offers, key=lambda offer: _at_most(pool, offer))
        yield _line(pool.of_machine(dearest.machine), dearest, assumed, terms)


def _at_most(pool: NodePool, offer: _Offer) -> float:
    """What the pool costs with nodes of this machine alone; by the machine's own rate where no limit tells machines apart."""
    most = pool.bounds.get(offer.machine, 1)
    return offer.rate.figure.usd * most


def attached(pool: NodePool, terms: Terms) -> Iterator[Entry]:
    """GPUs beside the machine, on every node. The line carries their number, as the machine's own has none."""
    for rate in attached_gpus.rates(pool):
        if isinstance(rate, Unknown):
            yield Unbounded(urn=pool.urn, name=pool.name, missing=rate)
        elif rate.figure is None:
            path = pool.paths.get("machines", "")
            market = pool.market if known(pool.market) else Market.ON_DEMAND
            yield Unpriced(urn=pool.urn, name=pool.name, machine=rate.what, region=str(pool.region), market=market, path=path)
        else:
            figure = rate.figure
            price = Price(usd=figure.usd * rate.count, source=figure.source, as_of=figure.as_of, stale=terms.stale(figure))
            yield replace(following(pool, Kind.NODES, rate.what, price), gpus=float(rate.count))


def _without_price(pool: NodePool, machines: Sequence[str], region: str, market: Market) -> Iterator[Unpriced | Missing]:
    """Each machine where there may be accelerators; else all in one line, as a pool may leave the choice among hundreds."""
    if isinstance(pool, GpuPool):
        path = pool.paths.get("machines", "")
        yield from (Unpriced(urn=pool.urn, name=pool.name, machine=one, region=region, market=market, path=path) for one in machines)
    elif machines:
        others = f" and {len(machines) - 1} others" if len(machines) > 1 else ""
        yield Missing(urn=pool.urn, what=f"nodes of {pool.name}", reason=f"no price for {machines[0]}{others} ({market}) in {region}")


def _line(pool: NodePool, offer: _Offer, assumed: Assumptions, terms: Terms) -> Line:
    figure, market = offer.rate.figure, offer.market
    percent_off = assumed.percent_off(pool, market)
    less = f", {percent_off:g} % commitment taken off" if percent_off else ""
    row = catalog.find_machine(pool.cloud, offer.machine)
    price = Price(usd=figure.usd, source=figure.source, as_of=figure.as_of, stale=terms.stale(figure))
    line = replace(
        following(pool, Kind.NODES, f"{offer.machine}, {offer.rate.basis}{less}", price),
        usd_per_hour=figure.usd * (1 - percent_off / 100),
        gpus=row.gpu_count if row else None,
        market=market,
        up_front=market is Market.CAPACITY_BLOCK,
    )
    return replace(line, spot=_spot(pool, offer.rate, assumed, terms)) if market is Market.SPOT else line


def _spot(pool: NodePool, rate: Rate, assumed: Assumptions, terms: Terms) -> SpotPrice | None:
    if rate.spot is None or rate.on_demand is None:
        return None
    return SpotPrice(
        usd=rate.spot.usd,
        as_of=rate.spot.as_of,
        stale=terms.stale(rate.spot),
        on_demand_usd=rate.on_demand.usd,
        restart_loss=assumed.restart_loss(pool),
    )
