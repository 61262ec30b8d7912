"""Network interfaces: a program's own, and those that Azure makes for machines and endpoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import group_path, path_of, reference, require, resource
from scripts.sandbox.kinds.azure.network import next_address
from scripts.sandbox.kinds.kind import Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation


@dataclass(frozen=True, kw_only=True)
class Port:
    """An interface that Azure makes. `path`: where it is kept, when not beside its owner."""

    name: str
    path: str = ""
    tags: Mapping[str, str] = field(default_factory=dict[str, str])


def attach(world: Simulation, owner: Record, subnet: Record, port: Port) -> Record:
    """An interface that goes with `owner`, with a free address of the subnet. Raises Refusal when the subnet is full."""
    address, tags = next_address(world, subnet), dict(port.tags)
    path = port.path or f"{group_path(owner.id)}/providers/Microsoft.Network/networkInterfaces/{port.name}"
    state = {
        "name": port.name,
        "type": "Microsoft.Network/networkInterfaces",
        "location": owner.state.get("location", ""),
        "subnetId": subnet.id,
        "privateAddresses": [address],
        "attachedTo": owner.id,
        "provisioningState": "Succeeded",
        "tags": tags,
        "ipConfigurations": [{"name": "ipconfig1", "privateIPAddress": address, "subnet": {"id": subnet.id}, "primary": True}],
    }
    return world.store.put(
        Record(kind=t.INTERFACE, key=owner.key, id=path, state=state, created=world.tick(), status="Succeeded", parent=owner.ref, tags=tags)
    )


def _admit(order: Order) -> None:
    for configuration in order.inputs.get("ipConfigurations") or ():
        require(order.world, reference(configuration.get("subnet")), by=path_of(order))
        address = reference(configuration.get("publicIPAddress"))
        if address:
            require(order.world, address, by=path_of(order))


def _outputs(order: Order, _: str) -> dict[str, Any]:
    configurations = list(order.inputs.get("ipConfigurations") or ())
    before = order.before.state if order.before else {}
    subnets = [require(order.world, reference(c.get("subnet")), by=path_of(order)) for c in configurations]
    addresses = before.get("privateAddresses") or [
        c.get("privateIPAddress") or next_address(order.world, s) for c, s in zip(configurations, subnets, strict=True)
    ]
    return {
        "subnetId": subnets[0].id if subnets else "",
        "privateAddresses": addresses,
        "publicAddresses": [c["publicIPAddress"] for c in configurations if reference(c.get("publicIPAddress"))],
        "ipConfigurations": [{**c, "privateIPAddress": a} for c, a in zip(configurations, addresses, strict=True)],
        "attachedTo": before.get("attachedTo", ""),
    }  # fmt: skip


def _releases(world: Simulation, interface: Record) -> None:
    del world
    if interface.state.get("attachedTo"):
        raise Refusal(
            "NicInUse",
            f"Network Interface {interface.id} is used by existing resource {interface.state['attachedTo']}. In order to delete the network "
            "interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.",
            source="hashicorp/terraform-provider-azurerm#8105",
        )


KINDS = (resource(t.INTERFACE, admit=_admit, outputs=_outputs, releases=_releases),)
