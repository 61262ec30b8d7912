"""Network security groups: rules inside the group's resource, and rules that are resources of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from components.inventory import SubnetGuard
from components.resource import Resource, Value, read
from components.unknown import Maybe, Unknown
from policies.readers import azure_types as types
from policies.readers.program import Program
from policies.readers.values import items, text, whole

from .references import meant

_EVERYONE = frozenset({"*", "internet", "0.0.0.0/0", "any"})
_NODES = frozenset({"*", "virtualnetwork", "any"})
"""Sources that nodes of the same network belong to."""
_ALL_PORTS = frozenset({"*", "0-65535"})


@dataclass(frozen=True)
class _Rule:
    priority: int
    allows: bool
    protocol: str
    sources: frozenset[str]
    ports: frozenset[str]

    @property
    def of_everything(self) -> bool:
        """All protocols and ports, from the network's own nodes among others."""
        return self.protocol == "*" and bool(self.ports & _ALL_PORTS) and bool(self.sources & _NODES)


def read_guard(group: Resource, program: Program) -> Iterator[SubnetGuard]:
    rules = _rules(group, program)
    unknown = next((rule for rule in rules if isinstance(rule, Unknown)), None)
    inbound = sorted((rule for rule in rules if isinstance(rule, _Rule)), key=lambda rule: rule.priority)
    yield SubnetGuard(
        urn=group.urn,
        name=group.name,
        closes_nodes=_closes(inbound) if unknown is None else unknown,
        opens_to_all=_opened(inbound) if unknown is None else unknown,
    )


def _closes(inbound: Sequence[_Rule]) -> bool:
    """The first rule for everything decides; without one, Azure's own rule lets nodes of a network reach each other."""
    return next((not rule.allows for rule in inbound if rule.of_everything), False)


def _opened(inbound: Sequence[_Rule]) -> frozenset[str]:
    return frozenset(port for rule in inbound if rule.allows and rule.sources & _EVERYONE for port in rule.ports)


def _rules(group: Resource, program: Program) -> list[Maybe[_Rule | None]]:
    listed = items(group.read("securityRules"), "securityRules")
    if isinstance(listed, Unknown):
        return [listed]
    inside = [_rule(group.read("securityRules", i), f"securityRules[{i}]") for i in range(len(listed))]
    apart = program.once(_apart)
    return [*inside, *apart.get(group.urn, ()), *apart.get(None, ())]


def _apart(program: Program) -> dict[str | None, list[Maybe[_Rule | None]]]:
    """Rules of their own, by their group; under None those that may belong to any."""
    found: dict[str | None, list[Maybe[_Rule | None]]] = {}
    for rule in program.resources.of_type(types.GUARD_RULE):
        prop = "networkSecurityGroupName"
        group = meant(program, rule, prop, rule.read(prop), types.GUARD)
        if isinstance(group, Unknown):
            found.setdefault(None, []).append(group)
        else:
            found.setdefault(group, []).append(_rule(rule.inputs, rule.name))
    return found


def _rule(value: Value, path: str) -> Maybe[_Rule | None]:
    """None for outbound rules. Anything that cannot be read makes the rule unknown."""
    direction, access, protocol = (text(read(value, key), f"{path}.{key}") for key in ("direction", "access", "protocol"))
    if isinstance(direction, str) and direction.casefold() == "outbound":
        return None
    priority = whole(read(value, "priority"), f"{path}.priority")
    sources = _words(value, path, "sourceAddressPrefix", "sourceAddressPrefixes")
    ports = _words(value, path, "destinationPortRange", "destinationPortRanges")
    parts = (direction, access, protocol, priority, sources, ports)
    unknown = next((part for part in parts if isinstance(part, Unknown)), None)
    if unknown is not None:
        return unknown
    if not isinstance(access, str) or not isinstance(priority, int) or isinstance(sources, Unknown) or isinstance(ports, Unknown):
        return Unknown(path, "not readable: without access or priority")
    return _Rule(priority, access.casefold() == "allow", str(protocol or "*"), sources, ports)


def _words(value: Value, path: str, one: str, several: str) -> Maybe[frozenset[str]]:
    """What stands in either of two properties, one for a single value and one for a list."""
    single, listed = text(read(value, one), f"{path}.{one}"), items(read(value, several), f"{path}.{several}")
    if isinstance(single, Unknown) or isinstance(listed, Unknown):
        return next(fact for fact in (single, listed) if isinstance(fact, Unknown))
    plain = [entry for entry in listed if isinstance(entry, str)]
    if len(plain) < len(listed):
        return Unknown(f"{path}.{several}")
    return frozenset(word.casefold() for word in (*plain, *([single] if single else [])))
