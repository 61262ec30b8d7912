"""Security groups with their rules in every form: inline, `SecurityGroupRule`, and the newer one resource a rule.

What matters for EFA (A1) is traffic of all protocols between the group and itself, named by the group: a rule to 0.0.0.0/0 does not
match EFA traffic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from components.inventory import SecurityGroup
from components.resource import Resource, Value
from components.unknown import Maybe, Unknown, known
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import OUTSIDE, all_of, any_of, flag, items

Direction = Literal["ingress", "egress"]
ALL_PROTOCOLS = ("-1", "all", -1)


@dataclass(frozen=True)
class _Rule:
    """One rule that is a resource of its own."""

    direction: Maybe[str]
    owner: Maybe[str]
    """URN of the planned group that it belongs to, or id of an existing one."""
    everything: Maybe[bool]
    """Whether it is about all protocols."""
    itself: Maybe[bool]
    """Whether its group is the other side too."""
    other: Maybe[str | None]
    """The group on the other side; None where the rule names none."""

    def claim(self, direction: Direction) -> Maybe[bool]:
        """Whether it lets everything pass between its group and itself."""
        return all_of([self._holds(direction), self.itself])

    def peers(self, direction: Direction) -> tuple[Maybe[str], ...]:
        """The group, other than its own, with which it lets everything pass."""
        holds = self._holds(direction)
        if self.other is None or (known(holds) and not holds):
            return ()
        return (holds if isinstance(holds, Unknown) else self.other,)

    def _holds(self, direction: Direction) -> Maybe[bool]:
        same = self.direction if isinstance(self.direction, Unknown) else self.direction == direction
        owned = self.owner if isinstance(self.owner, Unknown) else True
        return all_of([same, owned, self.everything])


def read_group(group: Resource, program: Program) -> Iterator[SecurityGroup]:
    rules = _rules_of(group.urn, program)
    yield SecurityGroup(
        urn=group.urn,
        name=group.name,
        ingress_from_self=any_of([*_inline(group, "ingress"), *(rule.claim("ingress") for rule in rules)]),
        egress_to_self=any_of([*_inline(group, "egress"), *(rule.claim("egress") for rule in rules)]),
        ingress_from=(*_inline_peers(group, "ingress", program), *_peers(rules, "ingress")),
        egress_to=(*_inline_peers(group, "egress", program), *_peers(rules, "egress")),
    )


def read_existing_groups(program: Program) -> Iterator[SecurityGroup]:
    """Groups outside the program to which it adds rules. Their other rules cannot be seen, so nothing is ever known to be missing."""
    for owner in program.once(_rules):
        if owner is not None and owner not in program.resources.by_urn:
            hidden = Unknown("rules", f"those of {owner}, {OUTSIDE}")
            rules = _rules_of(owner, program)
            yield SecurityGroup(
                urn=owner,
                name=owner,
                ingress_from_self=any_of([*(rule.claim("ingress") for rule in rules), hidden]),
                egress_to_self=any_of([*(rule.claim("egress") for rule in rules), hidden]),
                ingress_from=_peers(rules, "ingress"),
                egress_to=_peers(rules, "egress"),
            )


def _peers(rules: Iterable[_Rule], direction: Direction) -> tuple[Maybe[str], ...]:
    return tuple(peer for rule in rules for peer in rule.peers(direction))


def _rules_of(group: str, program: Program) -> list[_Rule]:
    """Rules of `group`, with those whose group is not known: they may be its own."""
    rules = program.once(_rules)
    return [*rules.get(group, ()), *rules.get(None, ())]


def _rules(program: Program) -> dict[str | None, list[_Rule]]:
    """Every rule resource, by its group; None for those whose group is not known."""
    found: dict[str | None, list[_Rule]] = {}
    for rule in program.resources.of_type(*types.GROUP_RULES):
        owner = program.reference(rule, "securityGroupId", rule.read("securityGroupId"), *types.SECURITY_GROUPS)
        everything = _all_protocols(_protocol(rule))
        read = _Rule(_direction(rule), owner, everything, _to_itself(rule, owner, program), _other_side(rule, program))
        found.setdefault(owner if known(owner) else None, []).append(read)
    return found


def _inline(group: Resource, direction: Direction) -> Iterator[Maybe[bool]]:
    rules = items(group.read(direction), direction)
    if isinstance(rules, Unknown):
        yield rules
        return
    for i in range(len(rules)):
        path = f"{direction}[{i}]"
        named = items(group.read(direction, i, "securityGroups"), f"{path}.securityGroups")
        itself = named if isinstance(named, Unknown) else any(entry == group.id for entry in named if isinstance(entry, str))
        to_itself = any_of([_is_set(group.read(direction, i, "self"), path), itself])
        yield all_of([_all_protocols(group.read(direction, i, "protocol")), to_itself])


def _inline_peers(group: Resource, direction: Direction, program: Program) -> Iterator[Maybe[str]]:
    """Groups that the group's own rules of all protocols name. Rules that cannot be counted are unknown to `_inline` already."""
    rules = items(group.read(direction), direction)
    for i in range(len(rules) if known(rules) else 0):
        named = items(group.read(direction, i, "securityGroups"), f"{direction}[{i}].securityGroups")
        everything = _all_protocols(group.read(direction, i, "protocol"))
        if isinstance(everything, Unknown):
            yield everything
        elif everything and known(named):
            path = f"{direction}[{i}].securityGroups"
            yield from program.references(group, direction, named, path, *types.SECURITY_GROUPS)


def _direction(rule: Resource) -> Maybe[str]:
    if rule.type == types.SECURITY_GROUP_RULE:
        return rule.read("type")
    return "ingress" if rule.type == types.INGRESS_RULE else "egress"


def _protocol(rule: Resource) -> Value:
    return rule.read("protocol" if rule.type == types.SECURITY_GROUP_RULE else "ipProtocol")


def _other_side(rule: Resource, program: Program) -> Maybe[str | None]:
    prop = "sourceSecurityGroupId" if rule.type == types.SECURITY_GROUP_RULE else "referencedSecurityGroupId"
    return None if rule.read(prop) is None else program.reference(rule, prop, rule.read(prop), *types.SECURITY_GROUPS)


def _to_itself(rule: Resource, owner: Maybe[str], program: Program) -> Maybe[bool]:
    other = _other_side(rule, program)
    if other is None:
        return _is_set(rule.read("self"), "self")
    return other if isinstance(other, Unknown) else owner if isinstance(owner, Unknown) else other == owner


def _all_protocols(value: Value) -> Maybe[bool]:
    return value if isinstance(value, Unknown) else value in ALL_PROTOCOLS


def _is_set(value: Value, path: str) -> Maybe[bool]:
    found = flag(value, f"{path}.self")
    return False if found is None else found
