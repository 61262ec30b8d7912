"""What EC2 refuses when an instance is to be started: machine, zone, interfaces, placement. Facts of machines come from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from components import catalog
from components.catalog import Machine
from scripts.sandbox.refusal import Refusal

_EC2 = "EC2 API reference, client error codes"


@dataclass(frozen=True, kw_only=True)
class LaunchOrder:
    """Instances that a group would start, before any is started."""

    region: str
    machines: Sequence[str]
    zones: Sequence[str]
    spot: bool = False
    interfaces: Sequence[Mapping[str, Any]] = ()
    """As the launch template lists them; empty means one plain interface."""
    placement: str = ""
    placement_strategy: str = ""
    template: Mapping[str, Any] = field(default_factory=dict)


def find(name: str) -> Machine:
    """The machine of an instance type. Raises Refusal when the catalogue has none of that name."""
    machine = catalog.find_machine("aws", name)
    if machine is None:
        raise Refusal(
            "InvalidInstanceType",
            f"The following supplied instance types do not exist: [{name}] (the simulated cloud knows the machines of the catalogue)",
            source="EKS NodegroupIssueCode Ec2InstanceTypeDoesNotExist",
        )
    return machine


def refuse(order: LaunchOrder) -> None:
    """Raises the Refusal that a start with these settings would meet, if any."""
    for name in order.machines:
        machine = find(name)
        _refuse_region(machine, order)
        if order.spot and machine.spot is False:
            raise Refusal(
                "UnsupportedOperation",
                f"{name} is not offered as spot instance",
                source="EC2 DescribeInstanceTypes, SupportedUsageClasses",
            )
        _refuse_interfaces(machine, order.interfaces)
    _refuse_placement(order)


def _refuse_region(machine: Machine, order: LaunchOrder) -> None:
    offered = catalog.regions("aws", machine.name)
    if offered and order.region not in offered:
        raise Refusal(
            "Unsupported",
            f"Your requested instance type ({machine.name}) is not supported in your requested region ({order.region}): "
            f"it is offered in {', '.join(offered)}",
            source="B5: eksctl#3635, pulumi-eks#1593",
        )


def _refuse_interfaces(machine: Machine, interfaces: Sequence[Mapping[str, Any]]) -> None:
    efa = [i for i in interfaces if kind_of(i) != "interface"]
    seen: set[tuple[int, int]] = set()
    for interface in interfaces:
        slot = (_number(interface, "networkCardIndex"), _number(interface, "deviceIndex"))
        if slot in seen:
            raise Refusal(
                "InvalidParameterValue",
                f"Each network interface requires a unique device index on its network card: card {slot[0]}, device {slot[1]} is given twice",
                source="A3: terraform-aws-eks#2182",
            )
        seen.add(slot)
        _refuse_slot(machine, interface, *slot)
    if machine.rdma_interfaces is not None and len(efa) > machine.rdma_interfaces:
        raise Refusal(
            "AttachmentLimitExceeded",
            f"{len(efa)} EFA interfaces exceed the {machine.rdma_interfaces} that {machine.name} takes",
            source="A5: eksctl#8692; EC2 DescribeInstanceTypes, EfaInfo.MaximumEfaInterfaces",
        )
    if len(interfaces) > 1 and any(_true(i.get("associatePublicIpAddress")) for i in interfaces):
        raise Refusal(
            "InvalidParameterCombination",
            "The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces.",
            source="A7: karpenter-provider-aws#5666, terraform-aws-eks#3533",
        )


def _refuse_slot(machine: Machine, interface: Mapping[str, Any], number: int, device: int) -> None:
    card = next((c for c in machine.cards if c.index == number), None)
    if card is None:
        if not machine.cards:
            return
        raise Refusal(
            "InvalidParameterValue",
            f"The specified network card index {number} does not exist: {machine.name} has {len(machine.cards)} network cards",
            source="EC2 DescribeInstanceTypes, NetworkInfo.NetworkCards",
        )
    if card.max_interfaces is not None and device >= card.max_interfaces:
        raise Refusal(
            "InvalidParameterValue",
            f"The specified number '{device}' for the device index exceeds the maximum supported by network card {number} of {machine.name} "
            f"({card.max_interfaces} interfaces)",
            source="A2: eksctl#7520",
        )
    kind = kind_of(interface)
    if kind != "interface" and not card.efa:
        raise Refusal(
            "InvalidParameterValue",
            f"{kind} is not supported on network card {number} of {machine.name}",
            source="A4: aws/aws-parallelcluster#7143; EC2 DescribeInstanceTypes, NetworkCards.InterfaceTypes",
        )
    if kind == "efa-only" and (number, device) == (0, 0):
        raise Refusal(
            "InvalidParameterValue", "an EFA-only interface cannot be the primary interface", source="EC2 guide, efa-acc-inst-types"
        )


def _refuse_placement(order: LaunchOrder) -> None:
    if order.placement_strategy == "cluster" and len(set(order.zones)) > 1:
        raise Refusal(
            "InvalidParameterCombination",
            f"cluster placement group {order.placement} cannot span the zones {', '.join(sorted(set(order.zones)))}",
            source="A8: terraform-aws-eks#3044, pulumi-eks#1593 (the cloud refuses once the first zone is taken; the simulated one at once)",
        )


def kind_of(interface: Mapping[str, Any]) -> str:
    return str(interface.get("interfaceType") or "interface")


def _number(interface: Mapping[str, Any], name: str) -> int:
    return int(interface.get(name) or 0)


def _true(value: object) -> bool:
    return value is True or str(value).lower() == "true"
