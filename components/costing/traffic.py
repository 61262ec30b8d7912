"""What carries traffic: NAT gateways, private endpoints, public addresses, load balancers."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import InterfaceEndpoint, LoadBalancer, Nat, PublicAddress
from components.pricing import Terms
from components.resource import name_of
from components.unknown import Unknown

from .lines import priced, service_figure, single
from .result import HOURS_PER_MONTH, Entry, Kind, Missing

_ENDPOINTS = {"aws": ("interface_endpoint", "zone_hour"), "azure": ("private_endpoint", "endpoint")}
_BALANCERS = {
    ("aws", "application"): "application_hour",
    ("aws", "network"): "network_hour",
    ("gcp", ""): "first_five_rules_hour",
    ("azure", "standard"): "first_five_rules_hour",
}
"""By cloud and kind as `LoadBalancer` gives it."""


def nat(gateway: Nat, gb_per_month: float, terms: Terms) -> Iterator[Entry]:
    """J4: its traffic is the classic surprise, so it is counted at an assumption that the line states."""
    hour = service_figure(gateway.cloud, gateway.region, "nat_gateway", "hour")
    yield single(gateway.urn, Kind.NAT, "NAT gateway, without traffic", priced(hour, terms))
    if not gb_per_month:
        return
    what = f"NAT traffic, {gb_per_month:,.0f} GB a month assumed"
    figure = service_figure(gateway.cloud, gateway.region, "nat_gateway", "gb")
    if figure is None:
        yield Missing(urn=gateway.urn, what=f"{what} ({name_of(gateway.urn)})", reason="no price per GB for this region")
        return
    yield single(gateway.urn, Kind.NAT_TRAFFIC, what, priced(figure, terms, gb_per_month / HOURS_PER_MONTH))


def endpoint(found: InterfaceEndpoint, terms: Terms) -> Entry:
    what = "interface endpoint, without traffic"
    if isinstance(found.subnets, Unknown):
        return Missing(urn=found.urn, what=f"{what} ({name_of(found.urn)})", reason=str(found.subnets))
    service, sku = _ENDPOINTS.get(found.cloud, ("", ""))
    figure = service_figure(found.cloud, found.region, service, sku)
    units = float(found.subnets) if found.cloud == "aws" else 1.0
    return single(found.urn, Kind.ENDPOINT, what, priced(figure, terms, units))


def address(found: PublicAddress, terms: Terms) -> Entry:
    figure = service_figure(found.cloud, found.region, "public_ipv4", "hour")
    return single(found.urn, Kind.ADDRESS, "public IPv4 address", priced(figure, terms))


def load_balancer(found: LoadBalancer, terms: Terms) -> Entry:
    what = "load balancer, without traffic"
    if isinstance(found.kind, Unknown):
        return Missing(urn=found.urn, what=f"{what} ({name_of(found.urn)})", reason=str(found.kind))
    sku = _BALANCERS.get((found.cloud, found.kind), "")
    figure = service_figure(found.cloud, found.region, "load_balancer", sku)
    return single(found.urn, Kind.LOAD_BALANCER, what, priced(figure, terms))
