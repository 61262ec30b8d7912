"""GPU-GKE: how a pool's capacity is bought, and what excludes it: spot, flex-start, queued provisioning, reservations, placement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from components import catalog
from components.inventory import GkePool, MachineReservation, NodePool
from components.resource import name_of
from components.unknown import Maybe, Unknown, known
from policies.finding import Level
from policies.readers.gcp.counts import BLUE_GREEN
from policies.readers.gcp.node_config import ANY_OR_FAIL, SPECIFIC
from policies.readers.values import all_of, any_of

from .gke_pools import GOOGLE, Clash, clashing, gke_pools, is_word, machine_of, several, untold, violated
from .rule import Case, Rule, Scope, Verdict

PLANNED = "urn:"
"""Begins what this program makes; literals of others are names."""
NO_RESERVATION, COMPACT = "NO_RESERVATION", "COMPACT"
KEY = "compute.googleapis.com/reservation-name"
LONGEST_RUN_S = 7 * 24 * 3600
"""Dynamic Workload Scheduler takes its machines back after seven days."""


def _no(claim: Maybe[bool | None]) -> Maybe[bool]:
    return claim if isinstance(claim, Unknown) else not claim


def _above_zero(count: Maybe[int | None]) -> Maybe[bool]:
    return count if isinstance(count, Unknown) else bool(count)


def _compact(gke: GkePool) -> Maybe[bool]:
    return is_word(gke.placement, COMPACT)


# --- GPU-GKE-10: queued provisioning

_QUEUED = (
    Clash(
        lambda _, gke: [gke.queued, _no(is_word(gke.affinity.kind, NO_RESERVATION))],
        "nodeConfig.reservationAffinity",
        "queued provisioning, and reservationAffinity does not say NO_RESERVATION. The default is not none, so GKE refuses the pool. "
        "Write consumeReservationType NO_RESERVATION out.",
    ),
    Clash(
        lambda pool, gke: [gke.queued, _above_zero(pool.nodes.minimum)],
        "autoscaling",
        "queued provisioning with a minimum above 0: its nodes come and go with requests alone. Set totalMinNodeCount to 0.",
    ),
    Clash(
        lambda _, gke: [gke.queued, _no(gke.counting.autoscaled)],
        "autoscaling",
        "queued provisioning without autoscaling: no request ever gets a node. Give totalMinNodeCount 0 and totalMaxNodeCount.",
    ),
    Clash(
        lambda _, gke: [gke.queued, _compact(gke)],
        "placementPolicy",
        "queued provisioning with compact placement, which GKE refuses together. Take placementPolicy out.",
    ),
)


def _queued(case: Case) -> Iterator[Verdict]:
    return clashing(case, _QUEUED)


# --- GPU-GKE-11: flex-start


def _outlasts(max_run: Maybe[str | None]) -> Maybe[bool]:
    if max_run is None or isinstance(max_run, Unknown):
        return False if max_run is None else max_run
    seconds = max_run.removesuffix("s")
    return int(seconds) > LONGEST_RUN_S if seconds.isdecimal() else Unknown("maxRunDuration", f"{max_run!r}, which is no number of seconds")


def _compact_not_taken(pool: NodePool) -> bool:
    machine = machine_of(pool)
    sold = catalog.gke_machines.gke_machine(machine) if machine is not None else None
    return sold is not None and sold.compact_flex is False


_FLEX = (
    Clash(
        lambda _, gke: [gke.flex_start, gke.spot],
        "nodeConfig.flexStart",
        "flexStart and spot together: they are two markets, and GKE refuses the pool. Keep one.",
    ),
    Clash(
        lambda _, gke: [gke.flex_start, _no(is_word(gke.affinity.kind, NO_RESERVATION))],
        "nodeConfig.reservationAffinity",
        "flexStart, and reservationAffinity does not say NO_RESERVATION: flex-start nodes come from no reservation, and the default is not none. "
        "Write consumeReservationType NO_RESERVATION out, or drop flexStart.",
    ),
    Clash(
        lambda _, gke: [gke.flex_start, _no(is_off(gke.auto_repair))],
        "management.autoRepair",
        "flexStart with auto-repair, which GKE refuses: a repaired node would start its run anew. Set management.autoRepair to false.",
    ),
    Clash(
        lambda _, gke: [
            gke.flex_start,
            any_of([_above_zero(gke.counting.fixed), _above_zero(gke.counting.initial), _no(gke.counting.autoscaled)]),
        ],
        "nodeCount",
        "flexStart with a fixed number of nodes: they come when there is capacity, not at creation. Give autoscaling with totalMinNodeCount 0.",
    ),
    Clash(
        lambda pool, gke: [gke.flex_start, _compact(gke), _compact_not_taken(pool)],
        "placementPolicy",
        "flexStart with compact placement, which only A3 Ultra and A4 (and H4D) take. Take placementPolicy out.",
    ),
    Clash(
        lambda _, gke: [gke.flex_start, _outlasts(gke.max_run)],
        "nodeConfig.maxRunDuration",
        "flexStart for more than seven days, which is the longest that Google gives. Set maxRunDuration to 604800s or less, and checkpoint before it ends.",
    ),
)


def is_off(switch: Maybe[bool | None]) -> Maybe[bool]:
    return switch if isinstance(switch, Unknown) else switch is False


def _flex(case: Case) -> Iterator[Verdict]:
    return clashing(case, _FLEX)


# --- GPU-GKE-12: reservations by name


def _many(names: Maybe[tuple[Maybe[str], ...]]) -> Maybe[int]:
    return names if isinstance(names, Unknown) else len(names)


def _not_one(names: Maybe[tuple[Maybe[str], ...]]) -> Maybe[bool]:
    return names if isinstance(names, Unknown) else len(names) != 1


_NAMED = (
    Clash(
        lambda _, gke: [is_word(gke.affinity.kind, SPECIFIC), _not_one(gke.affinity.names)],
        "nodeConfig.reservationAffinity.values",
        "SPECIFIC_RESERVATION without exactly one name: nodes do not find the paid capacity. "
        "Give values: [name], or [name/reservationBlocks/block] for a part of it.",
    ),
    Clash(
        lambda _, gke: [is_word(gke.affinity.kind, SPECIFIC), _no(is_word(gke.affinity.key, KEY))],
        "nodeConfig.reservationAffinity.key",
        f"SPECIFIC_RESERVATION without the key {KEY}, by which alone the name is read. Set it.",
    ),
    Clash(
        lambda _, gke: [_no(is_word(gke.affinity.kind, SPECIFIC)), _above_zero(_many(gke.affinity.names))],
        "nodeConfig.reservationAffinity.consumeReservationType",
        "a reservation is named, and consumeReservationType is not SPECIFIC_RESERVATION: the name counts for nothing and nodes start beside the paid "
        "capacity. Set SPECIFIC_RESERVATION.",
    ),
    Clash(
        lambda _, gke: [gke.spot, is_word(gke.affinity.kind, SPECIFIC, ANY_OR_FAIL)],
        "nodeConfig.spot",
        "spot and a reservation together: spot nodes never use reserved capacity, which is paid for all the same. Keep one.",
    ),
)


def _named(case: Case) -> Iterator[Verdict]:
    return clashing(case, _NAMED)


# --- GPU-GKE-13, GPU-GKE-14: what a specific reservation asks of its pool


def _placed(case: Case) -> Iterator[Verdict]:
    """A9's like: a compact placement of the pool's own lies outside the reserved machines."""
    text = (
        "a specific reservation together with a compact placement of the pool's own: its machines stand where they were reserved, and the launch ends in "
        "ZONE_RESOURCE_POOL_EXHAUSTED though the capacity is paid for. Take placementPolicy out, or name the policy with which the reservation was made."
    )
    for pool, gke in gke_pools(case):
        policy = gke.placement_policy
        own = _compact(gke) if policy is None else policy if isinstance(policy, Unknown) else policy.startswith(PLANNED)
        if _has_tpus(pool):
            continue  # a slice of several hosts says COMPACT by itself
        claim = all_of([is_word(gke.affinity.kind, SPECIFIC), own])
        if isinstance(claim, Unknown):
            yield untold(pool, claim, "it cannot be told whether its placement lies outside the reserved capacity", Level.ADVISORY)
        elif claim:
            yield violated(pool, "placementPolicy", text)


def _has_tpus(pool: NodePool) -> bool:
    machine = machine_of(pool)
    return machine is not None and machine.vendor == GOOGLE


def _matching(case: Case) -> Iterator[Verdict]:
    """D6: a node uses a reservation when it matches in everything, or not at all."""
    planned = {fact.urn: fact for fact in case.inventory.of_google(MachineReservation)}
    for pool, gke in gke_pools(case):
        if planned and gke.affinity.kind == SPECIFIC and isinstance(pool.reservation, Unknown):
            yield untold(pool, pool.reservation, "it cannot be told which reservation its nodes must match")
        held = planned.get(pool.reservation) if isinstance(pool.reservation, str) else None
        if held is not None and gke.affinity.kind == SPECIFIC:
            yield from _differences(pool, held)


def _differences(pool: NodePool, held: MachineReservation) -> Iterator[Verdict]:
    so = f"it cannot be told whether its nodes match reservation {name_of(held.urn)}"
    machine = pool.machines if isinstance(pool.machines, Unknown) else pool.machines[0]
    zones = () if isinstance(pool.zones, Unknown) else pool.zones
    wrong: dict[str, tuple[Maybe[bool], str]] = {
        "nodeConfig.machineType": (_differs(machine, held.machine), f"machine {machine} where {held.machine} is reserved"),
        "nodeLocations": (
            pool.zones if isinstance(pool.zones, Unknown) else any_of([_differs(zone, held.zone) for zone in zones]),
            f"nodes outside zone {held.zone}, in which it lies",
        ),
        "nodeConfig.reservationAffinity": (_no(held.specific), "specificReservationRequired is not set on the reservation"),
    }
    for path, (claim, what) in wrong.items():
        if isinstance(claim, Unknown):
            yield untold(pool, claim, so, Level.ADVISORY)
        elif claim:
            text = f"{what}. Reservation {name_of(held.urn)} stays unused and is paid for all the same, and the pool gets no node. Make both agree."
            yield violated(pool, path, text)
    if known(pool.nodes.maximum) and isinstance(held.count, int) and pool.nodes.maximum > held.count:
        text = f"up to {pool.nodes.maximum} nodes, and {name_of(held.urn)} reserves {held.count}: nodes beyond never start. Lower the maximum to it."
        yield violated(pool, "autoscaling", text, Level.ADVISORY)


def _differs(one: Maybe[str | None], other: Maybe[str | None]) -> Maybe[bool]:
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return one if isinstance(one, Unknown) else other if isinstance(other, Unknown) else False
    return one != other


# --- GPU-GKE-15: compact placement

_COMPACT: Iterable[Clash] = (
    Clash(
        lambda pool, gke: [_compact(gke), several(pool.zones)],
        "nodeLocations",
        "compact placement over several zones: it means machines close to each other, in one zone, and GKE refuses the pool. Give nodeLocations one zone.",
    ),
    Clash(
        lambda _, gke: [_compact(gke), is_word(gke.upgrade_strategy, BLUE_GREEN)],
        "upgradeSettings.strategy",
        "compact placement with blue-green upgrades, which GKE refuses together. Use SURGE with maxSurge 0 and maxUnavailable 1.",
    ),
)


def _compactly(case: Case) -> Iterator[Verdict]:
    return clashing(case, _COMPACT)


RULES = (
    Rule(
        id="GPU-GKE-10",
        title="Queued provisioning stands alone: no reservation, no minimum, no compact placement",
        failures=("D4",),
        scope=Scope.RESOURCE,
        check=_queued,
        fix="queuedProvisioning: {enabled: true}, reservationAffinity: {consumeReservationType: NO_RESERVATION}, autoscaling: {totalMinNodeCount: 0, …}",
    ),
    Rule(
        id="GPU-GKE-11",
        title="Flex-start stands alone: no spot, no reservation, no auto-repair, no fixed size, at most seven days",
        failures=("D4",),
        scope=Scope.RESOURCE,
        check=_flex,
        fix="flexStart: true, NO_RESERVATION, management: {autoRepair: false}, autoscaling: {totalMinNodeCount: 0, …}",
    ),
    Rule(
        id="GPU-GKE-12",
        title="A pool that uses reserved capacity names one reservation, in the way in which GKE reads it",
        failures=("B2",),
        scope=Scope.RESOURCE,
        check=_named,
        fix=f"reservationAffinity: {{consumeReservationType: SPECIFIC_RESERVATION, key: {KEY}, values: [name]}}",
    ),
    Rule(
        id="GPU-GKE-13",
        title="Reserved capacity gets no compact placement of the pool's own",
        failures=("A9",),
        scope=Scope.STACK,
        check=_placed,
        fix="no placementPolicy beside SPECIFIC_RESERVATION",
    ),
    Rule(
        id="GPU-GKE-14",
        title="Nodes match the planned reservation that they name: machine, zone, type, number",
        failures=("D6",),
        scope=Scope.STACK,
        check=_matching,
        fix="the reservation's machine type and zone on the pool, specificReservationRequired: true",
    ),
    Rule(
        id="GPU-GKE-15",
        title="Compact placement lies in one zone and is not upgraded blue-green",
        failures=("A8",),
        scope=Scope.STACK,
        check=_compactly,
        fix="nodeLocations: [one zone], upgradeSettings: {strategy: SURGE, maxSurge: 0, maxUnavailable: 1}",
    ),
)
