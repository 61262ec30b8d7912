"""Single EC2 instances: pools of one node."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Image, Interfaces, MachineChoice, Market, NodeCount, NodePool
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers.pools import classified
from policies.readers.program import Program
from policies.readers.values import first, given, text, whole

from .launch_template import pool_interfaces, used_template
from .network_interface import instance_interfaces

_ONE = NodeCount(minimum=1, desired=1, maximum=1)
_MARKETS = {"spot": Market.SPOT, "capacity-block": Market.CAPACITY_BLOCK}


def read_instance(instance: Resource, program: Program) -> Iterator[NodePool | MachineChoice | Interfaces]:
    template = used_template(program, instance)
    own = text(instance.read("instanceType"), "instanceType")
    machine = given(first(own, template.machine if template else None), "instanceType", "given by neither instance nor launch template")
    region = program.region(instance)
    market_type = text(instance.read("instanceMarketOptions", "marketType"), "instanceMarketOptions.marketType")
    named = instance_interfaces(instance, program)
    zone = text(instance.read("availabilityZone"), "availabilityZone")
    yield classified(
        NodePool(
            urn=instance.urn,
            name=instance.name,
            cloud="aws",
            region=region,
            machines=(machine,),
            market=_market(first(market_type, template.market_type if template else None)),
            nodes=_ONE,
            zones=() if zone is None else (zone,),
            image=Image(kind="CUSTOM", driver=None, path="ami"),
            interfaces=named or pool_interfaces(instance, template),
            root_disk_gib=whole(instance.read("rootBlockDevice", "volumeSize"), "rootBlockDevice.volumeSize"),
            root_disk_kind=text(instance.read("rootBlockDevice", "volumeType"), "rootBlockDevice.volumeType"),
            paths={
                "machines": "instanceType" if own is not None or template is None else template.where("instanceType"),
                "blockDeviceMappings": "rootBlockDevice.volumeSize",
            },
        )
    )
    if named is not None:
        yield named
    if own is not None:
        yield MachineChoice(urn=instance.urn, cloud="aws", region=region, machine=own, path="instanceType")


def _market(word: Maybe[str | None]) -> Maybe[Market]:
    if isinstance(word, Unknown):
        return word
    if word is None:
        return Market.ON_DEMAND
    return _MARKETS.get(word) or Unknown("instanceMarketOptions.marketType", f"{word!r}, which is neither spot nor capacity-block")
