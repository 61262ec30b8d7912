"""Launch templates: machine, image, disks, reservation, and the interface list that EFA stands or falls with."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass

from components.inventory import Interface, Interfaces, MachineChoice
from components.resource import Resource, Value
from components.unknown import Maybe, Unknown, known
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import OUTSIDE, first, flag, given, items, text, whole

KINDS = ("interface", "efa", "efa-only")
_SPECIFICATION = "capacityReservationSpecification"
_OUTSIDE = f"in a launch template {OUTSIDE}"


@dataclass(frozen=True)
class Template:
    """A launch template as seen from the pool that uses it. Its facts are unknown when it is not in the program."""

    program: Program
    resource: Resource | None
    prop: str
    """The pool's property that names the template."""

    def read(self, *path: str | int) -> Value:
        return self.resource.read(*path) if self.resource else Unknown(f"{self.prop}.{'.'.join(map(str, path))}", _OUTSIDE)

    def where(self, path: str) -> str:
        """Path for messages, as seen from the pool."""
        return f"{self.prop}({self.resource.name}).{path}" if self.resource else self.prop

    @property
    def user_data(self) -> Maybe[str | None]:
        """What the node reads at its start, out of base64."""
        said = text(self.read("userData"), self.where("userData"))
        if isinstance(said, Unknown) or said is None:
            return said
        try:
            return base64.b64decode(said, validate=True).decode("utf-8", "replace")
        except ValueError:
            return Unknown(self.where("userData"), "not readable: no base64")

    @property
    def tagged(self) -> Maybe[frozenset[str]]:
        """Kinds of resources that it tags with at least one tag."""
        found = items(self.read("tagSpecifications"), self.where("tagSpecifications"))
        if isinstance(found, Unknown):
            return found
        kinds: set[str] = set()
        for i in range(len(found)):
            kind = text(self.read("tagSpecifications", i, "resourceType"), self.where(f"tagSpecifications[{i}].resourceType"))
            if isinstance(kind, Unknown):
                return kind
            if self.read("tagSpecifications", i, "tags") is not None:
                kinds.add(kind or "")
        return frozenset(kinds)

    @property
    def placement_strategy(self) -> Maybe[str | None]:
        """Of a placement group that the program makes; nothing is known of others."""
        group = self.placement_group
        planned = self.program.resources.by_urn.get(group) if isinstance(group, str) else None
        return text(planned.read("strategy"), "strategy") if planned is not None else None

    @property
    def machine(self) -> Maybe[str | None]:
        requirements = self.read("instanceRequirements")
        if self.resource is not None and isinstance(requirements, Unknown):
            return requirements
        if self.resource is not None and requirements is not None:
            return Unknown(self.where("instanceRequirements"), "a choice by attributes that may start any matching machine")
        return text(self.read("instanceType"), self.where("instanceType"))

    @property
    def image_id(self) -> Maybe[str | None]:
        return text(self.read("imageId"), self.where("imageId"))

    @property
    def market_type(self) -> Maybe[str | None]:
        return text(self.read("instanceMarketOptions", "marketType"), self.where("instanceMarketOptions.marketType"))

    @property
    def reservation(self) -> Maybe[str | None]:
        """URN of a planned reservation, else the id or ARN that the template targets."""
        target = (_SPECIFICATION, "capacityReservationTarget")
        path = self.where(".".join(target))
        named = first(self.read(*target, "capacityReservationId"), self.read(*target, "capacityReservationResourceGroupArn"))
        if self.resource is None or not isinstance(named, Unknown):
            return text(named, path)
        planned = self.program.resources.referred(self.resource, _SPECIFICATION, *types.RESERVATIONS)
        return planned[0].urn if len(planned) == 1 else text(named, path)

    @property
    def reserved(self) -> Maybe[bool]:
        """Whether it asks for reserved capacity. `open` and `none` as preference do not."""
        specification = self.read(_SPECIFICATION)
        if isinstance(specification, Unknown) or specification is None:
            return False if specification is None else specification
        preference = text(self.read(_SPECIFICATION, "capacityReservationPreference"), self.where(_SPECIFICATION))
        return preference if isinstance(preference, Unknown) else preference not in ("open", "none")

    @property
    def placement_group(self) -> Maybe[str | None]:
        named = first(self.read("placement", "groupName"), self.read("placement", "groupId"))
        if self.resource is None or named is None:
            return named
        return self.program.reference(self.resource, "placement", named, types.PLACEMENT_GROUP)

    @property
    def disk_gib(self) -> Maybe[int | None]:
        """Sum of the block devices; None without any, as then the image decides."""
        mappings = items(self.read("blockDeviceMappings"), self.where("blockDeviceMappings"))
        if isinstance(mappings, Unknown):
            return mappings
        total = 0
        for i in range(len(mappings)):
            path = self.where(f"blockDeviceMappings[{i}].ebs.volumeSize")
            size = whole(self.read("blockDeviceMappings", i, "ebs", "volumeSize"), path)
            if isinstance(size, Unknown):
                return size
            total += size or 0
        return total or None

    @property
    def disk_kind(self) -> Maybe[str | None]:
        path = self.where("blockDeviceMappings[0].ebs.volumeType")
        return text(self.read("blockDeviceMappings", 0, "ebs", "volumeType"), path)


def used_template(program: Program, pool: Resource, prop: str = "launchTemplate", *path: str) -> Template | None:
    """The template that `pool` names in `prop`, by dependency, id or name; None when it names none."""
    if pool.read(*(path or (prop,))) is None:
        return None
    meant = program.resources.referred(pool, path[0] if path else prop, types.LAUNCH_TEMPLATE)
    only = meant[0] if len(meant) == 1 and not _another_version(meant[0], pool.read(*(path or (prop,)), "version")) else None
    return Template(program, only, ".".join(path) if path else prop)


def _another_version(template: Resource, version: Value) -> bool:
    """Whether the pool is pinned to a version other than the one that the program writes: what is in that one cannot be seen."""
    latest = template.outputs.get("latestVersion")
    return isinstance(version, str) and version.isdigit() and isinstance(latest, int) and int(version) != latest


def pool_interfaces(pool: Resource, template: Template | None) -> Interfaces | None:
    """The interface list that `pool` starts with: unknown as a whole in a template that the program does not hold."""
    if template is None:
        return None
    if template.resource is not None:
        return interfaces(template.resource, template.program)
    return Interfaces(urn=pool.urn, items=Unknown(template.prop, f"a launch template {OUTSIDE}"), path=template.prop)


def read_template(resource: Resource, program: Program) -> Iterator[Interfaces | MachineChoice]:
    """Facts that hold whether a pool of this program uses the template or not."""
    found = interfaces(resource, program)
    if found is not None:
        yield found
    machine = text(resource.read("instanceType"), "instanceType")
    if machine is not None:
        yield MachineChoice(urn=resource.urn, cloud="aws", region=program.region(resource), machine=machine, path="instanceType")


def interfaces(resource: Resource, program: Program) -> Interfaces | None:
    """The interface list; None when the template has none, as then the subnet decides on one plain interface."""
    found = items(resource.read("networkInterfaces"), "networkInterfaces")
    if known(found) and not found:
        return None
    listed = tuple(_interface(resource, program, i) for i in range(len(found))) if known(found) else found
    return Interfaces(urn=resource.urn, items=listed)


def _interface(resource: Resource, program: Program, index: int) -> Interface:
    path = f"networkInterfaces[{index}]"

    def at(key: str) -> Value:
        return resource.read("networkInterfaces", index, key)

    return Interface(
        card=whole(at("networkCardIndex"), f"{path}.networkCardIndex"),
        device=whole(at("deviceIndex"), f"{path}.deviceIndex"),
        kind=interface_kind(at("interfaceType"), f"{path}.interfaceType"),
        groups=_groups(resource, program, at("securityGroups"), f"{path}.securityGroups"),
        public_address=_or(flag(at("associatePublicIpAddress"), f"{path}.associatePublicIpAddress"), default=False),
        delete_on_termination=flag(at("deleteOnTermination"), f"{path}.deleteOnTermination"),
        path=path,
    )


def interface_kind(value: Value, path: str) -> Maybe[str]:
    """A word that EC2 does not know, such as `EFA`, is no plain interface: what it was meant to be cannot be told."""
    word = text(value, path)
    if isinstance(word, Unknown) or word in KINDS:
        return word
    return "interface" if word is None else Unknown(path, f"{word!r}, which is none of {', '.join(KINDS)}")


def _groups(resource: Resource, program: Program, value: Value, path: str) -> Maybe[tuple[Maybe[str], ...]]:
    listed = items(value, path)
    if isinstance(listed, Unknown):
        return listed
    return program.references(resource, "networkInterfaces", listed, path, *types.SECURITY_GROUPS)


def _or(value: Maybe[bool | None], *, default: bool) -> Maybe[bool]:
    return default if value is None else value


def choices(machines: Maybe[tuple[Maybe[str], ...]], resource: Resource, region: Maybe[str], prop: str) -> Iterator[MachineChoice]:
    """One choice for each machine that `prop` lists itself."""
    if isinstance(machines, Unknown):
        yield MachineChoice(urn=resource.urn, cloud="aws", region=region, machine=machines, path=prop)
        return
    for i, machine in enumerate(machines):
        path = f"{prop}[{i}]"
        yield MachineChoice(urn=resource.urn, cloud="aws", region=region, machine=machine, path=path)


def listed_machines(resource: Resource, prop: str) -> Maybe[tuple[Maybe[str], ...]]:
    """Machine types of a list such as `instanceTypes`; () when absent."""
    found = items(resource.read(prop), prop)
    if isinstance(found, Unknown):
        return found
    return tuple(given(text(resource.read(prop, i), f"{prop}[{i}]"), f"{prop}[{i}]", "empty") for i in range(len(found)))
