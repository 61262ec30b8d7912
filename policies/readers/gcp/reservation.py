"""Reservations that the program makes: what a node that names one must match (D6), and what of it bills though no pool uses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from components.inventory import MachineReservation, Market, NodeCount, NodePool
from components.resource import Resource
from components.unknown import Maybe, Unknown, known
from policies.readers import gcp_types
from policies.readers.program import Program
from policies.readers.values import given

from .cluster import read_cluster
from .node_config import accelerators, attached
from .node_pool import read_node_pool, with_attached
from .parts import Part
from .places import location, region, short, zone_of


def read_reservation(reservation: Resource, program: Program) -> Iterator[MachineReservation | NodePool]:
    part, wanted = Part(reservation), Part(reservation, ("specificReservation",))
    properties = wanted.below("instanceProperties")
    disks = properties.items("localSsds")
    held = MachineReservation(
        urn=reservation.urn,
        name=reservation.name,
        zone=zone_of(location(reservation, program, "zone")),
        machine=short(properties.read("machineType"), properties.path("machineType")),
        count=wanted.whole("count"),
        local_ssds=disks if isinstance(disks, Unknown) else len(disks),
        specific=part.on("specificReservationRequired"),
    )
    yield held
    unused = _unused(held, wanted, program)
    if unused.nodes.maximum != 0 or unused.nodes.desired != 0:
        yield unused


def _unused(held: MachineReservation, wanted: Part, program: Program) -> NodePool:
    """The machines that the reservation bills beside those of pools that name it: they are paid for and idle."""
    machine = given(held.machine, wanted.path("instanceProperties", "machineType"), "not given")
    count = given(held.count, wanted.path("count"), "not given")
    users = [pool for pool in program.once(_users) if pool.reservation == held.urn]
    at_most = [pool.nodes.maximum for pool in users]
    return with_attached(
        NodePool(
            urn=held.urn,
            name=held.name,
            cloud="gcp",
            region=region(wanted.resource, program, "zone"),
            machines=(machine,),
            market=Market.RESERVATION,
            nodes=NodeCount(
                minimum=_left(count, at_most),
                desired=_left(count, [pool.nodes.desired for pool in users]),
                maximum=_left(count, at_most),
            ),
            zones=(given(held.zone, "zone", "not given"),),
            attached=attached(machine, accelerators(wanted, "instanceProperties", "guestAccelerators")),
            root_disk_gib=0,  # machines that nobody started have no boot disk
            paths={"machines": wanted.path("instanceProperties", "machineType"), "maximum": wanted.path("count")},
        )
    )


def _users(program: Program) -> Sequence[NodePool]:
    """Every GKE pool of the program that names a reservation."""
    apart = (read_node_pool(pool, program) for pool in program.resources.of_type(gcp_types.NODE_POOL))
    inside = (read_cluster(cluster, program) for cluster in program.resources.of_type(gcp_types.CLUSTER))
    return [fact for fact in chain.from_iterable((*apart, *inside)) if isinstance(fact, NodePool) and fact.reservation is not None]


def _left(count: Maybe[int], used: Sequence[Maybe[int]]) -> Maybe[int]:
    if isinstance(count, Unknown):
        return count
    unknown = next((nodes for nodes in used if isinstance(nodes, Unknown)), None)
    return max(0, count - sum(nodes for nodes in used if known(nodes))) if unknown is None else unknown
