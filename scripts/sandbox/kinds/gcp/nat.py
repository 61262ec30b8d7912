"""Ways out of a network and private ways into Google's services: routers, Cloud NAT, addresses, service peerings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.gcp import paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_EVERY = "ALL_SUBNETWORKS_ALL_IP_RANGES"
_NAT = "Cloud NAT documentation, specifications"


def _admit_router(order: Order) -> None:
    paths.network(order, order.inputs.get("network"))


def _router_outputs(order: Order, id_: str) -> dict[str, Any]:
    network = paths.path(order, order.inputs.get("network"), "global/networks")
    return {**paths.computed(order, id_), "network": paths.self_link(network), "region": paths.region(order)}


def _router(order: Order) -> Record:
    found = paths.find(order, t.ROUTER, order.inputs.get("router"), f"regions/{paths.region(order)}/routers")
    if found is None:
        raise paths.invalid("router", order.text("router"), "a router of another project takes no NAT from here", source=_NAT)
    return found


def _nat_id(order: Order) -> str:
    """The provider's form, which is no resource name: `PROJECT/REGION/ROUTER/NAT`."""
    return f"{order.account}/{paths.region(order)}/{order.text('router').rsplit('/', 1)[-1]}/{order.text('name')}"


def _admit_nat(order: Order) -> None:
    paths.refuse_name(order)
    router = _router(order)
    if order.before is None:
        paths.refuse_taken(order, _nat_id(order))
    by_hand = order.text("natIpAllocateOption") == "MANUAL_ONLY"
    if by_hand and not order.inputs.get("natIps"):
        raise paths.invalid(
            "natIps", "[]", "natIps is required with MANUAL_ONLY", source="Terraform Google provider, compute_router_nat: natIps"
        )
    if order.text("sourceSubnetworkIpRangesToNat") == _EVERY:
        others = [
            o
            for o in order.peers()
            if o.state.get("sourceSubnetworkIpRangesToNat") == _EVERY and o.state.get("router") == router.state["name"]
        ]
        if others:
            raise Refusal(
                "Error 400", f"NAT '{others[0].state['name']}' of the router covers all subnetworks already, invalid", source=_NAT
            )


def _nat_outputs(order: Order, _: str) -> dict[str, Any]:
    return {
        "region": paths.region(order),
        "natIpAllocateOption": order.text("natIpAllocateOption", "AUTO_ONLY"),
        "minPortsPerVm": order.inputs.get("minPortsPerVm", 64),
        "type": order.text("type", "PUBLIC"),
    }


def _router_releases(world: Simulation, router: Record) -> None:
    """Cloud NAT lives in its router and goes with it (Compute Engine API: nats is a field of the router)."""
    for nat in _nats(world, router):
        world.store.drop(nat)


def _nats(world: Simulation, router: Record) -> list[Record]:
    _, project, _, region, _, name = router.id.split("/")
    return [r for r in world.store.of_kind(t.ROUTER_NAT, router.key) if r.id.startswith(f"{project}/{region}/{name}/")]


def _address_outputs(order: Order, id_: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    internal = order.text("addressType", "EXTERNAL") == "INTERNAL"
    low = int(order.world.new_id("", 4), 16) % 254 + 1 if not before else 1
    address = order.text("address") or before.get("address") or (f"10.255.0.{low}" if internal else f"198.51.100.{low}")  # TEST-NET-2
    return {
        **paths.computed(order, id_),
        "address": address,
        "addressType": order.text("addressType", "EXTERNAL"),
        "prefixLength": order.inputs.get("prefixLength", 0),
        "users": before.get("users", []),
        **({"region": paths.region(order)} if "/regions/" in id_ else {}),
    }


def _admit_range(order: Order) -> None:
    if order.text("purpose") == "VPC_PEERING":
        paths.network(order, order.inputs.get("network"))
        if not order.inputs.get("prefixLength"):
            raise paths.invalid(
                "resource.prefixLength",
                "",
                "A range for peering needs its prefix length",
                source="Compute Engine API, addresses: prefixLength",
            )


def _range_releases(world: Simulation, given: Record) -> None:
    for peering in world.store.of_kind(t.PEERING, given.key):
        if given.state["name"] in (peering.state.get("reservedPeeringRanges") or ()):
            raise paths.in_use("address", given.id, peering.id)


def _peering_id(order: Order) -> str:
    """The provider's form: the network's name and the service, with the colon escaped."""
    network = paths.path(order, order.inputs.get("network"), "global/networks")
    return f"{network.replace('/', '%2F')}:{order.text('service')}"


def _admit_peering(order: Order) -> None:
    paths.network(order, order.inputs.get("network"))
    for name in order.inputs.get("reservedPeeringRanges") or ():
        paths.find(order, t.GLOBAL_ADDRESS, name, "global/addresses")


def _peering_releases(world: Simulation, peering: Record) -> None:
    """What a producer runs in the peered range keeps the connection."""
    network = str(peering.state["network"]).rsplit("/", 1)[-1]
    for kind in (t.LUSTRE, t.FILESTORE):
        for record in world.store.of_kind(kind, peering.key):
            if str(record.state.get("network") or "").rsplit("/", 1)[-1] == network:
                raise Refusal(
                    "Error 400",
                    f"the connection is still used by {record.id}, failedPrecondition",
                    source="VPC documentation, private services access: service instances go before their connection",
                )


KINDS = (
    paths.kind(
        t.ROUTER, lambda order: f"regions/{paths.region(order)}/routers", _admit_router,
        replace=frozenset({"name", "project", "region", "network", "encryptedInterconnectRouter"}), outputs=_router_outputs,
        deleted=_router_releases, create_seconds=10, delete_seconds=10,
    ),
    Kind(
        token=t.ROUTER_NAT, replace=frozenset({"name", "project", "region", "router", "type", "initialNatIps"}), auto_name="name", name_limit=63,
        identify=_nat_id, admit=_admit_nat, outputs=_nat_outputs, create_seconds=10, delete_seconds=10,
    ),
    paths.kind(
        t.ADDRESS, lambda order: f"regions/{paths.region(order)}/addresses",
        replace=frozenset({"name", "project", "region", "address", "addressType", "network", "subnetwork", "networkTier", "prefixLength", "purpose"}),
        outputs=_address_outputs,
    ),
    paths.kind(
        t.GLOBAL_ADDRESS, lambda _: "global/addresses", _admit_range,
        replace=frozenset({"name", "project", "address", "addressType", "network", "prefixLength", "purpose", "ipVersion"}),
        outputs=_address_outputs, releases=_range_releases,
    ),
    Kind(
        token=t.PEERING, replace=frozenset({"network", "service"}), identify=_peering_id, admit=_admit_peering,
        outputs=lambda *_: {"peering": "servicenetworking-googleapis-com"}, releases=_peering_releases, create_seconds=30, delete_seconds=30,
    ),
)  # fmt: skip
