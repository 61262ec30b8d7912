"""What a VPC lets in: its own firewall rules, and network firewall policies that are attached to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from components.inventory import FirewallRule
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import gcp_types
from policies.readers.program import Program
from policies.readers.values import OUTSIDE, all_of, any_of, given

from .parts import Part
from .references import reference

_NUMBERS = {"6": "tcp", "17": "udp"}
"""Protocols by number, as Compute Engine takes them too (IANA)."""
_FIRST, _LAST = 1, 65535
_ALL = "all"


def read_firewall(firewall: Resource, program: Program) -> Iterator[FirewallRule]:
    """Ingress rules that are on. Others let nothing in."""
    part = Part(firewall)
    if part.text("direction") == "EGRESS" or part.on("disabled") is True:
        return
    named = reference(program, firewall, "network", firewall.read("network"), "network", gcp_types.NETWORK)
    sources = part.items("sourceRanges")
    yield FirewallRule(
        urn=firewall.urn,
        network=given(named, "network", "not given"),
        allows_all=all_of([*_told(part), _allows_all(part.each("allows"), "protocol")]),
        sources=sources if isinstance(sources, Unknown) else _texts(part, len(sources)),
    )


def read_policy_association(association: Resource, program: Program) -> Iterator[FirewallRule]:
    """The rules of a network firewall policy hold for each VPC to which it is attached."""
    target = reference(
        program, association, "attachmentTarget", association.read("attachmentTarget"), "attachmentTarget", gcp_types.NETWORK
    )
    policy = _policy(association, program)
    yield FirewallRule(
        urn=association.urn,
        network=given(target, "attachmentTarget", "not given"),
        allows_all=policy if isinstance(policy, Unknown) else any_of(_of_policy(policy, program)),
        sources=(),
    )


def _policy(resource: Resource, program: Program) -> Maybe[str]:
    prop = "firewallPolicy"
    named = reference(program, resource, prop, resource.read(prop), prop, *gcp_types.FIREWALL_POLICIES)
    return given(named, prop, "not given")


def _of_policy(policy: str, program: Program) -> Iterator[Maybe[bool]]:
    """What each rule of the policy allows; unknown where the policy is not this program's."""
    planned = program.resources.by_urn.get(policy)
    if planned is None:
        yield Unknown("firewallPolicy", f"a network firewall policy {OUTSIDE}")
        return
    inside = Part(planned).each("rules")
    if isinstance(inside, Unknown):
        yield inside
        return
    strays = program.once(_policy_rules)
    for rule in (*inside, *strays.get(policy, ()), *strays.get(None, ())):
        yield _policy_allows(rule)


def _policy_rules(program: Program) -> Mapping[str | None, Sequence[Part]]:
    """Rules that are resources of their own, by their policy; under None those of which it cannot be told."""
    found: dict[str | None, list[Part]] = {}
    for rule in program.resources.of_type(*gcp_types.FIREWALL_POLICY_RULES):
        policy = _policy(rule, program)
        found.setdefault(policy if isinstance(policy, str) else None, []).append(Part(rule))
    return found


def _policy_allows(rule: Part) -> Maybe[bool]:
    action = rule.text("action")
    if rule.text("direction") == "EGRESS" or rule.on("disabled") is True:
        return False
    allows = action if isinstance(action, Unknown) else action == "allow"
    return all_of([allows, *_told(rule), _allows_all(rule.each("match", "layer4Configs"), "ipProtocol")])


def _told(rule: Part) -> tuple[Maybe[bool], Maybe[bool]]:
    """That its direction and its switch can be told: what they say was asked before."""
    direction, disabled = rule.text("direction"), rule.on("disabled")
    return (direction if isinstance(direction, Unknown) else True, disabled if isinstance(disabled, Unknown) else True)


def _texts(part: Part, count: int) -> tuple[Maybe[str], ...]:
    found = [(part.text("sourceRanges", i), part.path("sourceRanges", i)) for i in range(count)]
    return tuple(given(source, path, "not given") for source, path in found)


def _allows_all(listed: Maybe[tuple[Part, ...]], protocol: str) -> Maybe[bool]:
    """Whether the entries together let in every port of TCP and UDP. `protocol` is the key of an entry's protocol."""
    if isinstance(listed, Unknown):
        return listed
    return any_of([_whole(listed, protocol, _ALL), all_of([_whole(listed, protocol, "tcp"), _whole(listed, protocol, "udp")])])


def _whole(listed: Iterable[Part], key: str, protocol: str) -> Maybe[bool]:
    """Whether one entry lets in all ports of `protocol`."""
    return any_of([_all_ports(allow, key, protocol) for allow in listed])


def _all_ports(allow: Part, key: str, protocol: str) -> Maybe[bool]:
    named, ports = allow.text(key), allow.items("ports")
    if isinstance(named, Unknown):
        return named
    if _NUMBERS.get(named or "", (named or "").casefold()) != protocol:
        return False
    if isinstance(ports, Unknown):
        return ports
    if protocol == _ALL:
        return not ports  # Compute Engine refuses ports beside it
    return not ports or any_of([_every_port(allow.text("ports", i)) for i in range(len(ports))])


def _every_port(written: Maybe[str | None]) -> Maybe[bool]:
    """`0-65535` and `1-65535` are every port; Compute Engine takes both."""
    if isinstance(written, Unknown) or written is None:
        return False if written is None else written
    low, _, high = written.partition("-")
    return low.strip().isdecimal() and high.strip().isdecimal() and int(low) <= _FIRST and int(high) >= _LAST
