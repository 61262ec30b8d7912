"""NAT gateways and public addresses."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Nat, PublicAddress
from components.resource import Resource
from policies.readers.program import Program


def read_nat_gateway(nat: Resource, program: Program) -> Iterator[Nat]:
    yield Nat(urn=nat.urn, cloud="aws", region=program.region(nat))


def read_eip(address: Resource, program: Program) -> Iterator[PublicAddress]:
    yield PublicAddress(urn=address.urn, cloud="aws", region=program.region(address))
