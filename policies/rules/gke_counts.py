"""GPU-GKE: how many nodes a pool has, and where: counts per zone (D7), numbers that drift (D11), slices of TPU hosts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from components.inventory import GkePool, GpuPool, NodePool
from components.unknown import Maybe, Unknown, known
from policies.finding import Level
from policies.readers.gcp.places import is_zone, region_of
from policies.readers.values import all_of

from .gke_pools import GOOGLE, Clash, clashing, gke_pools, gpu_pools, machine_of, perhaps_plain, untold, violated
from .rule import Case, Rule, Scope, Verdict

INITIAL = "initialNodeCount"
_IGNORED = frozenset({INITIAL, "initial_node_count"})
"""Either spelling of a property path in `ignore_changes`."""


# --- GPU-GKE-20


def _zones(case: Case) -> Iterator[Verdict]:
    for pool, gke in gpu_pools(case):
        if isinstance(pool.zones, Unknown):
            yield untold(pool, pool.zones, "it cannot be told over how many zones its nodes are counted")
        elif len(pool.zones) > 1:
            yield from _spread(pool, gke, len(pool.zones))


def _spread(pool: GpuPool, gke: GkePool, zones: int) -> Iterator[Verdict]:
    plain = perhaps_plain(pool, gke)
    if plain is not None:
        yield untold(pool, plain, "it cannot be told whether its numbers, which may count for each zone, are numbers of GPU machines")
        return
    counted_whole = all_of([gke.counting.autoscaled, gke.counting.total])
    where = f"{zones} zones" if gke.zones_chosen else f"{zones} zones that GKE picks, as neither pool nor cluster names any"
    machine = machine_of(pool)
    if isinstance(counted_whole, Unknown):
        yield untold(pool, counted_whole, f"it cannot be told whether its numbers count for each of {where}")
    elif not counted_whole:
        most = f"{pool.nodes.maximum} nodes" if known(pool.nodes.maximum) else "an unknown number of nodes"
        text = (
            f"its numbers count for each zone, and it lies in {where}: up to {most} in all. The bill and the quota are those of the sum. "
        )
        text += "Give nodeLocations one zone, and totalMinNodeCount with totalMaxNodeCount."
        yield violated(pool, "nodeLocations", text)
    elif machine is not None and machine.fabric is not None:
        text = f"nodes of {machine.name} in {where}: their fast network reaches across none of them, and a job may get half its nodes in each. "
        yield violated(pool, "nodeLocations", text + "Give nodeLocations one zone.")


# --- GPU-GKE-21


def _elsewhere(case: Case) -> Iterator[Verdict]:
    """D8: a zone of another region is none of this cluster's."""
    for pool, gke in gke_pools(case):
        for zone in () if isinstance(pool.zones, Unknown) else pool.zones:
            if isinstance(zone, Unknown) and gke.zones_chosen:
                yield untold(pool, zone, "it cannot be told whether its cluster's region has that zone", Level.ADVISORY)
            region = region_of(zone, "nodeLocations")
            strange = known(zone) and not is_zone(zone)
            if strange or (known(region) and known(pool.region) and region != pool.region):
                text = f"{zone} is not a zone of region {pool.region}, in which the cluster lies, so GKE refuses the pool. Take a zone of that region."
                yield violated(pool, "nodeLocations", text)


# --- GPU-GKE-22


def _drifting(case: Case) -> Iterator[Verdict]:
    """D11: the service rewrites the field at every resize by hand, and the provider replaces the pool for it."""
    for pool, gke in gke_pools(case):
        initial = gke.counting.initial
        if gke.inline or initial is None or _IGNORED & set(gke.counting.ignored):
            continue
        text = "initialNodeCount is given and its changes are not ignored. A resize by hand rewrites it, and the next update replaces the pool with all "
        text += 'its nodes. Leave it out and give autoscaling or nodeCount, or add ignore_changes=["initialNodeCount"].'
        yield violated(pool, INITIAL, text)


# --- GPU-GKE-23

_NUMBERS = (
    Clash(
        lambda _, gke: [gke.counting.autoscaled, _given(gke.counting.fixed)],
        "nodeCount",
        "nodeCount beside autoscaling: two owners of one number, and every update drains what the autoscaler started. Keep autoscaling alone.",
    ),
    Clash(
        lambda _, gke: [gke.counting.per_zone, gke.counting.total],
        "autoscaling",
        "limits per zone and limits in total together, which GKE refuses. Keep totalMinNodeCount and totalMaxNodeCount.",
    ),
    Clash(
        lambda _, gke: [_given(gke.counting.initial), _given(gke.counting.fixed)],
        "nodeCount",
        "initialNodeCount beside nodeCount, of which the provider takes one. Keep nodeCount, or autoscaling alone.",
    ),
    Clash(
        lambda pool, gke: [gke.counting.autoscaled, _upside_down(pool)],
        "autoscaling",
        "a minimum above the maximum, which GKE refuses. Raise the maximum or lower the minimum.",
    ),
)


def _upside_down(pool: NodePool) -> Maybe[bool]:
    least, most = pool.nodes.minimum, pool.nodes.maximum
    if isinstance(least, Unknown) or isinstance(most, Unknown):
        return False  # GPU-COST-03 says so
    return least > most


def _given(count: int | Unknown | None) -> bool | Unknown:
    return count if isinstance(count, Unknown) else count is not None


def _numbers(case: Case) -> Iterator[Verdict]:
    return clashing(case, _NUMBERS)


# --- GPU-GKE-24


def _slices(case: Case) -> Iterator[Verdict]:
    """A slice of several TPU hosts is one pool whose size is the slice's."""
    for pool, gke in gpu_pools(case):
        machine = machine_of(pool)
        if machine is None or machine.vendor != GOOGLE:
            continue
        topology = gke.tpu_topology
        if isinstance(topology, Unknown):
            yield untold(pool, topology, "it cannot be told whether its hosts make up a slice")
        elif topology is not None:
            yield from _slice(pool, gke, topology, machine.gpu_count)


def _slice(pool: NodePool, gke: GkePool, topology: str, chips_of_host: float) -> Iterator[Verdict]:
    sides = topology.lower().split("x")
    if not all(side.isdecimal() and int(side) for side in sides):
        yield violated(pool, "placementPolicy.tpuTopology", f"topology {topology!r} is none. Give sides such as 4x4 or 2x2x2.")
        return
    chips = math.prod(int(side) for side in sides)
    hosts = max(1, round(chips / chips_of_host))
    most = pool.nodes.maximum
    if isinstance(most, Unknown):
        yield untold(pool, most, f"it cannot be told whether it has the {hosts} hosts of a {topology} slice")
    elif hosts > 1 and most != hosts:
        text = f"topology {topology} is {chips} chips on {hosts} hosts with {chips_of_host:g} each, and the pool has up to {most}. A slice comes whole or not "
        yield violated(pool, "placementPolicy.tpuTopology", text + f"at all, and no job starts on part of it. Give a maximum of {hosts}.")
    if hosts > 1 and known(gke.placement) and gke.placement != "COMPACT":
        text = f"topology {topology} on {hosts} hosts without placementPolicy.type COMPACT, so that the hosts are not joined. Set it."
        yield violated(pool, "placementPolicy.type", text)
    if hosts > 1 and isinstance(gke.placement, Unknown):
        yield untold(pool, gke.placement, "it cannot be told whether its hosts are joined", Level.ADVISORY)


RULES = (
    Rule(
        id="GPU-GKE-20",
        title="A GPU pool lies in one zone, or counts its nodes in total and has no fabric",
        failures=("D7", "F7"),
        scope=Scope.STACK,
        check=_zones,
        fix="nodeLocations: [us-central1-a], autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4}",
    ),
    Rule(
        id="GPU-GKE-21",
        title="A pool's zones are of its cluster's region",
        failures=("D8",),
        scope=Scope.STACK,
        check=_elsewhere,
        fix="nodeLocations: [us-central1-a] for a cluster in us-central1",
    ),
    Rule(
        id="GPU-GKE-22",
        title="No pool is replaced because its initial count drifted",
        failures=("D11",),
        scope=Scope.RESOURCE,
        check=_drifting,
        fix='no initialNodeCount, or ignore_changes=["initialNodeCount"]',
    ),
    Rule(
        id="GPU-GKE-23",
        title="One number decides a pool's size: the autoscaler's limits, in total or per zone, or a fixed count",
        failures=("H1",),
        scope=Scope.RESOURCE,
        check=_numbers,
        fix="autoscaling: {totalMinNodeCount: 0, totalMaxNodeCount: 4}, no nodeCount",
    ),
    Rule(
        id="GPU-GKE-24",
        title="A pool of TPU hosts has as many nodes as its topology, placed together",
        failures=(),
        scope=Scope.STACK,
        check=_slices,
        fix="ct6e-standard-4t with tpuTopology 4x4, placementPolicy.type COMPACT and 4 nodes",
    ),
)
