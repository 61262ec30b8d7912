"""Network interfaces: made by instances, gateways, endpoints and control planes, and what blocks the deletion of subnets and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import next_address
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation


@dataclass(frozen=True, kw_only=True)
class Port:
    """How an interface is to be: its place on the machine, its groups, who may delete it."""

    description: str = ""
    groups: Sequence[str] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    kind: str = "interface"
    card: int = 0
    device: int = 0
    address: bool = True
    """Whether it takes a private address of the subnet; EFA-only interfaces do not."""
    managed_by: str | None = None
    """The service that alone may delete it."""


def attach(world: Simulation, owner: Record, subnet: Record, port: Port) -> Record:
    """Put an interface of `owner` into a subnet, in the open transaction."""
    id_ = world.new_id("eni")
    state = {
        "arn": f"arn:aws:ec2:{_region(subnet)}:{world.account('aws')}:network-interface/{id_}",
        "subnetId": subnet.id,
        "vpcId": subnet.state["vpcId"],
        "availabilityZone": subnet.state["availabilityZone"],
        "description": port.description,
        "securityGroups": list(port.groups),
        "interfaceType": port.kind,
        "networkCardIndex": port.card,
        "deviceIndex": port.device,
        "privateIp": next_address(world, subnet) if port.address else "",
        "managedBy": port.managed_by,
        "attachedTo": owner.id,
    }
    return world.store.put(
        Record(
            kind=t.NETWORK_INTERFACE, key=subnet.key, id=id_, state=state, created=world.tick(), status="in-use", parent=owner.ref, tags=dict(port.tags)
        )
    )  # fmt: skip


def _region(subnet: Record) -> str:
    return subnet.key.split("/")[-1]
