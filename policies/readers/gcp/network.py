"""VPC networks, subnetworks, Cloud NAT and addresses."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import CloudNat, Nat, PublicAddress, Subnetwork, Vpc
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import gcp_types
from policies.readers.program import Program
from policies.readers.values import given, text

from .parts import Part
from .places import region
from .references import reference, references

ALL_SUBNETS = ("ALL_SUBNETWORKS_ALL_IP_RANGES", "ALL_SUBNETWORKS_ALL_PRIMARY_IP_RANGES")


def read_network(network: Resource, _program: Program) -> Iterator[Vpc]:
    part = Part(network)
    profile = part.text("networkProfile")
    yield Vpc(urn=network.urn, name=network.name, mtu=part.whole("mtu"), profile=profile)


def read_subnet(subnet: Resource, program: Program) -> Iterator[Subnetwork]:
    part = Part(subnet)
    named = reference(program, subnet, "network", subnet.read("network"), "network", gcp_types.NETWORK)
    yield Subnetwork(
        urn=subnet.urn,
        name=subnet.name,
        network=given(named, "network", "not given"),
        region=region(subnet, program, "region"),
        cidr=part.text("ipCidrRange"),
        private_google_access=part.flag("privateIpGoogleAccess"),
        purpose=part.text("purpose"),
    )


def read_nat(nat: Resource, program: Program) -> Iterator[Nat | CloudNat]:
    part = Part(nat)
    yield Nat(urn=nat.urn, cloud="gcp", region=region(nat, program, "region"))
    word = part.text("sourceSubnetworkIpRangesToNat")
    listed = part.each("subnetworks")
    path = part.path("subnetworks")
    yield CloudNat(
        urn=nat.urn,
        network=_network_of(nat, program),
        every_subnet=word if isinstance(word, Unknown) else word in ALL_SUBNETS,
        subnets=listed
        if isinstance(listed, Unknown)
        else references(program, nat, "subnetworks", [entry.read("name") for entry in listed], path, gcp_types.SUBNETWORK),
    )


def _network_of(nat: Resource, program: Program) -> Maybe[str | None]:
    """The VPC of its router; None where the router is made elsewhere."""
    named = reference(program, nat, "router", nat.read("router"), "router", gcp_types.ROUTER)
    router = program.resources.by_urn.get(named) if isinstance(named, str) else None
    if router is None:
        return named if isinstance(named, Unknown) else None
    return reference(program, router, "network", router.read("network"), "network", gcp_types.NETWORK)


def read_address(address: Resource, program: Program) -> Iterator[PublicAddress]:
    """Internal addresses are free."""
    kind = text(address.read("addressType"), "addressType")
    if kind != "INTERNAL":
        prop = () if address.type.endswith(":GlobalAddress") else ("region",)
        where: Maybe[str] = region(address, program, *prop) if prop else "global"
        yield PublicAddress(urn=address.urn, cloud="gcp", region=where)
