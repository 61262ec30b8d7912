"""What carries and guards traffic."""

from __future__ import annotations

from dataclasses import dataclass

from components.unknown import Maybe

from .clouds import Cloud


@dataclass(frozen=True, kw_only=True)
class SecurityGroup:
    """A security group with what it lets in and out, as far as EFA cares. Unknown where rules cannot be read."""

    urn: str
    """URN of a planned group; the id of an existing one to which the program adds rules."""
    name: str
    ingress_from_self: Maybe[bool]
    """All protocols in from the group itself."""
    egress_to_self: Maybe[bool]
    """All protocols out to the group itself; 0.0.0.0/0 does not count (A1)."""
    ingress_from: tuple[Maybe[str], ...] = ()
    """Other groups from which all protocols come in, as URN or id; unknown for a rule whose group or protocol cannot be told."""
    egress_to: tuple[Maybe[str], ...] = ()
    """Other groups to which all protocols go out."""


@dataclass(frozen=True, kw_only=True)
class Nat:
    urn: str
    cloud: Cloud
    region: Maybe[str]


@dataclass(frozen=True, kw_only=True)
class RouteTable:
    """Where the subnets of one route table reach the world."""

    urn: str
    name: str
    nat: Maybe[bool]
    """Whether some route leads through a NAT gateway."""
    internet: Maybe[bool]
    """Whether some route leads to an internet gateway."""
    object_storage: Maybe[bool]
    """Whether a gateway endpoint leads to the region's object storage (J4)."""


@dataclass(frozen=True, kw_only=True)
class Subnet:
    urn: str
    name: str
    cidr: Maybe[str | None]
    public_addresses: Maybe[bool]
    """Whether instances get a public address unasked."""
    route_table: Maybe[str | None]
    """URN of the planned route table that the program associates with it; None where it associates none."""


@dataclass(frozen=True, kw_only=True)
class InterfaceEndpoint:
    """A private way to a service of the cloud, billed by the hour in each of its subnets."""

    urn: str
    cloud: Cloud
    region: Maybe[str]
    subnets: Maybe[int]


@dataclass(frozen=True, kw_only=True)
class PublicAddress:
    urn: str
    cloud: Cloud
    region: Maybe[str]


@dataclass(frozen=True, kw_only=True)
class LoadBalancer:
    """A load balancer of the cloud, billed by the hour."""

    urn: str
    cloud: Cloud
    region: Maybe[str]
    kind: Maybe[str]
    """`application` or `network` (AWS), `standard` (Azure), "" where a cloud has one price (GCP: a forwarding rule)."""
