"""Readers of pulumi-kubernetes resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from components.inventory import Chart, Lost, MachineChoice, Manifest, NodePool, Workload
from components.resource import Resource
from policies.readers import types
from policies.readers.facts import Fact, ProgramReader, Reader
from policies.readers.program import Program

from .access import read_access, read_outputs
from .gitops import read_delivery
from .helm import read_chart
from .karpenter import AKS_CLASSES, GROUP, NODE_CLASSES, read_node_pool
from .karpenter_choice import choices
from .objects import is_object, read_object, read_unseen, read_yaml
from .pods import read_workload


def _with_workload(resource: Resource, program: Program) -> Iterator[Fact]:
    yield from _and_workloads(read_object(resource, program))


def _yaml_with_workloads(resource: Resource, program: Program) -> Iterator[Fact]:
    yield from _and_workloads(read_yaml(resource, program))


def _and_workloads(found: Iterator[Fact]) -> Iterator[Fact | Workload | Chart]:
    for fact in found:
        yield fact
        if isinstance(fact, Manifest):
            yield from read_workload(fact)
            yield from read_delivery(fact)


def read_node_pools(program: Program) -> Iterator[NodePool | MachineChoice | Lost]:
    """Karpenter's pools need their node classes, which are objects of their own. Those of AKS are not read, and said to be so."""
    manifests = [fact for resource in program.resources for fact in _objects(resource, program)]
    classes = {m.name: m for m in manifests if (m.group, m.kind) in NODE_CLASSES and isinstance(m.name, str)}
    for manifest in manifests:
        if (manifest.group, manifest.kind) != (GROUP, "NodePool"):
            continue
        if manifest.read("spec", "template", "spec", "nodeClassRef", "group") == AKS_CLASSES:
            reason = "a Karpenter node pool of AKS node auto-provisioning, for which there is no reader yet"
            yield Lost(urn=manifest.urn, type=f"{GROUP} NodePool", reason=reason)
            continue
        for pool in read_node_pool(manifest, program, classes):
            yield pool
            yield from choices(pool)


def _objects(resource: Resource, program: Program) -> Iterator[Manifest]:
    reader = read_yaml if resource.type in types.YAML else read_object if _may_be_karpenter(resource.type) else None
    for fact in reader(resource, program) if reader is not None else ():
        if isinstance(fact, Manifest):
            yield fact


def _may_be_karpenter(type_: str) -> bool:
    return type_.startswith(("kubernetes:karpenter", "kubernetes:eks.amazonaws.com/"))


def reader_for(type_: str) -> Reader | None:
    """The reader of a kind that no table could list: every type of Kubernetes object, custom ones included."""
    return _with_workload if is_object(type_) else None


READERS: Mapping[str, Reader] = {
    types.RELEASE: read_chart,
    types.CHART_V3: read_chart,
    types.CHART_V4: read_chart,
    types.KUBERNETES_PROVIDER: read_access,
    **dict.fromkeys(types.YAML, _yaml_with_workloads),
    **dict.fromkeys(types.UNSEEN, read_unseen),
}
PROGRAM_READERS: tuple[ProgramReader, ...] = (read_node_pools, read_outputs)
