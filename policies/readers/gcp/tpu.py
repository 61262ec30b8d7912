"""TPU VMs and queued TPU resources of the TPU API: slices that are bought whole, under quotas of their own."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import GpuPool, MachineChoice, Market, NodeCount
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers.program import Program
from policies.readers.values import any_of, given

from .parts import Part
from .places import location, region, zone_of

ONE = NodeCount(minimum=1, desired=1, maximum=1)
_NO_SLICE = "not given"


def read_tpu_vm(tpu: Resource, program: Program) -> Iterator[GpuPool | MachineChoice]:
    yield from _slice(Part(tpu), tpu.name, program)


def read_queued_tpu(queued: Resource, program: Program) -> Iterator[GpuPool | MachineChoice]:
    """One slice for each node of the request."""
    nodes = Part(queued).each("tpu", "nodeSpecs")
    if isinstance(nodes, Unknown) or not nodes:
        hidden = nodes if isinstance(nodes, Unknown) else Unknown("tpu.nodeSpecs", _NO_SLICE)
        yield _pool(Part(queued), queued.name, hidden, hidden, program)
        return
    for i, node in enumerate(nodes):
        yield from _slice(node.below("node"), f"{queued.name}/{i}", program)


def _slice(tpu: Part, name: str, program: Program) -> Iterator[GpuPool | MachineChoice]:
    """A slice goes by its accelerator type (`v5litepod-8`) or by generation and topology (`V5P 2x2x2`)."""
    named = _kind(tpu)
    pool = _pool(tpu, name, named, _market(tpu), program)
    yield pool
    yield MachineChoice(urn=tpu.resource.urn, cloud="gcp", region=pool.region, machine=named, path=tpu.path("acceleratorType"))


def _kind(tpu: Part) -> Maybe[str]:
    kind = tpu.text("acceleratorType")
    if kind is not None:
        return kind
    generation, topology = tpu.text("acceleratorConfig", "type"), tpu.text("acceleratorConfig", "topology")
    for part in (generation, topology):
        if isinstance(part, Unknown):
            return part
    path = tpu.path("acceleratorType")
    return Unknown(path, _NO_SLICE) if generation is None or topology is None else f"{generation} {topology}"


def _market(tpu: Part) -> Maybe[Market]:
    spot = any_of([tpu.on("schedulingConfig", "spot"), tpu.on("schedulingConfig", "preemptible")])
    reserved = tpu.on("schedulingConfig", "reserved")
    if isinstance(spot, Unknown) or spot:
        return spot if isinstance(spot, Unknown) else Market.SPOT
    return reserved if isinstance(reserved, Unknown) else Market.RESERVATION if reserved else Market.ON_DEMAND


def _pool(tpu: Part, name: str, machine: Maybe[str], market: Maybe[Market], program: Program) -> GpuPool:
    """The catalogue prices TPU hosts on GKE; a slice of the TPU API stays without price, which the cost says."""
    zone = zone_of(location(tpu.resource, program, "zone"))
    return GpuPool(
        urn=tpu.resource.urn,
        name=name,
        cloud="gcp",
        region=region(tpu.resource, program, "zone"),
        machines=(machine,),
        market=market,
        nodes=ONE,
        zones=(given(zone, "zone", _NO_SLICE),),
        root_disk_gib=0,
        paths={"machines": tpu.path("acceleratorType")},
    )
