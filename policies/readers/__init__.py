"""Raw resources of any program -> inventory. One reader a kind, found by type token in `READERS`.

To add a kind: write `read_…(resource, program)` that yields facts in a file of its own, and name it in `READERS` of its cloud's package.
What cannot be read is an `Unknown` inside its fact, or `Lost`: an exception in a reader never ends the reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from components.inventory import (
    AddOn,
    Bucket,
    Chart,
    ClusterAccess,
    ControlPlane,
    Disk,
    FileSystem,
    GoogleFact,
    InterfaceEndpoint,
    Interfaces,
    Inventory,
    LoadBalancer,
    Lost,
    MachineChoice,
    Manifest,
    Nat,
    NodePool,
    PublicAddress,
    Replacement,
    RouteTable,
    SecurityGroup,
    StackOutput,
    Subnet,
    Workload,
)
from components.resource import Resource, ResourceSet
from components.unknown import known

from . import aws, azure, gcp, kubernetes
from .facts import Fact, ProgramReader, Reader
from .gpu_stack import operators, with_owners
from .program import Program
from .tokens import respelled
from .unread import lost

READERS: Mapping[str, Reader] = {**aws.READERS, **gcp.READERS, **azure.READERS, **kubernetes.READERS}
PROGRAM_READERS: tuple[ProgramReader, ...] = (
    *aws.PROGRAM_READERS,
    *gcp.PROGRAM_READERS,
    *azure.PROGRAM_READERS,
    *kubernetes.PROGRAM_READERS,
)

T = TypeVar("T")


def inventory(resources: ResourceSet) -> Inventory:
    """What `resources` amounts to. Never raises for what a program may contain."""
    program = Program(respelled(resources))
    facts = [*_of_resources(program), *_of_program(program)]
    charts = _kind(facts, Chart)
    pools = _kind(facts, NodePool)
    control_planes = _kind(facts, ControlPlane)
    clusters = frozenset({c.urn for c in control_planes} | {p.cluster for p in pools if p.cluster is not None and known(p.cluster)})
    installed = operators(charts, clusters)
    return Inventory(
        project=resources.project,
        stack=resources.stack,
        pools=tuple(with_owners(pool, installed) for pool in pools),
        machine_choices=_kind(facts, MachineChoice),
        interfaces=_kind(facts, Interfaces),
        security_groups=_kind(facts, SecurityGroup),
        control_planes=control_planes,
        nats=_kind(facts, Nat),
        endpoints=_kind(facts, InterfaceEndpoint),
        addresses=_kind(facts, PublicAddress),
        load_balancers=_kind(facts, LoadBalancer),
        disks=_kind(facts, Disk),
        buckets=_kind(facts, Bucket),
        file_systems=_kind(facts, FileSystem),
        charts=charts,
        azure=azure.gathered(facts),
        google=tuple(fact for fact in facts if isinstance(fact, GoogleFact)),
        subnets=_kind(facts, Subnet),
        route_tables=_kind(facts, RouteTable),
        add_ons=_kind(facts, AddOn),
        manifests=_kind(facts, Manifest),
        workloads=_kind(facts, Workload),
        accesses=_kind(facts, ClusterAccess),
        outputs=_kind(facts, StackOutput),
        lost=_kind(facts, Lost),
        replacements=_kind(facts, Replacement),
    )


BILLED = (NodePool, MachineChoice, Nat, InterfaceEndpoint, PublicAddress, LoadBalancer, Disk, Bucket, FileSystem, Lost)
"""What is not this program's where it only looks the resource up (`.get()`)."""


def _of_resources(program: Program) -> Iterator[Fact]:
    for resource in program.resources:
        found = _of_resource(resource, program)
        yield from (_existing(fact) for fact in found if not isinstance(fact, BILLED)) if resource.external else found


def _of_resource(resource: Resource, program: Program) -> Iterator[Fact]:
    yield from lost(resource)
    if resource.replaced is not None:
        yield Replacement(urn=resource.urn, name=resource.name, type=resource.type, because=resource.replaced)
    for reader in (READERS.get(resource.type), kubernetes.reader_for(resource.type)):
        if reader is not None:
            yield from _guarded(resource, reader, program)


def _existing(fact: Fact) -> Fact:
    return replace(fact, existing=True) if isinstance(fact, ControlPlane) else fact


def _guarded(resource: Resource, reader: Reader, program: Program) -> list[Fact]:
    """H11: a reader that fails loses its resource, visibly, and no other."""
    try:
        return list(reader(resource, program))
    except Exception as error:  # noqa: BLE001 - whatever a foreign program holds, the reading goes on
        return [Lost(urn=resource.urn, type=resource.type, reason=f"not readable ({type(error).__name__})")]


def _of_program(program: Program) -> Iterator[Fact]:
    for read in PROGRAM_READERS:
        try:
            yield from list(read(program))
        except Exception as error:  # noqa: BLE001 - see _guarded
            yield Lost(urn="", type="program", reason=f"not readable as a whole ({type(error).__name__})")


def _kind(facts: Iterable[Fact], kind: type[T]) -> tuple[T, ...]:
    return tuple(fact for fact in facts if isinstance(fact, kind))
