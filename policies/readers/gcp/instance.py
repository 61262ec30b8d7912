"""Single Compute Engine instances: pools of one node."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Accelerator, Image, MachineChoice, Market, NodeCount, NodePool, PublicAddress
from components.resource import Resource
from components.unknown import Maybe, Unknown, known
from policies.readers.program import Program
from policies.readers.values import first, given

from .node_config import accelerators, attached
from .node_pool import with_attached
from .parts import Part
from .places import location, region, zone_of
from .template import Template, chosen, machine, market, used_template

ONE = NodeCount(minimum=1, desired=1, maximum=1)


def read_instance(instance: Resource, program: Program) -> Iterator[NodePool | MachineChoice | PublicAddress]:
    part = Part(instance)
    template = used_template(part, "sourceInstanceTemplate", program)
    own = machine(part)
    taken = given(chosen(own, template), "machineType", "given by neither instance nor template")
    where, zone = region(instance, program, "zone"), zone_of(location(instance, program, "zone"))
    gib, kind = _disk(part, template)
    yield with_attached(
        NodePool(
            urn=instance.urn,
            name=instance.name,
            cloud="gcp",
            region=where,
            machines=(taken,),
            market=_market(part, template),
            nodes=ONE,
            zones=() if zone is None else (zone,),
            image=Image(kind="CUSTOM", driver=None, path="bootDisk"),
            root_disk_gib=gib,
            root_disk_kind=kind,
            attached=attached(taken, _accelerators(part, template)),
            paths={"machines": "machineType" if own is not None or template is None else template.where("machineType")},
        )
    )
    if own is not None:
        yield MachineChoice(urn=instance.urn, cloud="gcp", region=where, machine=own, path="machineType")
    yield from _addresses(part, where)


def _market(part: Part, template: Template | None) -> Maybe[Market]:
    if template is None or part.read("scheduling") is not None or part.read("reservationAffinity") is not None:
        return market(part)
    return template.market


def _accelerators(part: Part, template: Template | None) -> Maybe[tuple[Accelerator, ...]]:
    own = accelerators(part)
    return template.accelerators if template is not None and known(own) and not own else own


def _disk(part: Part, template: Template | None) -> tuple[Maybe[int | None], Maybe[str | None]]:
    size = part.whole("bootDisk", "initializeParams", "size")
    kind = part.text("bootDisk", "initializeParams", "type")
    if template is None or part.read("bootDisk") is not None:
        return size, kind
    of_template = template.disk
    return first(size, of_template[0]), first(kind, of_template[1])


def _addresses(part: Part, where: Maybe[str]) -> Iterator[PublicAddress]:
    """One for each access configuration that brings an ephemeral address. Reserved ones count where they are made."""
    listed = part.each("networkInterfaces")
    for interface in () if isinstance(listed, Unknown) else listed:
        configs = interface.each("accessConfigs")
        for config in () if isinstance(configs, Unknown) else configs:
            if config.read("natIp") is None:
                yield PublicAddress(urn=part.resource.urn, cloud="gcp", region=where)
