"""Objects in a GKE cluster without which nodes or charts do not work: pod networks, and quotas for critical priority."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import CriticalQuota, PodNetwork, QueuedUse
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import gcp_types
from policies.readers.program import Program
from policies.readers.values import given, text

from .parts import Part
from .references import reference

PRIORITY = "PriorityClass"


def read_param_set(resource: Resource, program: Program) -> Iterator[PodNetwork]:
    spec = Part(resource, ("spec",))
    vpc = reference(program, resource, "spec", spec.read("vpc"), spec.path("vpc"), gcp_types.NETWORK)
    yield PodNetwork(
        urn=resource.urn, kind="GKENetworkParamSet", name=_name(resource), params=None, vpc=vpc, device_mode=spec.text("deviceMode")
    )


def read_pod_network(resource: Resource, _program: Program) -> Iterator[PodNetwork]:
    params = Part(resource, ("spec", "parametersRef")).text("name")
    yield PodNetwork(urn=resource.urn, kind="Network", name=_name(resource), params=params, vpc=None, device_mode=None)


def read_quota(resource: Resource, program: Program) -> Iterator[CriticalQuota]:
    classes = _classes(Part(resource, ("spec",)))
    if isinstance(classes, Unknown) or classes:
        namespace = text(resource.read("metadata", "namespace"), "metadata.namespace")
        yield CriticalQuota(urn=resource.urn, namespace=_namespace(resource, namespace, program), classes=classes)


def read_queued_use(resource: Resource, _program: Program) -> Iterator[QueuedUse]:
    yield QueuedUse(urn=resource.urn, name=resource.name, provisioning_class=Part(resource, ("spec",)).text("provisioningClassName"))


def _name(resource: Resource) -> Maybe[str | None]:
    return text(resource.read("metadata", "name"), "metadata.name")


def _namespace(resource: Resource, named: Maybe[str | None], program: Program) -> Maybe[str | None]:
    """Its namespace; where only the update tells, that of the planned Namespace on which it depends."""
    if not isinstance(named, Unknown):
        return named
    meant = [program.resources.by_urn.get(urn) for urn in resource.property_dependencies.get("metadata", ())]
    spaces = [space for space in meant if space is not None and space.type == "kubernetes:core/v1:Namespace"]
    return spaces[0].urn if len(spaces) == 1 else named


def _classes(spec: Part) -> Maybe[tuple[Maybe[str], ...]]:
    """Priority classes that its scope selector names."""
    terms = spec.each("scopeSelector", "matchExpressions")
    if isinstance(terms, Unknown):
        return terms
    found: list[Maybe[str]] = []
    for term in terms:
        scope, values = term.text("scopeName"), term.items("values")
        if isinstance(scope, Unknown):
            return scope
        if isinstance(values, Unknown):
            return values
        if scope == PRIORITY:
            found += [given(term.text("values", i), term.path("values", i), "not given") for i in range(len(values))]
    return tuple(found)
