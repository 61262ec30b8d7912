"""Security groups with their rules in every form: inline, `SecurityGroupRule`, and the newer one resource a rule.

What matters for EFA (A1) is traffic of all protocols between the group and itself, named by the group: a rule to 0.0.0.0/0 does not
match EFA traffic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from components.inventory import SecurityGroup
from components.resource import Resource, Value
from components.unknown import Maybe, Unknown, known
from policies.readers import types
from policies.readers.program import Program
from policies.readers.values import all_of, any_of, flag, items

Direction = Literal["ingress", "egress"]
ALL_PROTOCOLS = ("-1", "all", -1)
_RULE_TYPES = (types.SECURITY_GROUP_RULE, types.INGRESS_RULE, types.EGRESS_RULE)


def read_group(group: Resource, program: Program) -> Iterator[SecurityGroup]:
    yield SecurityGroup(
        urn=group.urn,
        name=group.name,
        ingress_from_self=any_of([*_inline(group, "ingress"), *_separate(group.urn, "ingress", program)]),
        egress_to_self=any_of([*_inline(group, "egress"), *_separate(group.urn, "egress", program)]),
    )


def read_existing_groups(program: Program) -> Iterator[SecurityGroup]:
    """Groups outside the program to which it adds rules. Their other rules cannot be seen, so nothing is ever known to be missing."""
    owners = dict.fromkeys(_owner(rule, program) for rule in program.resources.of_type(*_RULE_TYPES))
    for owner in owners:
        if known(owner) and owner not in program.resources.by_urn:
            hidden = Unknown("rules", f"those of {owner}, which is not in this program")
            yield SecurityGroup(
                urn=owner,
                name=owner,
                ingress_from_self=any_of([*_separate(owner, "ingress", program), hidden]),
                egress_to_self=any_of([*_separate(owner, "egress", program), hidden]),
            )


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


def _separate(group: str, direction: Direction, program: Program) -> Iterator[Maybe[bool]]:
    for rule in program.resources.of_type(*_RULE_TYPES):
        goes = _direction(rule)
        way = goes if isinstance(goes, Unknown) else goes == direction
        if known(way) and not way:
            continue
        yield all_of([way, _same(_owner(rule, program), group), _all_protocols(_protocol(rule)), _to_itself(rule, group, program)])


def _direction(rule: Resource) -> Maybe[str]:
    if rule.type == types.SECURITY_GROUP_RULE:
        return rule.read("type")
    return "ingress" if rule.type == types.INGRESS_RULE else "egress"


def _owner(rule: Resource, program: Program) -> Maybe[str]:
    return program.reference(rule, "securityGroupId", rule.read("securityGroupId"), types.SECURITY_GROUP)


def _protocol(rule: Resource) -> Value:
    return rule.read("protocol" if rule.type == types.SECURITY_GROUP_RULE else "ipProtocol")


def _to_itself(rule: Resource, group: str, program: Program) -> Maybe[bool]:
    prop = "sourceSecurityGroupId" if rule.type == types.SECURITY_GROUP_RULE else "referencedSecurityGroupId"
    if rule.read(prop) is None:
        return _is_set(rule.read("self"), "self")
    return _same(program.reference(rule, prop, rule.read(prop), types.SECURITY_GROUP), group)


def _same(reference: Maybe[str], group: str) -> Maybe[bool]:
    return reference if isinstance(reference, Unknown) else reference == group


def _all_protocols(value: Value) -> Maybe[bool]:
    return value if isinstance(value, Unknown) else value in ALL_PROTOCOLS


def _is_set(value: Value, path: str) -> Maybe[bool]:
    found = flag(value, f"{path}.self")
    return False if found is None else found
