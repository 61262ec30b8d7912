"""Subnets, NAT gateways, public addresses and private endpoints."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import AzurePrivateLink, AzureSubnet, InterfaceEndpoint, Nat, PublicAddress
from components.resource import Resource, Value, read
from components.unknown import Maybe, Unknown
from policies.readers import azure_types as types
from policies.readers.program import Program
from policies.readers.values import first, given, items, text

from .references import location, meant

_LINKS = ("privateLinkServiceConnections", "manualPrivateLinkServiceConnections")


def read_nat_gateway(nat: Resource, program: Program) -> Iterator[Nat]:
    yield Nat(urn=nat.urn, cloud="azure", region=location(program, nat))


def read_address(address: Resource, program: Program) -> Iterator[PublicAddress]:
    """IPv6 addresses are not billed as public IPv4 is."""
    version = text(address.read("publicIPAddressVersion"), "publicIPAddressVersion")
    if version != "IPv6":
        yield PublicAddress(urn=address.urn, cloud="azure", region=location(program, address))


def read_endpoint(endpoint: Resource, program: Program) -> Iterator[InterfaceEndpoint | AzurePrivateLink]:
    """One address in one subnet, whatever the service."""
    yield InterfaceEndpoint(urn=endpoint.urn, cloud="azure", region=location(program, endpoint), subnets=1)
    yield AzurePrivateLink(urn=endpoint.urn, services=_services(endpoint))


def _services(endpoint: Resource) -> Maybe[frozenset[str]]:
    found: set[str] = set()
    for prop in _LINKS:
        links = items(endpoint.read(prop), prop)
        if isinstance(links, Unknown):
            return links
        for i in range(len(links)):
            groups = items(endpoint.read(prop, i, "groupIds"), f"{prop}[{i}].groupIds")
            if isinstance(groups, Unknown):
                return groups
            found |= {group.casefold() for group in groups if isinstance(group, str)}
    return frozenset(found)


def read_subnet(subnet: Resource, program: Program) -> Iterator[AzureSubnet]:
    yield _subnet(program, subnet, subnet.name, (), "")


def read_network(network: Resource, program: Program) -> Iterator[AzureSubnet]:
    """The subnets inside a virtual network's resource."""
    listed = items(network.read("subnets"), "subnets")
    for i in range(0 if isinstance(listed, Unknown) else len(listed)):
        named = text(network.read("subnets", i, "name"), "name")
        yield _subnet(program, network, named if isinstance(named, str) else f"subnets[{i}]", ("subnets", i), f"subnets[{i}].")


def _subnet(program: Program, resource: Resource, name: str, base: tuple[str | int, ...], at: str) -> AzureSubnet:
    gateway = resource.read(*base, "natGateway")
    return AzureSubnet(
        urn=resource.urn,
        name=name,
        at=at,
        nat=gateway if isinstance(gateway, Unknown) else gateway is not None,
        guard=_guard(program, resource, base),
        service_endpoints=_service_endpoints(resource.read(*base, "serviceEndpoints"), f"{at}serviceEndpoints"),
        cidr=_cidr(resource, base, at),
        spaces=_spaces(program, resource),
    )


def _cidr(resource: Resource, base: tuple[str | int, ...], at: str) -> Maybe[str | None]:
    several = resource.read(*base, "addressPrefixes", 0)
    return first(text(resource.read(*base, "addressPrefix"), f"{at}addressPrefix"), text(several, f"{at}addressPrefixes[0]"))


def _spaces(program: Program, resource: Resource) -> Maybe[tuple[Maybe[str], ...]]:
    """Of the virtual network in which the subnet stands: this one, or the planned one that it names."""
    prop, path = "virtualNetworkName", "addressSpace.addressPrefixes"
    named = meant(program, resource, prop, resource.read(prop), types.NETWORK) if resource.type == types.SUBNET else resource.urn
    network = program.resources.by_urn.get(named) if isinstance(named, str) else None
    if network is None:
        return named if isinstance(named, Unknown) else ()
    listed = items(network.read("addressSpace", "addressPrefixes"), path)
    if isinstance(listed, Unknown):
        return listed
    return tuple(given(text(network.read("addressSpace", "addressPrefixes", i), path), path, "empty") for i in range(len(listed)))


def _guard(program: Program, resource: Resource, base: tuple[str | int, ...]) -> Maybe[str | None]:
    key = "networkSecurityGroup"
    return meant(program, resource, str(base[0]) if base else key, resource.read(*base, key, "id"), types.GUARD)


def _service_endpoints(value: Value, path: str) -> Maybe[frozenset[str]]:
    """Objects with the service's name, or the names alone."""
    listed = items(value, path)
    if isinstance(listed, Unknown):
        return listed
    found: set[str] = set()
    for i, entry in enumerate(listed):
        service = text(read(entry) if isinstance(entry, str) else read(entry, "service"), f"{path}[{i}].service")
        if isinstance(service, Unknown):
            return service
        found |= {service} if service else set()
    return frozenset(found)
