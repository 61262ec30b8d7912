"""EC2 fleets, spot fleets and single spot requests.

A fleet keeps its target running: minimum, desired and maximum are one number. Targets may be counted in units of weights, vCPU or memory;
a unit is at most one node, so units bound the nodes from above.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from components.inventory import Image, Interfaces, MachineChoice, Market, NodeCount, NodePool
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers.pools import classified
from policies.readers.program import Program
from policies.readers.values import first, given, items, text, whole

from .instance import read_instance
from .launch_template import Template, used_template

_CONFIGS = "launchTemplateConfigs"
_OWN = "launchSpecifications"
_TARGET = "targetCapacitySpecification"
_ATTRIBUTES = "a choice by attributes that may start any matching machine"
_OPEN_TEMPLATE = "of one of several launch templates"


def read_fleet(fleet: Resource, program: Program) -> Iterator[NodePool | MachineChoice]:
    total = given(whole(fleet.read(_TARGET, "totalTargetCapacity"), f"{_TARGET}.totalTargetCapacity"), _TARGET, "not given")
    on_demand = _part(fleet, total, "onDemandTargetCapacity", "on-demand")
    spot = _part(fleet, total, "spotTargetCapacity", "spot")
    shares = {Market.ON_DEMAND: on_demand, Market.SPOT: spot}
    yield from _pools(fleet, program, _listed(fleet, program), shares)


def _part(fleet: Resource, total: Maybe[int], key: str, word: str) -> Maybe[int]:
    """What the target names for this market, else the whole where it is the default one."""
    own = whole(fleet.read(_TARGET, key), f"{_TARGET}.{key}")
    default = text(fleet.read(_TARGET, "defaultTargetCapacityType"), f"{_TARGET}.defaultTargetCapacityType")
    if isinstance(own, Unknown) or isinstance(default, Unknown):
        return own if isinstance(own, Unknown) else default if isinstance(default, Unknown) else 0
    if default is None and own is None:
        return Unknown(f"{_TARGET}.defaultTargetCapacityType", "not given")
    return total if default == word else own or 0


def read_spot_fleet(fleet: Resource, program: Program) -> Iterator[NodePool | MachineChoice]:
    total = given(whole(fleet.read("targetCapacity"), "targetCapacity"), "targetCapacity", "not given")
    base = whole(fleet.read("onDemandTargetCapacity"), "onDemandTargetCapacity")
    shares: dict[Market, Maybe[int]] = {Market.SPOT: total, Market.ON_DEMAND: 0 if base is None else base}
    yield from _pools(fleet, program, (*_specified(fleet), *_listed(fleet, program)), shares)


def read_spot_request(request: Resource, program: Program) -> Iterator[NodePool | MachineChoice | Interfaces]:
    """An instance that is always bought as spot."""
    for fact in read_instance(request, program):
        yield replace(fact, market=Market.SPOT) if isinstance(fact, NodePool) else fact


Choice = tuple[Maybe[str], str]
"""A machine and the path at which it is named."""


def _specified(fleet: Resource) -> tuple[Choice, ...]:
    found = items(fleet.read(_OWN), _OWN)
    if isinstance(found, Unknown):
        return ((found, _OWN),)
    paths = [f"{_OWN}[{i}].instanceType" for i in range(len(found))]
    return tuple((given(text(fleet.read(_OWN, i, "instanceType"), path), path, "not given"), path) for i, path in enumerate(paths))


def _listed(fleet: Resource, program: Program) -> tuple[Choice, ...]:
    configs = items(fleet.read(_CONFIGS), _CONFIGS)
    if isinstance(configs, Unknown):
        return ((configs, _CONFIGS),)
    template = used_template(program, fleet, _CONFIGS, _CONFIGS) if len(configs) == 1 else None
    return tuple(choice for i in range(len(configs)) for choice in _of_config(fleet, i, template))


def _of_config(fleet: Resource, index: int, template: Template | None) -> Iterator[Choice]:
    """Overrides win over the template's machine."""
    at = f"{_CONFIGS}[{index}].overrides"
    overrides = items(fleet.read(_CONFIGS, index, "overrides"), at)
    if isinstance(overrides, Unknown):
        yield overrides, at
        return
    in_template = template.machine if template is not None else Unknown(f"{_CONFIGS}[{index}].launchTemplateSpecification", _OPEN_TEMPLATE)
    if not overrides:
        yield given(in_template, f"{_CONFIGS}[{index}]", "without a machine"), f"{_CONFIGS}[{index}]"
    for i in range(len(overrides)):
        path = f"{at}[{i}].instanceType"
        if fleet.read(_CONFIGS, index, "overrides", i, "instanceRequirements") is not None:
            yield Unknown(f"{at}[{i}].instanceRequirements", _ATTRIBUTES), path
            continue
        named = text(fleet.read(_CONFIGS, index, "overrides", i, "instanceType"), path)
        yield given(first(named, in_template), path, "not given"), path


def _pools(
    fleet: Resource, program: Program, choices: tuple[Choice, ...], shares: dict[Market, Maybe[int]]
) -> Iterator[NodePool | MachineChoice]:
    region = program.region(fleet)
    template = used_template(program, fleet, _CONFIGS, _CONFIGS)
    for market, count in shares.items():
        if count == 0:
            continue
        yield classified(
            NodePool(
                urn=fleet.urn,
                name=fleet.name,
                cloud="aws",
                region=region,
                machines=tuple(machine for machine, _ in choices) or Unknown(_CONFIGS, "not given"),
                market=market,
                nodes=NodeCount(minimum=count, desired=count, maximum=count),
                image=Image(kind="CUSTOM", driver=None, path=_CONFIGS),
                root_disk_gib=template.disk_gib if template else None,
                root_disk_kind=template.disk_kind if template else None,
                paths={"machines": choices[0][1] if choices else _CONFIGS, "maximum": _TARGET},
            )
        )
    for machine, path in choices:
        yield MachineChoice(urn=fleet.urn, cloud="aws", region=region, machine=machine, path=path)
