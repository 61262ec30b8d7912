"""EC2 Auto Scaling groups, mixed instances included: overrides win over the launch template's machine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from components.inventory import Image, MachineChoice, Market, NodeCount, NodePool
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers.pools import classified
from policies.readers.program import Program
from policies.readers.values import first, given, items, text, whole

from .group_setup import own_tags
from .launch_configuration import Configuration, used_configuration
from .launch_template import Template, pool_interfaces, used_template
from .mixed_templates import MIXED as _MIXED
from .mixed_templates import OVERRIDES as _OVERRIDES
from .mixed_templates import mixed_templates

_UNITS = (None, "units")
_WHOLE_GROUP = 100


@dataclass(frozen=True)
class _Share:
    """The part of a group that one market serves: `base` nodes and `percent` of what lies above."""

    market: Market
    base: int
    percent: int

    def of(self, total: Maybe[int], group_base: int) -> Maybe[int]:
        """Nodes of `total` that this share may have, rounded up so that the shares never add to less than the group."""
        if isinstance(total, Unknown):
            return total
        return min(total, min(self.base, total) + math.ceil(max(total - group_base, 0) * self.percent / 100))


def read_scaling_group(group: Resource, program: Program) -> Iterator[NodePool | MachineChoice]:
    template = _template(group, program)
    configuration = used_configuration(program, group) if template is None else None
    start = template or configuration
    own = {index: template for index, template in mixed_templates(group, program).items() if index is not None}
    overrides = _overrides(group, own)
    others = {index: pool_interfaces(group, template) for index, template in own.items()}
    region = program.region(group)
    machines = _machines(overrides, start)
    zones = _zones(group, program)
    for market, nodes in _parts(group, start):
        yield classified(
            NodePool(
                urn=group.urn,
                name=group.name,
                cloud="aws",
                region=region,
                machines=machines,
                market=market,
                nodes=nodes,
                zones=zones,
                image=Image(kind="CUSTOM", driver=None, path="launchTemplate"),
                interfaces=pool_interfaces(group, template),
                other_interfaces=others,
                placement_group=template.placement_group if template else None,
                reservation=template.reservation if template else None,
                root_disk_gib=start.disk_gib if start else None,
                root_disk_kind=start.disk_kind if start else None,
                placement_strategy=template.placement_strategy if template else None,
                scaling_tags=own_tags(group, program),
                paths={
                    "machines": _OVERRIDES if overrides else "launchTemplate",
                    "desired": "desiredCapacity",
                    "maximum": "maxSize",
                    "scalingConfig.minSize": "minSize",
                    "subnetIds": "availabilityZones" if group.read("vpcZoneIdentifiers") is None else "vpcZoneIdentifiers",
                },
            )
        )
    for i, machine in enumerate(overrides):
        yield MachineChoice(urn=group.urn, cloud="aws", region=region, machine=machine, path=f"{_OVERRIDES}[{i}].instanceType")


def _zones(group: Resource, program: Program) -> Maybe[tuple[Maybe[str], ...]]:
    """Of its subnets; a group of the default network names its zones."""
    named = items(group.read("availabilityZones"), "availabilityZones")
    if group.read("vpcZoneIdentifiers") is not None or named == ():
        return program.zones(group, "vpcZoneIdentifiers")
    if isinstance(named, Unknown):
        return named
    paths = [f"availabilityZones[{i}]" for i in range(len(named))]
    return tuple(given(text(group.read("availabilityZones", i), path), path, "not given") for i, path in enumerate(paths))


def _template(group: Resource, program: Program) -> Template | None:
    return mixed_templates(group, program).get(None) or used_template(program, group)


def _overrides(group: Resource, own: Mapping[int, Template]) -> tuple[Maybe[str], ...]:
    found = items(group.read(_MIXED, "launchTemplate", "overrides"), _OVERRIDES)
    if isinstance(found, Unknown):
        return (found,)
    return tuple(_override(group, i, own.get(i)) for i in range(len(found)))


def _override(group: Resource, index: int, own: Template | None) -> Maybe[str]:
    path, at = f"{_OVERRIDES}[{index}]", (_MIXED, "launchTemplate", "overrides", index)
    requirements = group.read(*at, "instanceRequirements")
    if isinstance(requirements, Unknown):
        return requirements
    if requirements is not None:
        return Unknown(f"{path}.instanceRequirements", "a choice by attributes that may start any matching machine")
    named = first(text(group.read(*at, "instanceType"), f"{path}.instanceType"), own.machine if own else None)
    return given(named, f"{path}.instanceType", "not given")


def _machines(overrides: tuple[Maybe[str], ...], start: Template | Configuration | None) -> tuple[Maybe[str], ...]:
    if overrides:
        return overrides
    machine = start.machine if start else None
    return (given(machine, "launchTemplate", "not given: the machine is nowhere"),)


def _parts(group: Resource, start: Template | Configuration | None) -> Iterator[tuple[Maybe[Market], NodeCount]]:
    """One part a market. With weights a node counts for one unit or more, so units bound the nodes from above."""
    counts = _counts(group)
    if group.read(_MIXED) is None:
        yield _market(start), counts
        return
    shares = _shares(group)
    if isinstance(shares, Unknown):
        yield shares, counts
        return
    group_base = shares[0].base
    for share in shares:
        if share.base or share.percent:
            yield (
                share.market,
                NodeCount(
                    minimum=share.of(counts.minimum, group_base),
                    desired=share.of(counts.desired, group_base),
                    maximum=share.of(counts.maximum, group_base),
                    surge=counts.surge,
                ),
            )


def _shares(group: Resource) -> Maybe[tuple[_Share, _Share]]:
    def setting(key: str, default: int) -> Maybe[int]:
        path = f"{_MIXED}.instancesDistribution.{key}"
        found = whole(group.read(_MIXED, "instancesDistribution", key), path)
        return default if found is None else found

    base = setting("onDemandBaseCapacity", 0)
    percent = setting("onDemandPercentageAboveBaseCapacity", _WHOLE_GROUP)
    if isinstance(base, Unknown):
        return base
    if isinstance(percent, Unknown):
        return percent
    return _Share(Market.ON_DEMAND, base, percent), _Share(Market.SPOT, 0, _WHOLE_GROUP - min(percent, _WHOLE_GROUP))


def _counts(group: Resource) -> NodeCount:
    unit = text(group.read("desiredCapacityType"), "desiredCapacityType")
    if isinstance(unit, Unknown) or unit not in _UNITS:
        strange = Unknown("desiredCapacityType", "not counted in nodes")
        return NodeCount(minimum=strange, desired=strange, maximum=strange, surge=strange)
    minimum = given(whole(group.read("minSize"), "minSize"), "minSize", "not given")
    desired = first(whole(group.read("desiredCapacity"), "desiredCapacity"), minimum)
    maximum = given(whole(group.read("maxSize"), "maxSize"), "maxSize", "not given")
    return NodeCount(minimum=minimum, desired=given(desired, "desiredCapacity", "not given"), maximum=maximum, surge=_surge(group))


def _surge(group: Resource) -> Maybe[int]:
    """A maintenance policy or a warm pool lets a group pass its maximum; how far is not modelled, hence unknown."""
    for prop in ("instanceMaintenancePolicy", "warmPool"):
        if group.read(prop) is not None:
            return Unknown(prop, "a setting that lets the group pass its maximum by an amount that is not modelled")
    return 0


def _market(template: Template | Configuration | None) -> Maybe[Market]:
    if template is None:
        return Market.ON_DEMAND
    if isinstance(template, Configuration):
        return template.market
    word = template.market_type
    if isinstance(word, Unknown):
        return word
    if word == "spot":
        return Market.SPOT
    if word == "capacity-block":
        return Market.CAPACITY_BLOCK
    reservation = template.reservation
    return reservation if isinstance(reservation, Unknown) else Market.ON_DEMAND if reservation is None else Market.RESERVATION
