"""VPC networks, subnetworks, firewall rules and routes: addresses that fit, RDMA profiles, and what keeps a network from being deleted."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network, ip_network
from typing import TYPE_CHECKING, Any, cast

from scripts.sandbox.kinds.gcp import paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_VPC = "VPC documentation, subnets: valid ranges"
MTU = (1300, 8896)
"""VPC documentation, maximum transmission unit."""
RDMA = "-vpc-roce"
"""Ends the name of a zone's RDMA network profile (VPC documentation, RDMA network profiles)."""
_USERS = (
    t.FIREWALL,
    t.SUBNETWORK,
    t.ROUTER,
    t.ROUTE,
    t.INSTANCE,
    t.CLUSTER,
    t.PEERING,
    t.LUSTRE,
    t.FILESTORE,
    t.ENDPOINT_GROUP,
    t.GLOBAL_ADDRESS,
)


def profile(network: Record) -> str:
    """Name of the network's profile, or ""."""
    return str(network.state.get("networkProfile") or "").rsplit("/", 1)[-1]


def profile_zone(network: Record) -> str | None:
    """The zone to which an RDMA network is bound; None for an ordinary network."""
    name = profile(network)
    return name.split(RDMA)[0] if RDMA in name else None


def _admit_network(order: Order) -> None:
    mtu = order.inputs.get("mtu")
    if mtu is not None and not MTU[0] <= int(mtu) <= MTU[1]:
        raise paths.invalid(
            "resource.mtu", mtu, f"Must be between {MTU[0]} and {MTU[1]}", source="VPC documentation, maximum transmission unit"
        )
    if order.inputs.get("networkProfile") and order.inputs.get("autoCreateSubnetworks", True):
        raise paths.invalid(
            "resource.autoCreateSubnetworks",
            "true",
            "A network with a profile has custom subnets only",
            source="VPC documentation, network profiles",
        )


def _network_outputs(order: Order, id_: str) -> dict[str, Any]:
    number = paths.number(order, "numericId")
    made = {
        "autoCreateSubnetworks": order.inputs.get("autoCreateSubnetworks", True),
        "mtu": order.inputs.get("mtu", 8896 if order.inputs.get("networkProfile") else 1460),
        "routingMode": order.text("routingMode", "REGIONAL"),
        "networkFirewallPolicyEnforcementOrder": order.text("networkFirewallPolicyEnforcementOrder", "AFTER_CLASSIC_FIREWALL"),
        "numericId": number,
        "networkId": number,
        "gatewayIpv4": "",
    }
    return {**paths.computed(order, id_), **made}


def _network_releases(world: Simulation, network: Record) -> None:
    for user in users(world, network):
        raise paths.in_use("network", network.id, user.id)


def users(world: Simulation, network: Record) -> Iterator[Record]:
    """What still needs a network, in the order in which the cloud names it."""
    for kind in _USERS:
        for record in world.store.of_kind(kind, network.key):
            if _uses(record, network.id):
                yield record


def _uses(record: Record, id_: str) -> bool:
    interfaces = cast("list[dict[str, Any]]", record.state.get("networkInterfaces") or record.state.get("networks") or [])
    named = [record.state.get("network"), *(each.get("network") for each in interfaces)]
    name = id_.rsplit("/", 1)[-1]
    return any(text == name or str(text).endswith(id_) for text in named if text)


def block(text: object, field: str) -> IPv4Network:
    """An IPv4 block. Raises Refusal when it is none, or has host bits."""
    try:
        found = ip_network(str(text))
    except ValueError as error:
        raise paths.invalid(field, text, f"Invalid IPCidrRange: {error}", source=_VPC) from error
    if not isinstance(found, IPv4Network) or not 4 <= found.prefixlen <= 29:
        raise paths.invalid(field, text, "Invalid IPCidrRange: between /4 and /29", source=_VPC)
    return found


def _ranges(record: Record) -> Iterator[IPv4Network]:
    """Primary and secondary blocks of a subnetwork, which were valid when it was made."""
    yield IPv4Network(str(record.state["ipCidrRange"]))
    for each in record.state.get("secondaryIpRanges") or ():
        yield IPv4Network(str(each["ipCidrRange"]))


def _admit_subnetwork(order: Order) -> None:
    network = paths.network(order, order.inputs.get("network"))
    bound = profile_zone(network) if network else None
    if bound is not None and paths.region_of(bound) != paths.region(order):
        raise paths.invalid(
            "resource.region", paths.region(order), f"The network's RDMA profile is bound to zone {bound}",
            source="VPC documentation, RDMA network profiles: zonal constraint",
        )  # fmt: skip
    own = [block(order.inputs.get("ipCidrRange"), "resource.ipCidrRange")]
    own += [block(each.get("ipCidrRange"), "resource.secondaryIpRanges") for each in order.inputs.get("secondaryIpRanges") or ()]
    for other in order.peers():
        if network is None or str(other.state.get("networkId")) != network.id:
            continue
        for taken in _ranges(other):
            clash = next((mine for mine in own if mine.overlaps(taken)), None)
            if clash is not None:
                raise Refusal(
                    "Error 400",
                    f"Invalid IPCidrRange: {clash} conflicts with existing subnetwork '{other.state['name']}' in region "
                    f"'{other.state['region']}' ({taken})., invalid",
                    source=_VPC,
                )
    if any(a.overlaps(b) for at, a in enumerate(own) for b in own[at + 1 :]):
        raise Refusal("Error 400", "Invalid IPCidrRange: ranges of one subnetwork overlap, invalid", source=_VPC)


def _subnetwork_outputs(order: Order, id_: str) -> dict[str, Any]:
    first = block(order.inputs.get("ipCidrRange"), "resource.ipCidrRange")
    return {
        **paths.computed(order, id_),
        "network": paths.self_link(paths.path(order, order.inputs.get("network"), "global/networks")),
        "networkId": paths.path(order, order.inputs.get("network"), "global/networks"),
        "region": paths.region(order),
        "gatewayAddress": str(first.network_address + 1),
        "privateIpGoogleAccess": order.inputs.get("privateIpGoogleAccess", False),
        "purpose": order.text("purpose", "PRIVATE"),
        "stackType": order.text("stackType", "IPV4_ONLY"),
        "secondaryIpRanges": list(order.inputs.get("secondaryIpRanges") or []),
        "subnetworkId": int(paths.number(order, "subnetworkId")) % 10**15,
        "nextHost": (order.before.state.get("nextHost") if order.before else None) or 2,
    }


def next_address(world: Simulation, subnetwork: Record) -> str:
    """A private address that was not given before, in the open transaction; "" when the range is used up."""
    present = world.store.by_ref(subnetwork.ref) or subnetwork
    host = int(present.state.get("nextHost", 2))
    network = ip_network(str(present.state["ipCidrRange"]))
    if host >= network.num_addresses - 2:
        return ""
    world.store.put(present.with_state(nextHost=host + 1))
    return str(network.network_address + host)


def _subnetwork_releases(world: Simulation, subnetwork: Record) -> None:
    for kind in (t.INSTANCE, t.CLUSTER):
        for record in world.store.of_kind(kind, subnetwork.key):
            named = [record.state.get("subnetwork"), *(each.get("subnetwork") for each in record.state.get("networkInterfaces") or ())]
            if any(str(text).endswith(subnetwork.id) for text in named if text):
                raise paths.in_use("subnetwork", subnetwork.id, record.id)


def _admit_firewall(order: Order) -> None:
    network = paths.network(order, order.inputs.get("network"))
    if network is not None and profile_zone(network):
        raise paths.invalid(
            "resource.network", order.text("network"), "VPC firewall rules are not supported in a RoCE network",
            source="Cloud NGFW documentation, RoCE VPC networks: regional firewall policies only",
        )  # fmt: skip
    if bool(order.inputs.get("allows")) == bool(order.inputs.get("denies")):
        raise paths.invalid(
            "resource.allowed", "", "Exactly one of allowed and denied must be given", source="Terraform Google provider: ExactlyOneOf"
        )
    if order.text("direction", "INGRESS") == "EGRESS" and order.inputs.get("sourceRanges"):
        raise paths.invalid("resource.sourceRanges", "", "Egress rules have no source", source="VPC documentation, firewall rules")


def _with_network_link(order: Order, id_: str) -> dict[str, Any]:
    return {
        **paths.computed(order, id_),
        "network": paths.self_link(paths.path(order, order.inputs.get("network"), "global/networks")),
    }


def _firewall_outputs(order: Order, id_: str) -> dict[str, Any]:
    ingress = order.text("direction", "INGRESS") == "INGRESS"
    ranges = {} if order.inputs.get("sourceRanges") or order.inputs.get("sourceTags") or not ingress else {"sourceRanges": ["0.0.0.0/0"]}
    return {
        **_with_network_link(order, id_),
        "direction": order.text("direction", "INGRESS"),
        "priority": order.inputs.get("priority", 1000),
        **ranges,
    }


def _admit_network_part(order: Order) -> None:
    paths.network(order, order.inputs.get("network"))


KINDS = (
    paths.kind(
        t.NETWORK, lambda _: "global/networks", _admit_network,
        replace=frozenset({"name", "project", "description", "autoCreateSubnetworks", "networkProfile"}),
        outputs=_network_outputs, releases=_network_releases, create_seconds=20, delete_seconds=20, starts="READY",
    ),
    paths.kind(
        t.SUBNETWORK, lambda order: f"regions/{paths.region(order)}/subnetworks", _admit_subnetwork,
        replace=frozenset({"name", "project", "region", "network", "purpose", "description", "ipCollection"}),
        outputs=_subnetwork_outputs, releases=_subnetwork_releases, create_seconds=15, delete_seconds=15, starts="READY",
    ),
    paths.kind(
        t.FIREWALL, lambda _: "global/firewalls", _admit_firewall,
        replace=frozenset({"name", "project", "network", "direction"}), outputs=_firewall_outputs,
    ),
    paths.kind(
        t.ROUTE, lambda _: "global/routes", _admit_network_part,
        replace=frozenset({"name", "project", "network", "destRange", "priority", "description", "nextHopGateway", "nextHopIp", "nextHopInstance", "tags"}),
        outputs=_with_network_link,
    ),
)  # fmt: skip
