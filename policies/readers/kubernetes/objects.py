"""Kubernetes objects of any kind: typed resources, custom resources, and manifests in YAML text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast

from components.inventory import Lost, Manifest
from components.resource import Resource, Value
from components.unknown import AFTER_UPDATE, Maybe, Unknown
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import flag, given, items, text
from policies.readers.yaml_text import documents_of

MACHINE_MAKERS = (
    *("cluster.x-k8s.io", "crossplane.io", "upbound.io", "services.k8s.aws", "cnrm.cloud.google.com", "kaito.sh"),
    *(f"{service}.azure.com" for service in ("app", "batch", "compute", "containerservice", "machinelearningservices")),
)
"""API groups, with all below them, whose objects make machines in the cloud by themselves: Cluster API, Crossplane, ACK, Config Connector,
KAITO, Azure Service Operator.
"""
_COMPUTE_CLASS = ("cloud.google.com", "ComputeClass")
"""By which GKE makes node pools of its own, when its `nodePoolAutoCreation` is on."""
UNTOLD = Unknown("deletedWith", "not told by the engine's policy protocol")
_SEEN_ELSEWHERE = "a component that applies manifests which are not seen here"


@dataclass(frozen=True)
class _Place:
    """Where an object stands: a resource, and the path in it."""

    resource: Resource
    path: str
    program: Program


def read_object(resource: Resource, program: Program) -> Iterator[Manifest | Lost]:
    """The one object that a typed or custom resource is."""
    _, group, kind = token(resource.type)
    yield from _manifest(_Place(resource, "", program), resource.inputs, group, kind)


def read_yaml(resource: Resource, program: Program) -> Iterator[Manifest | Lost]:
    """Objects of `yaml.v2.ConfigGroup` and `ConfigFile`, whose provider applies them unseen: text and plain objects are read, and local files where the source has them."""
    if resource.urn in program.once(_parents):
        return
    found = list(_listed(resource, program))
    if not found:
        yield Lost(urn=resource.urn, type=resource.type, reason=_SEEN_ELSEWHERE)
    for path, body in found:
        if isinstance(body, Unknown):
            yield Lost(urn=resource.urn, type=resource.type, reason=f"{_SEEN_ELSEWHERE}: {body.path} is {body.reason}")
        else:
            yield from _of_body(_Place(resource, path, program), body)


def manifests(program: Program) -> tuple[Manifest, ...]:
    """Every object that the program writes, for readers that need several: `program.once(manifests)`."""
    found: list[Manifest] = []
    for resource in program.resources:
        reader = read_yaml if resource.type in types.YAML else read_object if is_object(resource.type) else None
        found += [fact for fact in (reader(resource, program) if reader is not None else ()) if isinstance(fact, Manifest)]
    return tuple(found)


def read_unseen(resource: Resource, program: Program) -> Iterator[Lost]:
    """Components that read files of their own: what they apply is seen where their children are."""
    if resource.urn not in program.once(_parents):
        yield Lost(urn=resource.urn, type=resource.type, reason=_SEEN_ELSEWHERE)


def _listed(resource: Resource, program: Program) -> Iterator[tuple[str, Maybe[Mapping[str, Value]]]]:
    for prop in ("files", "file", "directory"):
        for path, said in _opened(resource, prop, program):
            yield from ((path, body) for body in ((said,) if isinstance(said, Unknown) else documents(said, path)))
    for body in documents(resource.read("yaml"), "yaml"):
        yield "yaml", body
    plain = items(resource.read("objs"), "objs")
    if isinstance(plain, Unknown):
        yield "objs", plain
        return
    for i in range(len(plain)):
        body = resource.read("objs", i)
        yield f"objs[{i}]", cast("Mapping[str, Value]", body) if isinstance(body, Mapping) else _no_object(f"objs[{i}]", body)


def _opened(resource: Resource, prop: str, program: Program) -> Iterator[tuple[str, Maybe[str]]]:
    """Texts of the files that `prop` names, where the source could open them; an address is never fetched."""
    named = resource.read(prop)
    if named is None or isinstance(named, Unknown):
        yield from () if named is None else ((prop, named),)
        return
    several = isinstance(named, list | tuple)
    for i in range(len(cast("list[Value]", named)) if several else 1):
        path = f"{prop}[{i}]" if several else prop
        written = resource.read(prop, i) if several else named
        text = program.resources.files.get(written) if isinstance(written, str) else None
        yield path, Unknown(path, "not opened") if text is None else text


def documents(value: Value, path: str) -> Iterator[Maybe[Mapping[str, Value]]]:
    """Every object of a YAML text or of a list of them. What is no object is unknown."""
    listed = (value,) if isinstance(value, str) else items(value, path)
    for said in (listed,) if isinstance(listed, Unknown) else listed:
        if isinstance(said, str):
            yield from _parsed(said, path)
        else:
            yield said if isinstance(said, Unknown) else Unknown(path, "not readable: no text")


def _parsed(said: str, path: str) -> Iterator[Maybe[Mapping[str, Value]]]:
    try:
        found = documents_of(said)
    except ValueError:
        yield Unknown(path, "not readable: no YAML")
        return
    for body in found:
        if body is not None:
            yield cast("Mapping[str, Value]", body) if isinstance(body, Mapping) else _no_object(path, body)


def _no_object(path: str, body: Value) -> Unknown:
    return body if isinstance(body, Unknown) else Unknown(path, "not readable: no object")


def _of_body(place: _Place, body: Mapping[str, Value]) -> Iterator[Manifest | Lost]:
    api, kind = body.get("apiVersion"), body.get("kind")
    if not isinstance(api, str) or not isinstance(kind, str):
        reason = f"{_SEEN_ELSEWHERE}: {place.path} names no apiVersion and kind"
        yield Lost(urn=place.resource.urn, type=place.resource.type, reason=reason)
        return
    if kind == "List":
        for i, inner in enumerate(cast("list[Value]", body.get("items")) if isinstance(body.get("items"), list) else []):
            if isinstance(inner, Mapping):
                yield from _of_body(replace(place, path=f"{place.path}.items[{i}]"), cast("Mapping[str, Value]", inner))
        return
    yield from _manifest(place, body, api.rpartition("/")[0], kind)


def _manifest(place: _Place, body: Mapping[str, Value], group: str, kind: str) -> Iterator[Manifest | Lost]:
    resource = place.resource
    if _makes_machines(group):
        yield Lost(urn=resource.urn, type=resource.type, reason=f"a {kind} of {group}, whose controller may make machines in the cloud")
    if (group, kind) == _COMPUTE_CLASS and _creates_pools(body) is not False:
        yield Lost(urn=resource.urn, type=resource.type, reason="a ComputeClass by which GKE makes node pools of its own")
    metadata = body.get("metadata")
    name = text(_inside(metadata, "name"), "metadata.name")
    namespace = text(_inside(metadata, "namespace"), "metadata.namespace")
    yield Manifest(
        urn=resource.urn,
        path=place.path,
        group=group,
        kind=kind,
        name=given(name, "metadata.name", AFTER_UPDATE),
        namespace=namespace,
        body=body,
        cluster=planned_cluster(resource, place.program),
        deleted_with=resource.options.deleted_with if not resource.options.partial else UNTOLD,
    )


def _inside(metadata: Value, key: str) -> Value:
    if isinstance(metadata, Mapping):
        return cast("Mapping[str, Value]", metadata).get(key)
    return metadata if isinstance(metadata, Unknown) or metadata is None else Unknown(f"metadata.{key}", "not readable: no object")


def _creates_pools(compute_class: Mapping[str, Value]) -> Maybe[bool]:
    on = flag(_inside(_inside(compute_class.get("spec"), "nodePoolAutoCreation"), "enabled"), "spec.nodePoolAutoCreation.enabled")
    return False if on is None else on


def _makes_machines(group: str) -> bool:
    return any(group == maker or group.endswith(f".{maker}") for maker in MACHINE_MAKERS)


def _parents(program: Program) -> frozenset[str]:
    """Components whose children the source shows, so that the objects are read there."""
    return frozenset(resource.parent for resource in program.resources if resource.parent is not None)


def token(type_: str) -> tuple[str, str, str]:
    """Package, API group without version, and kind of a type token: `kubernetes:apps/v1:DeploymentPatch` -> kubernetes, apps, Deployment."""
    package, _, rest = type_.partition(":")
    module, _, kind = rest.rpartition(":")
    group = module.rpartition("/")[0]
    return package, "" if group == "core" else group, kind.removesuffix("Patch")


def is_object(type_: str) -> bool:
    """Whether a resource of this type is one Kubernetes object."""
    package, _, rest = type_.partition(":")
    module = rest.rpartition(":")[0]
    return package == "kubernetes" and "/" in module and not module.startswith(("helm.sh/", "yaml/", "kustomize/"))


def planned_cluster(resource: Resource, program: Program) -> Maybe[str | None]:
    """The planned cluster whose kubeconfig the resource's provider holds; None where the provider names none."""
    provider = program.provider(resource)
    return None if provider is None else program.once(_clusters_of_providers).get(provider.urn)


def _clusters_of_providers(program: Program) -> Mapping[str, str]:
    found: dict[str, str] = {}
    clusters = {cluster.urn for cluster in program.resources.of_type(*types.CLUSTERS)}
    for provider in program.resources.of_type(types.KUBERNETES_PROVIDER):
        named = {urn for urns in provider.property_dependencies.values() for urn in urns} | set(provider.dependencies)
        if len(named & clusters) == 1:
            found[provider.urn] = next(iter(named & clusters))
    return found
