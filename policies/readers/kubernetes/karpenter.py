"""Karpenter's NodePools and node classes, and EKS Auto Mode's, as pools of nodes.

Karpenter starts what pods need up to the pool's limits: without limits nothing bounds it. Sources: Karpenter 1.14, "NodePools" and
"NodeClasses"; EKS User Guide, "Create a Node Pool for EKS Auto Mode".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from components import catalog
from components.catalog import Machine
from components.inventory import Consolidation, Image, Manifest, Market, NodeCount, NodePool
from components.resource import name_of
from components.unknown import Maybe, Unknown, known
from policies.readers import types
from policies.readers.pools import classified
from policies.readers.program import Program
from policies.readers.values import items, quantity, text, texts, whole

GROUP = "karpenter.sh"
NODE_CLASSES = (("karpenter.k8s.aws", "EC2NodeClass"), ("eks.amazonaws.com", "NodeClass"))
AKS_CLASSES = "karpenter.azure.com"
"""API group of the node classes of AKS node auto-provisioning."""
_INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_CAPACITY = "karpenter.sh/capacity-type"
_ZONE = "topology.kubernetes.io/zone"
_GIB = 2.0**30
_OPEN = "which leaves the choice of machines to Karpenter"
_UNBOUNDED = "not given, so that Karpenter starts nodes without an upper bound"

Requirements = Mapping[str, tuple[str, Maybe[tuple[str, ...]]]]
"""Operator and values by label key."""


def read_node_pool(manifest: Manifest, program: Program, classes: Mapping[str, Manifest]) -> Iterator[NodePool]:
    """The pool that a NodePool object stands for. `classes`: node classes by name."""
    wanted = _requirements(manifest)
    machines = wanted if isinstance(wanted, Unknown) else _machines(manifest, wanted)
    own = _own_class(manifest, classes)
    yield classified(
        NodePool(
            urn=manifest.urn,
            name=str(manifest.name) if known(manifest.name) else name_of(manifest.urn),
            cloud="aws",
            region=_region(program),
            machines=machines,
            market=wanted if isinstance(wanted, Unknown) else _market(wanted),
            nodes=_nodes(manifest, machines),
            zones=wanted if isinstance(wanted, Unknown) else _zones(wanted),
            image=_image(own, machines),
            cluster=_cluster(manifest, program),
            labels=_labels(manifest),
            taints=_taints(manifest),
            root_disk_gib=_disk_gib(own),
            consolidation=_consolidation(manifest),
            paths={"machines": "spec.template.spec.requirements", "maximum": "spec.limits", "image": "spec.template.spec.nodeClassRef"},
        )
    )


def _requirements(manifest: Manifest) -> Maybe[Requirements]:
    at = ("spec", "template", "spec", "requirements")
    found = items(manifest.read(*at), "spec.template.spec.requirements")
    if isinstance(found, Unknown):
        return found
    read: dict[str, tuple[str, Maybe[tuple[str, ...]]]] = {}
    for i in range(len(found)):
        path = f"spec.template.spec.requirements[{i}]"
        key, operator = text(manifest.read(*at, i, "key"), f"{path}.key"), text(manifest.read(*at, i, "operator"), f"{path}.operator")
        if isinstance(key, Unknown):
            return key
        read[key or ""] = (operator if isinstance(operator, str) else "", _values(manifest, i, path))
    return read


def _values(manifest: Manifest, index: int, path: str) -> Maybe[tuple[str, ...]]:
    at = ("spec", "template", "spec", "requirements", index, "values")
    found = items(manifest.read(*at), f"{path}.values")
    if isinstance(found, Unknown):
        return found
    read: list[str] = []
    for i in range(len(found)):
        value = manifest.read(*at, i)
        if not isinstance(value, str | int):
            return value if isinstance(value, Unknown) else Unknown(f"{path}.values[{i}]", "not readable: no text")
        read.append(str(value))
    return tuple(read)


def _asked(wanted: Requirements, *keys: str) -> Maybe[tuple[str, ...]] | None:
    """Values of the first of `keys` that is required with In; None where none is."""
    for key in keys:
        operator, values = wanted.get(key, ("", ()))
        if operator == "In":
            return values
    return None


def _machines(manifest: Manifest, wanted: Requirements) -> Maybe[tuple[Maybe[str], ...]]:
    """Machines named by type, else those of the catalogue that the named families and GPU names leave."""
    named = _asked(wanted, _INSTANCE_TYPE)
    if named is not None:
        return named
    path = manifest.at("spec.template.spec.requirements")
    rows: Sequence[Machine] | None = None
    for suffix, of in _CHOICES.items():
        asked = _asked(wanted, f"karpenter.k8s.aws/{suffix}", f"eks.amazonaws.com/{suffix}")
        if isinstance(asked, Unknown):
            return asked
        if asked is not None:
            rows = [m for m in rows or catalog.machines("aws") if of(m) in asked]
    if rows is None:
        return Unknown(path, _OPEN)
    return tuple(m.name for m in rows) or Unknown(path, "a choice that no machine of the catalogue meets")


_CHOICES = {
    "instance-family": lambda m: m.family,
    "instance-gpu-name": lambda m: (m.gpu_model or "").casefold(),
    "instance-size": lambda m: m.name.partition(".")[2],
    "instance-gpu-count": lambda m: f"{m.gpu_count:g}",
    "instance-cpu": lambda m: str(m.vcpus),
}
"""Requirements that the catalogue can answer. Others narrow the choice further, so leaving them out never bounds it too low."""


def _market(wanted: Requirements) -> Maybe[Market]:
    """On demand wherever it is allowed: it is what Karpenter falls back to, and the dearer one."""
    asked = _asked(wanted, _CAPACITY, "eks.amazonaws.com/capacity-type")
    if isinstance(asked, Unknown):
        return asked
    if asked is None or "on-demand" in asked:
        return Market.ON_DEMAND
    return Market.SPOT if "spot" in asked else Market.RESERVATION


def _zones(wanted: Requirements) -> Maybe[tuple[Maybe[str], ...]]:
    asked = _asked(wanted, _ZONE)
    return Unknown("spec.template.spec.requirements", "without zones, so that Karpenter picks them") if asked is None else asked


def _nodes(manifest: Manifest, machines: Maybe[tuple[Maybe[str], ...]]) -> NodeCount:
    static = whole(manifest.read("spec", "replicas"), "spec.replicas")
    maximum = _maximum(manifest, machines)
    if static is not None:
        return NodeCount(minimum=static, desired=static, maximum=static if known(static) else maximum)
    return NodeCount(minimum=0, desired=0, maximum=maximum)


def _maximum(manifest: Manifest, machines: Maybe[tuple[Maybe[str], ...]]) -> Maybe[int]:
    """Nodes until the tightest limit is reached. Karpenter passes a limit by the node that reaches it, hence rounded up."""
    limits = texts(manifest.read("spec", "limits"), manifest.at("spec.limits"))
    if isinstance(limits, Unknown) or isinstance(machines, Unknown):
        return limits if isinstance(limits, Unknown) else machines if isinstance(machines, Unknown) else 0
    rows = [catalog.find_machine("aws", name) if known(name) else None for name in machines]
    bounds = [bound for key, said in limits.items() for bound in _bound(key, said, rows, manifest)]
    certain = [bound for bound in bounds if known(bound)]
    if certain:
        return min(certain)
    return next(iter(bounds), Unknown(manifest.at("spec.limits"), _UNBOUNDED))


def _bound(key: str, said: Maybe[str | None], rows: Sequence[Machine | None], manifest: Manifest) -> Iterator[Maybe[int]]:
    limit = quantity(said, manifest.at(f"spec.limits.{key}"))
    if limit is None or key not in (*_PER_NODE, "nodes"):
        return
    if isinstance(limit, Unknown):
        yield limit
        return
    if key == "nodes":
        yield math.ceil(limit)
        return
    least = min((_PER_NODE[key](row) if row is not None else 0.0 for row in rows), default=0.0)
    if least > 0:
        yield math.ceil(limit / least)


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
    alias = own.read("spec", "amiSelectorTerms", 0, "alias")
    if isinstance(alias, Unknown):
        return Image(kind=alias, driver=alias, toolkit=alias, path=path)
    word = alias.partition("@")[0] if isinstance(alias, str) else ""
    if word not in ("al2023", "bottlerocket"):
        return Image(kind="CUSTOM", driver=None, path=path)
    return _aliased(word, machines, path)


def _aliased(word: str, machines: Maybe[tuple[Maybe[str], ...]], path: str) -> Image:
    names = [name for name in machines if known(name)] if known(machines) else []
    row = catalog.find_machine("aws", names[0]) if names else None
    try:
        kind = catalog.ami_type(row, word) if row is not None else None
    except catalog.UnsuitableImage:
        kind = None
    image = catalog.image("aws", kind) if kind else None
    if image is None:
        strange = Unknown(path, f"{word}, whose variant for these machines cannot be told")
        return Image(kind=strange, driver=strange, toolkit=strange, path=path)
    return Image(kind=image.kind, driver=image.driver, toolkit=image.toolkit, path=path)


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
    expire = text(manifest.read("spec", "template", "spec", "expireAfter"), "spec.template.spec.expireAfter")
    return Consolidation(
        policy=text(manifest.read("spec", "disruption", "consolidationPolicy"), "spec.disruption.consolidationPolicy"),
        expires=expire if isinstance(expire, Unknown) else expire != "Never",
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
