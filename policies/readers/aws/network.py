"""NAT gateways, interface endpoints and public addresses."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import InterfaceEndpoint, Nat, PublicAddress
from components.resource import Resource
from components.unknown import Unknown
from policies.readers.program import Program
from policies.readers.values import items, text


def read_nat_gateway(nat: Resource, program: Program) -> Iterator[Nat]:
    yield Nat(urn=nat.urn, cloud="aws", region=program.region(nat))


def read_endpoint(endpoint: Resource, program: Program) -> Iterator[InterfaceEndpoint]:
    """Gateway endpoints, the default, are free."""
    kind = text(endpoint.read("vpcEndpointType"), "vpcEndpointType")
    if kind in (None, "Gateway"):
        return
    subnets = items(endpoint.read("subnetIds"), "subnetIds")
    count = kind if isinstance(kind, Unknown) else subnets if isinstance(subnets, Unknown) else len(subnets)
    yield InterfaceEndpoint(urn=endpoint.urn, cloud="aws", region=program.region(endpoint), subnets=count)


def read_eip(address: Resource, program: Program) -> Iterator[PublicAddress]:
    yield PublicAddress(urn=address.urn, cloud="aws", region=program.region(address))
