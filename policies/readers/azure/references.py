"""Who is meant where an Azure resource names another, and where a resource stands. Azure compares names without regard to case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from components import catalog
from components.resource import Resource, Value
from components.unknown import Maybe, Unknown
from policies.readers import azure_types as types
from policies.readers.program import Program
from policies.readers.values import OUTSIDE, text

_OWN_NAME: Mapping[str, tuple[str, ...]] = {
    types.CLUSTER: ("resourceName",),
    types.IDENTITY: ("resourceName",),
    types.NETWORK: ("virtualNetworkName",),
    types.SUBNET: ("subnetName", "name"),
    types.RESERVATION_GROUP: ("capacityReservationGroupName",),
    types.PLACEMENT_GROUP: ("proximityPlacementGroupName",),
    types.STORAGE_ACCOUNT: ("accountName",),
    types.SCALE_SET: ("vmScaleSetName",),
    types.GUARD: ("networkSecurityGroupName",),
    types.RESOURCE_GROUPS[0]: ("resourceGroupName",),
}
"""Which input holds a resource's own name."""


def meant(program: Program, resource: Resource, prop: str, value: Value, *wanted: str) -> Maybe[str | None]:
    """URN of the planned resource of the types `wanted` that `value` in top-level `prop` means; the text itself for others; None for nothing.

    What is not known yet is told by the property's dependencies, where they leave no choice.
    """
    named = text(value, prop)
    if named is None:
        return None
    if isinstance(named, str) and (planned := by_name(program, named, wanted)) is not None:
        return planned.urn
    sources = [program.resources.by_urn.get(urn) for urn in resource.property_dependencies.get(prop, ())]
    urns = [source.urn for source in sources if source is not None and source.type in wanted]
    plain = not isinstance(resource.inputs.get(prop), Mapping | list | tuple)
    if len(urns) == 1 and (plain or isinstance(named, Unknown)):
        return urns[0]
    return named


def by_name(program: Program, name: str, wanted: Sequence[str]) -> Resource | None:
    """The one planned resource with this ARM id or name."""
    ending = name.rstrip("/").rpartition("/")[2].casefold()
    names = program.once(_names)
    found = [resource for kind in wanted for resource in names.get((kind, ending), ())]
    return found[0] if len(found) == 1 else None


def _names(program: Program) -> Mapping[tuple[str, str], Sequence[Resource]]:
    """Planned resources by type and own name, as far as names are known; the ending of an id, which is the name, where the program has ids."""
    found: dict[tuple[str, str], list[Resource]] = {}
    for resource in program.resources:
        if not resource.type.startswith("azure"):
            continue
        written = [resource.inputs.get(key) for key in _OWN_NAME.get(resource.type, ("name",))]
        ids = resource.id.rpartition("/")[2] if isinstance(resource.id, str) else None
        for name in {word.casefold() for word in (*written, ids) if isinstance(word, str) and word}:
            found.setdefault((resource.type, name), []).append(resource)
    return found


_AWAITED = (types.ROLE_ASSIGNMENT, *types.FEATURES)
"""What must be there before a pool, though no property of the pool names it."""


def awaited(program: Program, resource: Resource) -> frozenset[str]:
    """URNs of the roles and feature flags on which `resource` depends, by any chain of dependencies."""
    return program.once(_awaited)[resource.urn]


def _awaited(program: Program) -> Mapping[str, frozenset[str]]:
    """For every resource at once: one round where dependencies come first, as they are registered, and more where a source mixes them."""
    found: dict[str, frozenset[str]] = {resource.urn: frozenset() for resource in program.resources}
    changed = True
    while changed:
        changed = False
        for resource in program.resources:
            direct = {*resource.dependencies, *(urn for urns in resource.property_dependencies.values() for urn in urns)}
            own = {resource.urn} if resource.type in _AWAITED else set[str]()
            behind = frozenset(own).union(*(found.get(urn, frozenset()) for urn in direct))
            changed = changed or behind != found[resource.urn]
            found[resource.urn] = behind
    return found


def location(program: Program, resource: Resource) -> Maybe[str]:
    """Region of a resource: its own, that of its provider, of the stack's settings, of its resource group."""
    provider = program.provider(resource)
    for value in (resource.read("location"), provider.read("location") if provider else None):
        found = text(value, "location")
        if found is not None:
            return found if isinstance(found, Unknown) else region_name(found)
    if provider is None and (given := program.resources.config.get("azure-native:location")):
        return region_name(given)
    return _of_group(program, resource)


def _of_group(program: Program, resource: Resource) -> Maybe[str]:
    group = meant(program, resource, "resourceGroupName", resource.read("resourceGroupName"), *types.RESOURCE_GROUPS)
    planned = program.resources.by_urn.get(group) if isinstance(group, str) else None
    if planned is not None and planned.type in types.RESOURCE_GROUPS and planned is not resource:
        return location(program, planned)
    return Unknown("location", "given by neither the resource, nor its provider, nor its resource group")


def region_of(program: Program, urn: Maybe[str | None], what: str) -> Maybe[str]:
    """Region of what `urn` names, for resources that stand where another stands."""
    planned = program.resources.by_urn.get(urn) if isinstance(urn, str) else None
    if planned is not None:
        return location(program, planned)
    return urn if isinstance(urn, Unknown) else Unknown("location", f"that of the {what} {urn or ''}, {OUTSIDE}".replace(" ,", ","))


def region_name(written: str) -> str:
    """`East US` -> `eastus`: the portal's spelling and the API's mean the same region."""
    return written.replace(" ", "").casefold()


def size_name(written: Maybe[str]) -> Maybe[str]:
    """A machine size as the catalogue spells it; unchanged where it has none of that name."""
    if isinstance(written, Unknown) or catalog.find_machine("azure", written) is not None:
        return written
    return _sizes().get(written.casefold(), written)


@cache
def _sizes() -> Mapping[str, str]:
    return {machine.name.casefold(): machine.name for machine in catalog.machines("azure")}
