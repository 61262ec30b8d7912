"""Capacity reservations: what they hold, and what of it no pool of the program uses, which bills all the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from components.inventory import CapacityGroup, Market, NodeCount, NodePool, ReservedMachines
from components.resource import Resource
from components.unknown import Maybe, Unknown, known
from policies.readers import azure_types as types
from policies.readers.pools import classified
from policies.readers.program import Program
from policies.readers.values import given, items, text, whole

from .agent_pool import read_agent_pool, read_classic_pool
from .cluster import read_classic_cluster, read_cluster
from .compute import read_machine, read_scale_set
from .references import location, meant, size_name

_GROUP = "capacityReservationGroupName"
_USERS = {
    types.AGENT_POOL: read_agent_pool,
    types.CLASSIC_POOL: read_classic_pool,
    types.CLUSTER: read_cluster,
    types.CLASSIC_CLUSTER: read_classic_cluster,
    types.VIRTUAL_MACHINE: read_machine,
    types.SCALE_SET: read_scale_set,
}


def read_group(group: Resource, program: Program) -> Iterator[CapacityGroup]:
    _ = program
    yield CapacityGroup(urn=group.urn, name=group.name)


def read_reservation(reservation: Resource, program: Program) -> Iterator[ReservedMachines | NodePool]:
    machine = size_name(given(text(reservation.read("sku", "name"), "sku.name"), "sku.name", "not given"))
    capacity = given(whole(reservation.read("sku", "capacity"), "sku.capacity"), "sku.capacity", "not given")
    zones = items(reservation.read("zones"), "zones")
    group = meant(program, reservation, _GROUP, reservation.read(_GROUP), types.RESERVATION_GROUP)
    held = ReservedMachines(
        urn=reservation.urn,
        name=reservation.name,
        machine=machine,
        capacity=capacity,
        zones=zones if isinstance(zones, Unknown) else tuple(zone if isinstance(zone, str) else Unknown("zones") for zone in zones),
        group=group,
    )
    yield held
    yield classified(_unused(held, reservation, program))


def _unused(held: ReservedMachines, reservation: Resource, program: Program) -> NodePool:
    """The machines that the reservation bills beside those that pools run in it: they are paid for and idle."""
    users = [pool for pool in program.once(_users) if _in(pool, held)]
    return NodePool(
        urn=held.urn,
        name=held.name,
        cloud="azure",
        region=location(program, reservation),
        machines=(held.machine,),
        market=Market.RESERVATION,
        nodes=NodeCount(
            minimum=_left(held.capacity, [pool.nodes.maximum for pool in users]),
            desired=_left(held.capacity, [pool.nodes.desired for pool in users]),
            maximum=_left(held.capacity, [pool.nodes.maximum for pool in users]),
        ),
        zones=held.zones,
        root_disk_gib=0,
        root_disk_kind="Ephemeral",  # machines that nobody started have no disk
        paths={"machines": "sku.name", "maximum": "sku.capacity"},
    )


def _users(program: Program) -> Sequence[NodePool]:
    """Every pool of the program that asks for reserved capacity."""
    facts = chain.from_iterable(read(r, program) for kind, read in _USERS.items() for r in program.resources.of_type(kind))
    return [fact for fact in facts if isinstance(fact, NodePool) and fact.reservation is not None]


def _in(pool: NodePool, held: ReservedMachines) -> bool:
    same_group = known(held.group) and known(pool.reservation) and pool.reservation == held.group
    return same_group and known(held.machine) and known(pool.machines) and held.machine in pool.machines


def _left(capacity: Maybe[int], used: Sequence[Maybe[int]]) -> Maybe[int]:
    if isinstance(capacity, Unknown):
        return capacity
    unknown = next((count for count in used if isinstance(count, Unknown)), None)
    return max(0, capacity - sum(count for count in used if known(count))) if unknown is None else unknown
