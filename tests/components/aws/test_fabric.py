from __future__ import annotations

import pytest

from components.resource import ResourceSet

from .specs import built, inference, only, training

GROUP = "aws:ec2/securityGroup:SecurityGroup"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training())


@pytest.mark.failure("A1")
@pytest.mark.parametrize("direction", [INGRESS, EGRESS])
def test_the_efa_group_lets_all_protocols_pass_between_its_own_members(made: ResourceSet, direction: str) -> None:
    group, rule = only(made, GROUP), only(made, direction)
    assert rule.inputs["ipProtocol"] == "-1"
    assert rule.property_dependencies["securityGroupId"] == (group.urn,)
    assert rule.property_dependencies["referencedSecurityGroupId"] == (group.urn,)


@pytest.mark.failure("A1")
def test_the_efa_group_is_not_opened_to_anyone_else(made: ResourceSet) -> None:
    rules = [*made.of_type(INGRESS), *made.of_type(EGRESS)]
    assert len(rules) == 2
    assert not any("cidrIpv4" in rule.inputs for rule in rules)
    assert not {"ingress", "egress"} & set(only(made, GROUP).inputs)


@pytest.mark.failure("A1")
def test_every_interface_of_an_efa_pool_is_in_that_group_and_the_clusters(made: ResourceSet) -> None:
    template = only(made, "aws:ec2/launchTemplate:LaunchTemplate", "a100")
    assert [len(i["securityGroups"]) for i in template.inputs["networkInterfaces"]] == [2] * 5
    names = {made.by_urn[u].type for u in template.property_dependencies["networkInterfaces"]}
    assert names == {GROUP, "aws:eks/cluster:Cluster"}


def test_pools_share_one_group() -> None:
    two = training()
    pools = (*two.pools, two.pools[0].model_copy(update={"name": "more"}))
    assert len(built(two.model_copy(update={"pools": pools})).of_type(GROUP)) == 1


def test_clusters_without_efa_have_no_group() -> None:
    assert built(inference()).of_type(GROUP) == ()
    assert built(training({"pools": {"fabric": "none"}})).of_type(GROUP) == ()
