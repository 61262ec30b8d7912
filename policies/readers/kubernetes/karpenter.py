"""Karpenter's NodePools and node classes, and EKS Auto Mode's, as pools of nodes.

Karpenter starts what pods need up to the pool's limits: without limits nothing bounds it. Sources: Karpenter 1.14, "NodePools" and
"NodeClasses"; EKS User Guide, "Create a Node Pool for EKS Auto Mode".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from components import catalog
from components.catalog import Machine
from components.inventory import Consolidation, Image, Manifest, Market, NodeCount, NodePool
from components.resource import name_of
from components.unknown import Maybe, Unknown, known
from policies.readers import types
from policies.readers.pools import classified
from policies.readers.program import Program
from policies.readers.values import first, items, mapped, quantity, text, texts, whole

from .karpenter_choice import Requirements, asked, requirements
from .karpenter_choice import machines as choice
from .karpenter_interfaces import ordered

GROUP = "karpenter.sh"
NODE_CLASSES = (("karpenter.k8s.aws", "EC2NodeClass"), ("eks.amazonaws.com", "NodeClass"))
AKS_CLASSES = "karpenter.azure.com"
"""API group of the node classes of AKS node auto-provisioning."""
_CAPACITY = "karpenter.sh/capacity-type"
_ZONE = "topology.kubernetes.io/zone"
_GIB = 2.0**30
_UNBOUNDED = "not given, so that Karpenter starts nodes without an upper bound"


def read_node_pool(manifest: Manifest, program: Program, classes: Mapping[str, Manifest]) -> Iterator[NodePool]:
    """The pool that a NodePool object stands for. `classes`: node classes by name."""
    wanted = requirements(manifest)
    machines = wanted if isinstance(wanted, Unknown) else choice(manifest, wanted)
    own = _own_class(manifest, classes)
    nodes, bounds = _nodes(manifest, machines)
    yield classified(
        NodePool(
            urn=manifest.urn,
            name=str(manifest.name) if known(manifest.name) else name_of(manifest.urn),
            cloud="aws",
            region=_region(program),
            machines=machines,
            market=wanted if isinstance(wanted, Unknown) else _market(wanted),
            nodes=nodes,
            bounds=bounds,
            zones=wanted if isinstance(wanted, Unknown) else _zones(wanted),
            image=_image(own, machines),
            interfaces=ordered(own),
            cluster=_cluster(manifest, program),
            labels=_labels(manifest),
            taints=_taints(manifest),
            root_disk_gib=_disk_gib(own),
            consolidation=_consolidation(manifest),
            paths={"machines": "spec.template.spec.requirements", "maximum": "spec.limits", "image": "spec.template.spec.nodeClassRef"},
        )
    )


def _market(wanted: Requirements) -> Maybe[Market]:
    """On demand wherever it is allowed: it is what Karpenter falls back to, and the dearer one."""
    words = asked(wanted, _CAPACITY, "eks.amazonaws.com/capacity-type")
    if isinstance(words, Unknown):
        return words
    if words is None or "on-demand" in words:
        return Market.ON_DEMAND
    return Market.SPOT if "spot" in words else Market.RESERVATION


def _zones(wanted: Requirements) -> Maybe[tuple[Maybe[str], ...]]:
    zones = asked(wanted, _ZONE)
    return Unknown("spec.template.spec.requirements", "without zones, so that Karpenter picks them") if zones is None else zones


def _nodes(manifest: Manifest, machines: Maybe[tuple[Maybe[str], ...]]) -> tuple[NodeCount, Mapping[str, int]]:
    """The pool's nodes, and those of single machines where large ones reach a limit before small ones do."""
    static = whole(manifest.read("spec", "replicas"), "spec.replicas")
    if static is not None:
        return NodeCount(minimum=static, desired=static, maximum=static), {}
    limits = texts(manifest.read("spec", "limits"), manifest.at("spec.limits"))
    if isinstance(limits, Unknown) or isinstance(machines, Unknown):
        missing = limits if isinstance(limits, Unknown) else machines
        return NodeCount(minimum=0, desired=0, maximum=missing if isinstance(missing, Unknown) else 0), {}
    bounds = {name if known(name) else "": _maximum(manifest, limits, name) for name in machines}
    unbounded = next((bound for bound in bounds.values() if isinstance(bound, Unknown)), None)
    single = {name: bound for name, bound in bounds.items() if known(bound)}
    return NodeCount(minimum=0, desired=0, maximum=max(single.values(), default=0) if unbounded is None else unbounded), single


def _maximum(manifest: Manifest, limits: Mapping[str, Maybe[str | None]], machine: Maybe[str]) -> Maybe[int]:
    """Nodes of `machine` until the tightest limit is reached. Karpenter passes a limit by the node that reaches it, hence rounded up."""
    row = catalog.find_machine("aws", machine) if known(machine) else None
    bounds = [bound for key, said in limits.items() for bound in _bound(key, said, row, manifest)]
    certain = [bound for bound in bounds if known(bound)]
    if certain:
        return min(certain)
    return next(iter(bounds), Unknown(manifest.at("spec.limits"), _UNBOUNDED))


def _bound(key: str, said: Maybe[str | None], row: Machine | None, manifest: Manifest) -> Iterator[Maybe[int]]:
    limit = quantity(said, manifest.at(f"spec.limits.{key}"))
    if limit is None or key not in (*_PER_NODE, "nodes"):
        return
    if isinstance(limit, Unknown):
        yield limit
        return
    each = 1.0 if key == "nodes" else _PER_NODE[key](row) if row is not None else 0.0
    if each > 0:
        yield math.ceil(limit / each)


_PER_NODE = {
    "nvidia.com/gpu": lambda m: m.gpu_count,
    "cpu": lambda m: float(m.vcpus),
    "memory": lambda m: m.memory_gib * _GIB,
}


def _own_class(manifest: Manifest, classes: Mapping[str, Manifest]) -> Manifest | None:
    name = manifest.read("spec", "template", "spec", "nodeClassRef", "name")
    return classes.get(name) if isinstance(name, str) else None


def _image(own: Manifest | None, machines: Maybe[tuple[Maybe[str], ...]]) -> Image:
    """An alias means the NVIDIA variant on machines with GPUs; images chosen otherwise are the user's own."""
    path = "spec.amiSelectorTerms"
    if own is None:
        hidden = Unknown("spec.template.spec.nodeClassRef", "a node class outside this program")
        return Image(kind=hidden, driver=hidden, toolkit=hidden, path=path)
    if own.group == "eks.amazonaws.com":
        return Image(kind="BOTTLEROCKET_x86_64_NVIDIA", driver=True, toolkit=True, path=path)
    word = _system(own)
    if isinstance(word, Unknown):
        return Image(kind=word, driver=word, toolkit=word, path=path)
    if word not in ("al2", "al2023", "bottlerocket"):
        return Image(kind="CUSTOM", driver=None, path=path)
    return _aliased(word, machines, path)


def _system(own: Manifest) -> Maybe[str]:
    """`al2`, `al2023` or `bottlerocket`: by alias, or by `amiFamily` where no image is selected, as v1beta1 has it; "" for others."""
    alias = text(own.read("spec", "amiSelectorTerms", 0, "alias"), "spec.amiSelectorTerms[0].alias")
    terms = items(own.read("spec", "amiSelectorTerms"), "spec.amiSelectorTerms")
    if isinstance(alias, Unknown) or isinstance(terms, Unknown):
        return alias if isinstance(alias, Unknown) else terms if isinstance(terms, Unknown) else ""
    family = None if terms else text(own.read("spec", "amiFamily"), "spec.amiFamily")
    return mapped(first(alias, family), lambda said: (said or "").partition("@")[0].casefold())


def _aliased(word: str, machines: Maybe[tuple[Maybe[str], ...]], path: str) -> Image:
    names = [name for name in machines if known(name)] if known(machines) else []
    row = catalog.find_machine("aws", names[0]) if names else None
    kind = _variant(row, word) if row is not None else None
    image = catalog.image("aws", kind) if kind else None
    if image is None:
        strange = Unknown(path, f"{word}, whose variant for these machines cannot be told")
        return Image(kind=strange, driver=strange, toolkit=strange, path=path)
    return Image(kind=image.kind, driver=image.driver, toolkit=image.toolkit, path=path)


def _variant(row: Machine, word: str) -> str | None:
    if word == "al2":
        return "AL2_x86_64_GPU" if row.vendor == "NVIDIA" else "AL2_ARM_64" if row.arch == "arm64" else "AL2_x86_64"
    try:
        return catalog.ami_type(row, word)
    except catalog.UnsuitableImage:
        return None


def _disk_gib(own: Manifest | None) -> Maybe[int | None]:
    if own is None:
        return Unknown("spec.blockDeviceMappings", "in a node class outside this program")
    devices = items(own.read("spec", "blockDeviceMappings"), "spec.blockDeviceMappings")
    if isinstance(devices, Unknown):
        return devices
    total = 0.0
    for i in range(len(devices)):
        size = quantity(own.read("spec", "blockDeviceMappings", i, "ebs", "volumeSize"), f"spec.blockDeviceMappings[{i}].ebs.volumeSize")
        if isinstance(size, Unknown):
            return size
        total += size or 0.0
    return math.ceil(total / _GIB) or None


def _labels(manifest: Manifest) -> Maybe[Mapping[str, Maybe[str]]]:
    found = texts(manifest.read("spec", "template", "metadata", "labels"), "spec.template.metadata.labels")
    return found if isinstance(found, Unknown) else {key: said for key, said in found.items() if said is not None}


def _taints(manifest: Manifest) -> Maybe[tuple[str, ...]]:
    at = ("spec", "template", "spec", "taints")
    found = items(manifest.read(*at), "spec.template.spec.taints")
    if isinstance(found, Unknown):
        return found
    read: list[str] = []
    for i in range(len(found)):
        parts = [text(manifest.read(*at, i, key), f"spec.template.spec.taints[{i}].{key}") for key in ("key", "value", "effect")]
        unknown = next((part for part in parts if isinstance(part, Unknown)), None)
        if unknown is not None:
            return unknown
        read.append(f"{parts[0] or ''}={parts[1] or ''}:{parts[2] or ''}")
    return tuple(read)


def _consolidation(manifest: Manifest) -> Consolidation:
    """`expireAfter` stands with the nodes since v1, and stood with the disruption before."""
    expire = first(
        text(manifest.read("spec", "template", "spec", "expireAfter"), "spec.template.spec.expireAfter"),
        text(manifest.read("spec", "disruption", "expireAfter"), "spec.disruption.expireAfter"),
    )
    return Consolidation(
        policy=text(manifest.read("spec", "disruption", "consolidationPolicy"), "spec.disruption.consolidationPolicy"),
        expires=mapped(expire, lambda said: said != "Never"),
    )


def _region(program: Program) -> Maybe[str]:
    """The pool's cluster has it; a Kubernetes resource does not."""
    regions = {program.region(cluster) for cluster in program.clusters}
    if len(regions) == 1:
        return next(iter(regions))
    return program.resources.config.get("aws:region") or Unknown("aws:region", "that of a cluster which cannot be told")


def _cluster(manifest: Manifest, program: Program) -> Maybe[str | None]:
    if manifest.cluster is not None:
        return manifest.cluster
    only = program.resources.of_type(types.CLUSTER)
    return only[0].urn if len(only) == 1 else Unknown("provider", "of a cluster that cannot be told")
