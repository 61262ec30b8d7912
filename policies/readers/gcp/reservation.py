"""Reservations that the program makes: what a node that names one must match (D6)."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import MachineReservation
from components.resource import Resource
from components.unknown import Unknown
from policies.readers.program import Program

from .parts import Part
from .places import location, short, zone_of


def read_reservation(reservation: Resource, program: Program) -> Iterator[MachineReservation]:
    part, wanted = Part(reservation), Part(reservation, ("specificReservation",))
    properties = wanted.below("instanceProperties")
    disks = properties.items("localSsds")
    yield MachineReservation(
        urn=reservation.urn,
        name=reservation.name,
        zone=zone_of(location(reservation, program, "zone")),
        machine=short(properties.read("machineType"), properties.path("machineType")),
        count=wanted.whole("count"),
        local_ssds=disks if isinstance(disks, Unknown) else len(disks),
        specific=part.on("specificReservationRequired"),
    )
