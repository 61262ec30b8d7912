"""A program's resources with the questions that readers ask of them: who is meant here, in which region."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar, cast

from components.resource import Resource, ResourceSet, Value
from components.unknown import Maybe, Unknown, known

from . import types
from .values import OUTSIDE, first, given, text

T = TypeVar("T")
_NO_REGION = "given by no resource, provider or setting of the program"
_ELSEWHERE = "not given by this program"
_DEFAULT_PROVIDER = re.compile(r"::default(_\d+)*(::[^:]*)?$")
"""Reference to the provider that the engine makes itself, from the stack's settings: `default` or `default_7_51_1`."""


@dataclass(frozen=True, eq=False)
class Program:
    """`ResourceSet` with references resolved by property dependency, literal id or name, as new resources have no ids yet."""

    resources: ResourceSet
    _made: dict[object, object] = field(default_factory=dict[object, object], repr=False)

    def once(self, make: Callable[[Program], T]) -> T:
        """What `make` works out from the whole program, worked out once: readers see one resource at a time."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("T", self._made[make])

    @cached_property
    def clusters(self) -> tuple[Resource, ...]:
        return self.resources.of_type(types.CLUSTER)

    def provider(self, resource: Resource) -> Resource | None:
        """The provider, where the program's resources hold it. Engines write its reference as URN or as URN::id."""
        reference = resource.provider or ""
        found = self.resources.by_urn.get(reference)
        return found or self.resources.by_urn.get(reference.rpartition("::")[0])

    def default_provider(self, resource: Resource) -> bool:
        """Whether the engine's own provider makes it, which the stack's settings configure."""
        return not resource.provider or _DEFAULT_PROVIDER.search(resource.provider) is not None

    def region(self, resource: Resource) -> Maybe[str]:
        """AWS region: of the resource itself, of its provider, of the stack's settings. The environment is never asked."""
        provider = self.provider(resource)
        for value in (resource.read("region"), provider.read("region") if provider else None):
            found = text(value, "region")
            if found is not None:
                return found
        if not self.default_provider(resource):
            return Unknown("region", "not given by the resource's provider")
        return self.resources.config.get("aws:region") or Unknown("aws:region", _NO_REGION)

    def reference(self, resource: Resource, prop: str, value: Value, *wanted: str) -> Maybe[str]:
        """URN of the one planned resource of the types `wanted` that top-level `prop` means, else the literal in `value`."""
        meant = self.resources.referred(resource, prop, *wanted)
        if len(meant) == 1:
            return meant[0].urn
        return given(text(value, prop), prop, _ELSEWHERE)

    def references(self, resource: Resource, prop: str, values: Sequence[Value], path: str, *wanted: str) -> tuple[Maybe[str], ...]:
        """The same for a list below `prop`. Ids that are not known yet are matched with the resources on which `prop` depends,
        where their numbers leave no choice; otherwise they stay unknown.
        """
        meant = [self._literal(value, *wanted) for value in values]
        sources = [urn for urn in self._id_sources(resource, prop, *wanted) if urn not in meant]
        if meant.count(None) == len(sources):
            waiting = iter(sources)
            meant = [entry if entry is not None else self._of(next(waiting), wanted) for entry in meant]
        return tuple(entry or Unknown(f"{path}[{i}]") for i, entry in enumerate(meant))

    def _literal(self, value: Value, *wanted: str) -> str | None:
        """URN of the planned resource with this id or name, the text itself for others, None when there is no text."""
        if not isinstance(value, str) or not value:
            return None
        planned = self.resources.existing(value, *wanted)
        return planned.urn if planned else self._told_ids.get(value, value)

    @cached_property
    def _told_ids(self) -> Mapping[str, str]:
        """Ids of planned security groups as their rules have them, where the groups do not say their own."""
        found: dict[str, str] = {}
        for rule in self.resources.of_type(*types.GROUP_RULES):
            group, owners = rule.inputs.get("securityGroupId"), rule.property_dependencies.get("securityGroupId", ())
            owner = self.resources.by_urn.get(owners[0]) if len(owners) == 1 else None
            if isinstance(group, str) and owner is not None and owner.type in types.SECURITY_GROUPS:
                found[group] = owner.urn
        return found

    def _id_sources(self, resource: Resource, prop: str, *wanted: str) -> Iterable[str]:
        """What `prop` depends on and may have given an id of the types `wanted`."""
        for urn in dict.fromkeys(resource.property_dependencies.get(prop, ())):
            source = self.resources.by_urn.get(urn)
            if source is None or source.type in wanted or source.type not in types.GIVE_NO_GROUP_ID:
                yield urn

    def _of(self, urn: str, wanted: tuple[str, ...]) -> str | None:
        source = self.resources.by_urn.get(urn)
        return urn if source is not None and source.type in wanted else None

    def from_another_stack(self, resource: Resource, prop: str) -> bool:
        """Whether outputs of other stacks alone give top-level `prop`."""
        sources = resource.property_dependencies.get(prop, ())
        return bool(sources) and all(
            (source := self.resources.by_urn.get(urn)) is not None and source.type == types.STACK_REFERENCE for urn in sources
        )

    def zones(self, resource: Resource, prop: str) -> Maybe[tuple[Maybe[str], ...]]:
        """Zones of the subnets in `prop`, one entry a zone; a subnet whose zone is not known counts as a zone of its own."""
        value = resource.read(prop)
        if isinstance(value, Unknown):
            meant = self.resources.referred(resource, prop, types.SUBNET)
            return value if not meant else self._distinct(subnet.urn for subnet in meant)
        if not isinstance(value, list | tuple):
            return Unknown(prop, "not given" if value is None else "not readable: no list")
        return self._distinct(self.references(resource, prop, list(value), prop, types.SUBNET))

    def _distinct(self, subnets: Iterable[Maybe[str]]) -> tuple[Maybe[str], ...]:
        zones = [self._zone(subnet) for subnet in subnets]
        return (*dict.fromkeys(zone for zone in zones if known(zone)), *(zone for zone in zones if isinstance(zone, Unknown)))

    def _zone(self, subnet: Maybe[str]) -> Maybe[str]:
        if isinstance(subnet, Unknown):
            return subnet
        planned = self.resources.by_urn.get(subnet)
        if planned is None:
            return Unknown("availabilityZone", f"that of {subnet}, {OUTSIDE}")
        keys = ("availabilityZone", "availabilityZoneId")
        return given(first(*(text(planned.read(key), key) for key in keys)), "availabilityZone", f"not given by {planned.name!r}")
