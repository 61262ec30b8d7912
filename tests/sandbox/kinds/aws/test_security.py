from __future__ import annotations

import pytest

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.security import permissions
from scripts.sandbox.store import Record
from tests.sandbox.cloud import Cloud
from tests.sandbox.kinds.aws.test_network import refused


def group(cloud: Cloud, vpc: Record, **changes: object) -> Record:
    return cloud.make(t.SECURITY_GROUP, vpcId=vpc.id, **changes)


def test_names_are_unique_in_a_network_and_never_look_like_an_id(cloud: Cloud):
    vpc = cloud.vpc()
    group(cloud, vpc, name="efa")
    with refused("InvalidGroup.Duplicate"):
        group(cloud, vpc, name="efa")
    assert group(cloud, cloud.vpc(), name="efa")
    with refused("InvalidParameterValue"):
        group(cloud, vpc, name="sg-mine")


def test_the_same_rule_twice_is_refused_in_every_spelling(cloud: Cloud):
    vpc = cloud.vpc()
    efa = group(cloud, vpc)
    cloud.make(t.EGRESS_RULE, securityGroupId=efa.id, ipProtocol="-1", referencedSecurityGroupId=efa.id)
    cloud.make(t.INGRESS_RULE, securityGroupId=efa.id, ipProtocol="-1", referencedSecurityGroupId=efa.id)
    with refused("InvalidPermission.Duplicate"):
        cloud.make(t.EGRESS_RULE, securityGroupId=efa.id, ipProtocol="-1", referencedSecurityGroupId=efa.id)
    with refused("InvalidPermission.Duplicate"):
        cloud.make(
            t.SECURITY_GROUP_RULE, securityGroupId=efa.id, type="egress", protocol="-1", fromPort=0, toPort=0, sourceSecurityGroupId=efa.id
        )


def test_ports_do_not_go_with_all_protocols(cloud: Cloud):
    efa = group(cloud, cloud.vpc())
    with refused("InvalidParameterValue"):
        cloud.make(t.EGRESS_RULE, securityGroupId=efa.id, ipProtocol="-1", fromPort=1, toPort=2, cidrIpv4="0.0.0.0/0")


def test_a_rule_for_a_group_that_is_not_there_is_refused(cloud: Cloud):
    efa = group(cloud, cloud.vpc())
    with refused("InvalidGroup.NotFound"):
        cloud.make(t.INGRESS_RULE, securityGroupId=efa.id, ipProtocol="-1", referencedSecurityGroupId="sg-none")


def test_the_api_shows_inline_and_separate_rules_alike(cloud: Cloud):
    vpc = cloud.vpc()
    efa = group(cloud, vpc, egress=[{"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": ["0.0.0.0/0"]}])
    cloud.make(t.EGRESS_RULE, securityGroupId=efa.id, ipProtocol="-1", referencedSecurityGroupId=efa.id)
    shown = permissions(cloud.world, efa, "egress")
    assert [r["CidrIp"] for p in shown for r in p["IpRanges"]] == ["0.0.0.0/0"]
    assert [g["GroupId"] for p in shown for g in p["UserIdGroupPairs"]] == [efa.id]


@pytest.mark.failure("K5")
def test_a_group_that_another_group_names_cannot_be_deleted_and_one_that_only_names_itself_can(cloud: Cloud):
    vpc = cloud.vpc()
    one, other = group(cloud, vpc), group(cloud, vpc)
    cloud.make(t.INGRESS_RULE, securityGroupId=one.id, ipProtocol="-1", referencedSecurityGroupId=one.id)
    rule = cloud.make(t.INGRESS_RULE, securityGroupId=other.id, ipProtocol="-1", referencedSecurityGroupId=one.id)
    with refused("DependencyViolation"):
        cloud.delete(one)
    cloud.delete(rule)
    cloud.delete(one)
    assert not cloud.all(t.INGRESS_RULE)
