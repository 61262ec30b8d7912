"""Pools -> their demand: every quota that a node counts against, at maximum with surge (J1, J2, E8).

AWS counts vCPUs by family and market; GCP GPUs by model, chips by TPU generation and CPUs of machines without either, with caps over
all regions; Azure vCPUs by family beside one cap a region, and all spot nodes in one quota.
"""

from __future__ import annotations

from collections.abc import Iterator

from components import attached_gpus, catalog
from components.catalog import Machine, Quota
from components.catalog.account_quotas import EVERY_FAMILY
from components.inventory import Market, NodePool
from components.unknown import Maybe, Unknown, known

from .amounts import EVERYWHERE, QuotaDemand, Unmeasured, greater


def of_pool(pool: NodePool) -> Iterator[QuotaDemand]:
    """A pool draws on each quota what its most demanding machine would."""
    region, market, machines = pool.region, pool.market, pool.machines
    if isinstance(region, Unknown) or isinstance(market, Unknown) or isinstance(machines, Unknown):
        yield from (_unmeasured(pool, fact) for fact in (region, market, machines) if isinstance(fact, Unknown))
        return
    largest: dict[str, QuotaDemand] = {}
    for machine in machines:
        for part in _of_machine(pool, machine, market):
            held = largest.get(part.code)
            largest[part.code] = part if held is None else greater(held, part)
    yield from largest.values()


def _of_machine(pool: NodePool, machine: Maybe[str], market: Market) -> Iterator[QuotaDemand]:
    row = catalog.find_machine(pool.cloud, machine) if known(machine) else None
    if row is None:
        path = pool.paths.get("machines", "machine")
        yield _unmeasured(pool, machine if isinstance(machine, Unknown) else Unknown(path, f"{machine!r}, which is in no catalogue"))
        return
    if market is Market.CAPACITY_BLOCK:
        return  # no quota code: blocks are capped in instances when they are bought
    caps = catalog.quotas_for(row, market)
    if not _established(row, caps, market):
        yield _unmeasured(pool, Unknown("quota", f"not established for {row.name} bought as {market}"))
    bounded = pool.of_machine(row.name)
    yield from (_drawn(bounded, row, cap, market) for cap in caps)
    yield from _attached(pool, market)


def _attached(pool: NodePool, market: Market) -> Iterator[QuotaDemand]:
    """GPUs beside the machine draw on quotas of their own."""
    for entry in attached_gpus.quotas(pool):
        if isinstance(entry, Unknown):
            yield _unmeasured(pool, entry)
        else:
            cap, each = entry
            yield _counted(pool, cap, market, float(each))


def _established(machine: Machine, caps: tuple[Quota, ...], market: Market) -> bool:
    """Whether the quota of the machine's own family is known. Caps over all families alone are no answer, but for Azure's spot nodes."""
    return any(EVERY_FAMILY not in cap.families for cap in caps) or (machine.cloud == "azure" and market is Market.SPOT and bool(caps))


def _drawn(pool: NodePool, machine: Machine, cap: Quota, market: Market) -> QuotaDemand:
    return _counted(pool, cap, market, _units(machine, cap.unit))


def _counted(pool: NodePool, cap: Quota, market: Market, units: Maybe[float]) -> QuotaDemand:
    nodes = pool.nodes.with_surge
    count = nodes * units if known(nodes) and known(units) else 0.0
    unknown = next((fact for fact in (nodes, units) if isinstance(fact, Unknown)), None)
    return QuotaDemand(
        cloud=pool.cloud,
        region=EVERYWHERE if cap.scope == EVERYWHERE else pool.region,
        code=cap.code,
        name=cap.name,
        unit=cap.unit,
        market=_metered(cap, market),
        need=0.0 if cap.ambiguous else count,
        contested=count if cap.ambiguous else 0.0,
        pools=(pool.name,),
        unknown=() if unknown is None else (Unmeasured(urn=pool.urn, name=pool.name, missing=unknown),),
    )


def _metered(cap: Quota, market: Market) -> Market:
    """The half of the account's quotas that a demand stands in; caps over both halves stand in one, so that they are summed."""
    if cap.market == "other":
        return Market.ON_DEMAND
    return Market.SPOT if market is Market.SPOT or cap.market == "spot" else Market.ON_DEMAND


def _units(machine: Machine, unit: str) -> Maybe[float]:
    """What one node counts for in a quota's unit."""
    counted = {"vCPU": float(machine.vcpus), "GPU": machine.gpu_count, "chip": machine.gpu_count, "instance": 1.0}
    return counted.get(unit, Unknown("quota", f"counted in {unit!r}, which no rule turns into nodes"))


def _unmeasured(pool: NodePool, missing: Unknown) -> QuotaDemand:
    return QuotaDemand(
        cloud=pool.cloud,
        region=pool.region,
        code="",
        name="",
        unit="",
        market=pool.market,
        need=0.0,
        pools=(pool.name,),
        unknown=(Unmeasured(urn=pool.urn, name=pool.name, missing=missing),),
    )
