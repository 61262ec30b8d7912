"""Virtual networks and subnets: address ranges that fit, what subnets refer to, and what keeps them from being deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, ip_network
from typing import TYPE_CHECKING, Any

from scripts.arm_paths import is_under, name_of
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import all_of, find, path_of, reference, require, resource
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_RANGES = "MicrosoftDocs/azure-docs#123869"
_IN_USE = "kubernetes-sigs/cluster-api-provider-azure#172"
RESERVED_ADDRESSES = 5
"""Addresses that Azure keeps of every subnet (Azure Virtual Network FAQ)."""
_REFERENCES = ("natGateway", "networkSecurityGroup", "routeTable")


def network_of(text: object, name: str) -> IPv4Network:
    """An IPv4 range. Raises Refusal when the text is none."""
    try:
        network = ip_network(str(text))
    except ValueError as error:
        raise Refusal(
            "InvalidAddressPrefixFormat", f"Address prefix {text} of resource {name} is not formatted correctly: {error}.", source=_RANGES
        ) from error
    if not isinstance(network, IPv4Network):
        raise Refusal("InvalidAddressPrefixFormat", f"Address prefix {text} of {name} is no IPv4 range.", source=_RANGES)
    return network


def ranges(subnet: Mapping[str, Any]) -> list[str]:
    """A subnet's ranges, which its inputs give as one or as several."""
    return [str(each) for each in subnet.get("addressPrefixes") or [subnet.get("addressPrefix")] if each]


def _spaces(vnet: Mapping[str, Any], name: str) -> list[IPv4Network]:
    return [network_of(each, name) for each in (vnet.get("addressSpace") or {}).get("addressPrefixes") or ()]


def _admit_vnet(order: Order) -> None:
    name = order.text("virtualNetworkName")
    spaces = _spaces(order.inputs, name)
    if not spaces and order.before is None:
        raise Refusal("InvalidRequestFormat", f"virtual network {name} has no addressSpace.addressPrefixes", source=_RANGES)
    for subnet in subnets_of(order.world, order.before) if order.before else ():
        _refuse_outside(ranges(subnet.state), spaces, subnet.id, name)
    taken: list[tuple[str, IPv4Network]] = []
    for inline in order.inputs.get("subnets") or ():
        _refuse_outside(ranges(inline), spaces, str(inline.get("name")), name)
        taken += _without_overlap(ranges(inline), taken, str(inline.get("name")), name)


def _refuse_outside(prefixes: list[str], spaces: list[IPv4Network], subnet: str, vnet: str) -> None:
    for prefix in prefixes:
        if not any(network_of(prefix, subnet).subnet_of(space) for space in spaces):
            raise Refusal(
                "NetcfgSubnetRangeOutsideVnet",
                f"Subnet '{name_of(subnet)}' is not valid because its IP address range is outside the IP address range of virtual network '{vnet}'.",
                source=_RANGES,
            )


def _without_overlap(prefixes: list[str], taken: list[tuple[str, IPv4Network]], subnet: str, vnet: str) -> list[tuple[str, IPv4Network]]:
    mine = [(subnet, network_of(prefix, subnet)) for prefix in prefixes]
    for _, block in mine:
        if any(block.overlaps(other) for name, other in taken if name != subnet):
            raise Refusal(
                "NetcfgSubnetRangesOverlap",
                f"Subnet '{subnet}' is not valid because its IP address range overlaps with that of an existing subnet in virtual network '{vnet}'.",
                source=_RANGES,
            )
    return mine


def subnets_of(world: Simulation, vnet: Record) -> Iterator[Record]:
    yield from (s for s in world.store.of_kind(t.SUBNET, vnet.key) if is_under(s.id, vnet.id))


def _vnet_outputs(order: Order, _: str) -> dict[str, Any]:
    before = order.before.state if order.before else {}
    return {
        "resourceGuid": before.get("resourceGuid") or order.world.new_id("", 32),
        "enableDdosProtection": order.inputs.get("enableDdosProtection", False),
        "virtualNetworkPeerings": before.get("virtualNetworkPeerings", []),
    }


def _put_inline(order: Order, vnet: Record) -> None:
    """Subnets inside the network's own inputs are objects like any other; one that the inputs drop goes if nothing uses it."""
    given = {str(each["name"]): each for each in order.inputs.get("subnets") or ()}
    for subnet in list(subnets_of(order.world, vnet)):
        if subnet.parent == vnet.ref and name_of(subnet.id) not in given:
            _subnet_releases(order.world, subnet)
            order.world.store.drop(subnet)
    for name, inline in given.items():
        id_ = f"{vnet.id}/subnets/{name}"
        before = find(order.world, id_)
        state = {**(before.state if before else {}), **inline, "name": name, "provisioningState": "Succeeded", "type": "subnets"}
        order.world.store.put(
            Record(
                kind=t.SUBNET, key=vnet.key, id=id_, state=state, created=order.world.tick(), status="Succeeded", parent=vnet.ref
            )
        )  # fmt: skip
    _mirror(order.world, vnet)


def _mirror(world: Simulation, vnet: Record) -> None:
    """A network shows its subnets, whoever made them."""
    present = world.store.by_ref(vnet.ref)
    if present is not None:
        shown = [
            {**dict(s.inputs or {}), "id": s.id, "name": name_of(s.id), "addressPrefix": (ranges(s.state) or [""])[0]}
            for s in subnets_of(world, present)
        ]
        world.store.put(present.with_state(subnets=shown))


def _vnet_releases(world: Simulation, vnet: Record) -> None:
    for subnet in subnets_of(world, vnet):
        user = next(iter(users(world, subnet)), None)
        if user is not None:
            raise in_use(subnet, user)


def _admit_subnet(order: Order) -> None:
    vnet = find(order.world, path_of(order).rpartition("/subnets/")[0])
    name = order.text("subnetName")
    if vnet is None:  # the parent's check has refused it already
        return
    prefixes = ranges(order.inputs)
    if not prefixes:
        raise Refusal("InvalidRequestFormat", f"subnet {name} has no addressPrefix", source=_RANGES)
    _refuse_outside(prefixes, _spaces(vnet.state, vnet.id), name, name_of(vnet.id))
    mine = order.before.ref if order.before else None
    taken = [(name_of(s.id), network_of(each, s.id)) for s in subnets_of(order.world, vnet) if s.ref != mine for each in ranges(s.state)]
    _without_overlap(prefixes, taken, name, name_of(vnet.id))
    for field in _REFERENCES:
        target = reference(order.inputs.get(field))
        if target:
            require(order.world, target, by=path_of(order))


def _subnet_outputs(order: Order, _: str) -> dict[str, Any]:
    return {
        "privateEndpointNetworkPolicies": order.text("privateEndpointNetworkPolicies", "Disabled"),
        "privateLinkServiceNetworkPolicies": order.text("privateLinkServiceNetworkPolicies", "Enabled"),
    }


def _mirror_parent(order: Order, subnet: Record) -> None:
    vnet = find(order.world, subnet.id.rpartition("/subnets/")[0])
    if vnet is not None:
        _mirror(order.world, vnet)


def _forget(world: Simulation, subnet: Record) -> None:
    vnet = find(world, subnet.id.rpartition("/subnets/")[0])
    if vnet is not None:
        shown = [each for each in vnet.state.get("subnets") or () if str(each.get("id", "")).lower() != subnet.id.lower()]
        world.store.put(vnet.with_state(subnets=shown))


def users(world: Simulation, subnet: Record) -> Iterator[str]:
    """What is in a subnet: interfaces, endpoints, file systems, scale sets (an empty one of AKS, too)."""
    wanted = subnet.id.lower()
    for kind, field in (
        (t.INTERFACE, "subnetId"),
        (t.PRIVATE_ENDPOINT, "subnetId"),
        (t.LUSTRE, "filesystemSubnet"),
        (t.SCALE_SET, "subnetId"),
    ):
        for record in all_of(world, kind, subnet):
            if str(record.state.get(field) or "").lower() == wanted:
                yield record.id


def in_use(subnet: Record, user: str) -> Refusal:
    return Refusal(
        "InUseSubnetCannotBeDeleted",
        f"Subnet {name_of(subnet.id)} is in use by {user} and cannot be deleted. In order to delete the subnet, delete all the resources within "
        "the subnet. See aka.ms/deletesubnet.",
        source=_IN_USE,
    )


def _subnet_releases(world: Simulation, subnet: Record) -> None:
    """K5: whatever still has an interface in the subnet keeps it."""
    for user in users(world, subnet):
        raise in_use(subnet, user)


def free_addresses(world: Simulation, subnet: Record) -> int:
    return sum(network_of(each, subnet.id).num_addresses - RESERVED_ADDRESSES for each in ranges(subnet.state)) - len(_taken(world, subnet))


def next_address(world: Simulation, subnet: Record) -> str:
    """A free private address. Raises Refusal when none is left (A6)."""
    taken = _taken(world, subnet)
    for each in ranges(subnet.state):
        block = network_of(each, subnet.id)
        for offset in range(4, block.num_addresses - 1):
            address = str(block.network_address + offset)
            if address not in taken:
                return address
    raise Refusal(
        "SubnetIsFull",
        f"Subnet {name_of(subnet.id)} with address prefix {', '.join(ranges(subnet.state))} does not have enough capacity for 1 IP addresses.",
        source="A6: Azure/karpenter-provider-azure#734",
    )


def _taken(world: Simulation, subnet: Record) -> set[str]:
    found = (r for kind in (t.INTERFACE, t.LUSTRE) for r in all_of(world, kind, subnet))
    mine = (r for r in found if str(r.state.get("subnetId") or r.state.get("filesystemSubnet") or "").lower() == subnet.id.lower())
    return {str(address) for r in mine for address in r.state.get("privateAddresses") or ()}


KINDS = (
    resource(
        t.VNET,
        admit=_admit_vnet,
        outputs=_vnet_outputs,
        created=_put_inline,
        updated=_put_inline,
        releases=_vnet_releases,
        moving={"subnets"},
    ),
    resource(
        t.SUBNET,
        admit=_admit_subnet,
        outputs=_subnet_outputs,
        created=_mirror_parent,
        updated=_mirror_parent,
        releases=_subnet_releases,
        deleted=_forget,
    ),
)  # fmt: skip
