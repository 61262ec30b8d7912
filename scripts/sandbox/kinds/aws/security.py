"""Security groups and their rules, in all three spellings that pulumi-aws has for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import not_found, require_vpc
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_EC2 = "EC2 API reference, client error codes"
_RULE_KINDS = (t.INGRESS_RULE, t.EGRESS_RULE, t.SECURITY_GROUP_RULE)


def _admit_group(order: Order) -> None:
    vpc = require_vpc(order) if order.inputs.get("vpcId") else None
    name = order.text("name")
    for other in order.peers():
        if vpc and other.state.get("vpcId") == vpc.id and other.state.get("name") == name:
            raise Refusal("InvalidGroup.Duplicate", f"The security group '{name}' already exists for VPC '{vpc.id}'", source=_EC2)
    if name.startswith("sg-"):
        raise Refusal("InvalidParameterValue", "a security group's name cannot begin with 'sg-'", source=_EC2)


def _group_outputs(order: Order, id_: str) -> dict[str, Any]:
    return {
        "arn": order.arn("ec2", f"security-group/{id_}"),
        "ownerId": order.account,
        "description": order.text("description", "Managed by Pulumi"),
        "ingress": order.inputs.get("ingress", []),
        "egress": order.inputs.get("egress", []),
        "revokeRulesOnDelete": order.inputs.get("revokeRulesOnDelete", False),
    }


def _group_releases(world: Simulation, group: Record) -> None:
    for interface in world.store.of_kind(t.NETWORK_INTERFACE, group.key):
        if group.id in interface.state.get("securityGroups", ()):
            raise _in_use(group, f"network interface {interface.id}")
    for kind in _RULE_KINDS:
        for rule in world.store.of_kind(kind, group.key):
            if rule.state.get("securityGroupId") != group.id and _peer(rule.state) == group.id:
                raise _in_use(group, f"a rule of {rule.state.get('securityGroupId')}")


def _in_use(group: Record, by: str) -> Refusal:
    return Refusal(
        "DependencyViolation",
        f"resource {group.id} has a dependent object: {by}",
        source="K5: terraform-aws-eks#2048",
    )


def _drop_rules(world: Simulation, group: Record) -> None:
    for kind in _RULE_KINDS:
        for rule in world.store.of_kind(kind, group.key):
            if rule.state.get("securityGroupId") == group.id:
                world.store.drop(rule)


def _peer(rule: Mapping[str, Any]) -> object:
    return rule.get("referencedSecurityGroupId") or rule.get("sourceSecurityGroupId") or (rule.get("self") and rule.get("securityGroupId"))


def _admit_rule(order: Order) -> None:
    for name in ("securityGroupId", "referencedSecurityGroupId", "sourceSecurityGroupId"):
        id_ = order.inputs.get(name)
        if (id_ or name == "securityGroupId") and order.get(t.SECURITY_GROUP, id_) is None:
            raise not_found("InvalidGroup.NotFound", "security group", id_)
    protocol = str(order.inputs.get("ipProtocol", order.inputs.get("protocol", "")))
    if protocol == "-1" and order.token != t.SECURITY_GROUP_RULE and (order.inputs.get("fromPort") or order.inputs.get("toPort")):
        raise Refusal(
            "InvalidParameterValue",
            "you may not specify ports with protocol -1 (all)",
            source="Terraform AWS provider, vpc_security_group_ingress_rule.go: from_port and to_port are not valid with ip_protocol -1",
        )
    _refuse_duplicate(order)


def _refuse_duplicate(order: Order) -> None:
    mine = _fingerprint(order.token, order.inputs)
    for kind in _RULE_KINDS:
        for other in order.peers(kind):
            if _fingerprint(kind, other.state) == mine:
                raise Refusal(
                    "InvalidPermission.Duplicate",
                    f"the specified rule already exists in {order.text('securityGroupId')} ({other.id})",
                    source=_EC2,
                )


def _fingerprint(kind: str, rule: Mapping[str, Any]) -> tuple[object, ...]:
    direction = rule.get("type") if kind == t.SECURITY_GROUP_RULE else "ingress" if kind == t.INGRESS_RULE else "egress"
    blocks = rule.get("cidrBlocks")
    block = rule.get("cidrIpv4") or (tuple(blocks) if isinstance(blocks, list | tuple) and len(blocks) != 1 else (blocks or [None])[0])
    protocol = str(rule.get("ipProtocol", rule.get("protocol", "")))
    ports = (None, None) if protocol == "-1" else (rule.get("fromPort"), rule.get("toPort"))
    return (rule.get("securityGroupId"), direction, protocol, ports, _peer(rule), block, rule.get("cidrIpv6"), rule.get("prefixListId"))


def _rule_outputs(order: Order, id_: str) -> dict[str, Any]:
    if order.token == t.SECURITY_GROUP_RULE:
        return {"securityGroupRuleId": id_.replace("sgrule", "sgr"), "self": order.inputs.get("self", False)}
    return {"arn": order.arn("ec2", f"security-group-rule/{id_}"), "securityGroupRuleId": id_}


def permissions(world: Simulation, group: Record, direction: str) -> list[dict[str, Any]]:
    """The rules of a group in one direction (`ingress` or `egress`), inline and separate ones, in the spelling of the EC2 API."""
    found = [_permission(rule) for rule in group.state.get(direction, ()) or ()]
    for kind in _RULE_KINDS:
        found += [
            _permission(rule.state, group.id)
            for rule in world.store.of_kind(kind, group.key)
            if rule.state.get("securityGroupId") == group.id and _fingerprint(kind, rule.state)[1] == direction
        ]
    return found


def revoke(world: Simulation, group: Record, direction: str, peers: set[str]) -> None:
    """Drop the group's separate rules in one direction that name one of `peers`."""
    with world.store.transaction():
        for kind in _RULE_KINDS:
            for rule in world.store.of_kind(kind, group.key):
                mine = rule.state.get("securityGroupId") == group.id and _fingerprint(kind, rule.state)[1] == direction
                if mine and _peer(rule.state) in peers:
                    world.store.drop(rule)


def _permission(rule: Mapping[str, Any], group_id: str = "") -> dict[str, Any]:
    protocol = str(rule.get("ipProtocol", rule.get("protocol", "-1")))
    peers = [_peer(rule), *rule.get("securityGroups", ())]
    blocks = [rule.get("cidrIpv4"), *(rule.get("cidrBlocks") or ())]
    ports = {} if protocol == "-1" else {"FromPort": rule.get("fromPort"), "ToPort": rule.get("toPort")}
    return {
        "IpProtocol": protocol,
        **ports,
        "UserIdGroupPairs": [{"GroupId": peer if isinstance(peer, str) else group_id} for peer in peers if peer],
        "IpRanges": [{"CidrIp": block} for block in blocks if block],
        "Ipv6Ranges": [{"CidrIpv6": rule["cidrIpv6"]}] if rule.get("cidrIpv6") else [],
        "PrefixListIds": [{"PrefixListId": rule["prefixListId"]}] if rule.get("prefixListId") else [],
    }


_RULE_REPLACE = frozenset({"securityGroupId"})
KINDS = (
    Kind(
        token=t.SECURITY_GROUP,
        replace=frozenset({"name", "namePrefix", "description", "vpcId"}),
        auto_name="name",
        identify=lambda order: order.world.new_id("sg"),
        admit=_admit_group,
        outputs=_group_outputs,
        releases=_group_releases,
        deleted=_drop_rules,
    ),
    *(
        Kind(token=token, replace=_RULE_REPLACE, identify=lambda order: order.world.new_id("sgr"), admit=_admit_rule, outputs=_rule_outputs)
        for token in (t.INGRESS_RULE, t.EGRESS_RULE)
    ),
    Kind(
        token=t.SECURITY_GROUP_RULE,
        replace=frozenset(
            {
                "securityGroupId",
                "type",
                "fromPort",
                "toPort",
                "protocol",
                "cidrBlocks",
                "ipv6CidrBlocks",
                "prefixListIds",
                "self",
                "sourceSecurityGroupId",
            }
        ),
        identify=lambda order: order.world.new_id("sgrule"),
        admit=_admit_rule,
        outputs=_rule_outputs,
    ),
)
