"""GPU-EFA-01: security groups through which EFA traffic passes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from components.inventory import Interface, Interfaces, SecurityGroup
from components.resource import name_of
from components.unknown import Maybe, Unknown, known
from policies.finding import Status
from policies.readers.values import OUTSIDE, all_of, any_of

from .efa_layouts import EFA_KINDS, layouts
from .rule import Case, Rule, Scope, Verdict, cannot_tell, listed

Way = Literal["ingress", "egress"]
_WAYS: tuple[Way, ...] = ("ingress", "egress")


def _closed_groups(case: Case) -> Iterator[Verdict]:
    groups = {group.urn: group for group in case.inventory.security_groups}
    so = "it cannot be told whether EFA traffic passes its security group"
    for found in layouts(case, so):
        if isinstance(found, Verdict):
            yield found
            continue
        layout, items = found
        claims = [(i, _open_to_itself(i, groups)) for i in items if i.kind in EFA_KINDS]
        closed = [i for i, claim in claims if known(claim) and not claim]
        if closed:
            yield _closed(layout, closed, groups)
        unknown = next((claim for _, claim in claims if isinstance(claim, Unknown)), None)
        if unknown is not None:
            yield cannot_tell(layout.urn, unknown, subject=name_of(layout.urn), so=so)


def _open_to_itself(interface: Interface, groups: dict[str, SecurityGroup]) -> Maybe[bool]:
    """Whether the interface's groups let all protocols in from one of them and out to one of them."""
    if isinstance(interface.groups, Unknown):
        return interface.groups
    own = interface.groups
    return all_of(any_of(_open(group, own, way, groups) for group in own) for way in _WAYS)


def _open(group: Maybe[str], own: tuple[Maybe[str], ...], way: Way, groups: dict[str, SecurityGroup]) -> Maybe[bool]:
    """Whether `group` lets everything pass one way between itself and the groups `own` of its interface, which include it."""
    if isinstance(group, Unknown):
        return group
    found = groups.get(group)
    if found is None:
        return Unknown("securityGroups", f"{group}, whose rules are {OUTSIDE}")
    itself, others = (found.ingress_from_self, found.ingress_from) if way == "ingress" else (found.egress_to_self, found.egress_to)
    return any_of([itself, *(other if isinstance(other, Unknown) else other in own for other in others)])


def _closed(layout: Interfaces, closed: list[Interface], groups: dict[str, SecurityGroup]) -> Verdict:
    named = dict.fromkeys(g for i in closed if not isinstance(i.groups, Unknown) for g in i.groups if known(g))
    where, at = name_of(layout.urn), listed(i.path or name_of(layout.urn) for i in closed)
    why = "EFA matches only rules that name a group, not 0.0.0.0/0: without them NCCL stops with error 4126 while TCP still works"
    if not named:
        text = f"{where}: no security group on the EFA interface at {at}. {why}. "
        text += "List a group with an ingress and an egress rule, protocol -1, to itself."
        return Verdict(status=Status.VIOLATED, urn=layout.urn, path=f"{closed[0].path}.securityGroups".removeprefix("."), message=text)
    group = groups[next(iter(named))]
    own = closed[0].groups if known(closed[0].groups) else ()
    missing = [way for way in _WAYS if any_of(_open(g, own, way, groups) for g in own) is False]
    rules = " and ".join(_rule(way) for way in missing)
    text = (
        f"{where}: security group {listed(map(name_of, named))} has no all-protocol {rules}, but serves the EFA interface at {at}. {why}. "
    )
    text += f"Add to {group.name} with protocol -1: {' and '.join(_rule(way) for way in missing)}."
    return Verdict(status=Status.VIOLATED, urn=group.urn, path=missing[-1], message=text)


def _rule(way: str) -> str:
    return f"{way} rule {'from' if way == 'ingress' else 'to'} itself"


RULES = (
    Rule(
        id="GPU-EFA-01",
        title="EFA interfaces have a security group that is open to itself",
        failures=("A1",),
        scope=Scope.STACK,
        check=_closed_groups,
        fix="one group on every EFA interface, ingress and egress with protocol -1 and itself as source and destination",
    ),
)
