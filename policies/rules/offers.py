"""GPU-ZONE, GPU-CAP: whether the cloud offers a machine where, and as what, it is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from components import catalog
from components.catalog import Machine
from components.inventory import Market, NodePool
from components.unknown import Unknown, known
from policies.finding import Status

from .rule import Case, Rule, Scope, Verdict, listed


def _asked_for(case: Case) -> Iterator[tuple[NodePool, Machine]]:
    """Pools with each machine that the catalogue has. A machine or market that is not known fails GPU-COST-03 already."""
    for pool in case.inventory.pools:
        for name in () if isinstance(pool.machines, Unknown) else pool.machines:
            row = catalog.find_machine(pool.cloud, name) if known(name) else None
            if row is not None:
                yield pool, row


def _sold_there(pool: NodePool, machine: Machine) -> bool:
    offered = catalog.regions(pool.cloud, machine.name)
    return not offered or not known(pool.region) or pool.region in offered


def _as_spot(machine: Machine) -> bool:
    return machine.spot is not False


def _chosen_otherwise(case: Case) -> frozenset[str]:
    """URNs of pools for which Karpenter picks machines, where it has one that is offered: it leaves the others out."""
    found = {
        pool.urn
        for pool, machine in _asked_for(case)
        if pool.consolidation is not None and _sold_there(pool, machine) and (pool.market is not Market.SPOT or _as_spot(machine))
    }
    return frozenset(found)


def _region(case: Case) -> Iterator[Verdict]:
    fine = case.once(_chosen_otherwise)
    for pool, machine in _asked_for(case):
        offered = catalog.regions(pool.cloud, machine.name)
        if not _sold_there(pool, machine) and pool.urn not in fine:
            text = (
                f"{pool.name}: {machine.name} is not offered in {pool.region}, so no node ever starts and the update fails after minutes. "
            )
            text += f"It is offered in {listed(offered, shown=8)}. Take one of these regions, or a machine that {pool.region} has."
            yield Verdict(status=Status.VIOLATED, urn=pool.urn, path=pool.paths.get("machines", ""), message=text)


def _any_reservation(pool: NodePool) -> bool:
    """Whether a pool counts as on demand only because it falls back to it: reserved machines serve it first."""
    return pool.gke is not None and pool.gke.affinity.kind == "ANY_RESERVATION"


def _market(case: Case) -> Iterator[Verdict]:
    fine = case.once(_chosen_otherwise)
    for pool, machine in _asked_for(case):
        sold = catalog.gke_machines.gke_machine(machine)
        if sold is not None and sold.modes and known(pool.market) and pool.market.value not in sold.modes and not _any_reservation(pool):
            ways = ", ".join(sold.modes)
            text = f"{pool.name}: {machine.name} is not sold as {pool.market.value.replace('_', ' ')}, so no node ever starts. It is sold as {ways}: "
            text += "take one of these ways, or another machine."
            yield Verdict(status=Status.VIOLATED, urn=pool.urn, path=pool.paths.get("market", ""), message=text)
        if pool.market is Market.SPOT and not _as_spot(machine) and pool.urn not in fine:
            text = f"{pool.name}: {machine.name} is not sold as spot capacity, so the launch is refused. "
            text += "Buy it on demand or by reservation, or take a machine that is sold as spot."
            yield Verdict(status=Status.VIOLATED, urn=pool.urn, path=pool.paths.get("market", ""), message=text)


RULES = (
    Rule(
        id="GPU-ZONE-01",
        title="Machines are offered in their region",
        failures=("B5", "D8", "E7"),
        scope=Scope.STACK,
        check=_region,
        fix="a region that `gpukit catalog` lists for the machine",
    ),
    Rule(
        id="GPU-CAP-07",
        title="Machines are offered in the market that is asked for",
        failures=(),
        scope=Scope.STACK,
        check=_market,
        fix="capacityType ON_DEMAND for a machine that has no spot market",
    ),
)
