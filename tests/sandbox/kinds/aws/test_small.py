from __future__ import annotations

from scripts.sandbox.kinds.aws import tokens as t
from tests.sandbox.cloud import TRUST, Cloud
from tests.sandbox.kinds.aws.test_network import refused

WORKER = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"


def test_roles_are_unique_in_the_account_and_their_trust_is_a_policy(cloud: Cloud):
    cloud.role(name="nodes")
    with refused("EntityAlreadyExists"):
        cloud.role(name="nodes")
    with refused("MalformedPolicyDocument"):
        cloud.role(assumeRolePolicy="{")
    with refused("ValidationError"):
        cloud.role(name="n" * 65)


def test_a_role_waits_for_its_policies_unless_it_is_told_to_let_go(cloud: Cloud):
    role = cloud.role(name="nodes")
    attached = cloud.make(t.ROLE_ATTACHMENT, role="nodes", policyArn=WORKER)
    with refused("DeleteConflict"):
        cloud.delete(role)
    cloud.delete(attached)
    cloud.delete(role)
    assert not cloud.there(role)
    loose = cloud.make(t.ROLE, name="loose", assumeRolePolicy=TRUST, forceDetachPolicies=True)
    cloud.make(t.ROLE_ATTACHMENT, role="loose", policyArn=WORKER)
    cloud.delete(loose)
    assert not cloud.there(loose)


def test_a_policy_for_a_role_that_is_not_there_is_refused(cloud: Cloud):
    with refused("NoSuchEntity"):
        cloud.make(t.ROLE_ATTACHMENT, role="none", policyArn=WORKER)


def test_a_scaling_tag_lands_on_its_group_and_leaves_it(cloud: Cloud):
    with refused("ValidationError"):
        cloud.make(t.GROUP_TAG, autoscalingGroupName="eks-none", tag={"key": "k", "value": "v", "propagateAtLaunch": True})
    cluster = cloud.cluster()
    cloud.group(cluster, desired=0)
    (group,) = cloud.all(t.SCALING_GROUP)
    tag = cloud.make(t.GROUP_TAG, autoscalingGroupName=group.id, tag={"key": "cost-center", "value": "4711", "propagateAtLaunch": True})
    assert cloud.now(group).tags["cost-center"] == "4711"
    cloud.delete(tag)
    assert "cost-center" not in cloud.now(group).tags


def test_a_propagating_tag_reaches_the_instances_that_start_after_it(cloud: Cloud):
    group = cloud.group(cloud.cluster(), desired=0)
    (owned,) = cloud.all(t.SCALING_GROUP)
    cloud.make(t.GROUP_TAG, autoscalingGroupName=owned.id, tag={"key": "yes", "value": "1", "propagateAtLaunch": True})
    cloud.make(t.GROUP_TAG, autoscalingGroupName=owned.id, tag={"key": "no", "value": "1", "propagateAtLaunch": False})
    cloud.change(group, scalingConfig={"minSize": 0, "desiredSize": 1, "maxSize": 1})
    (instance,) = cloud.running()
    assert "yes" in instance.tags
    assert "no" not in instance.tags


def test_log_groups_and_key_aliases_are_unique_and_an_alias_needs_its_key(cloud: Cloud):
    cloud.make(t.LOG_GROUP, name="/aws/eks/lab/cluster", retentionInDays=7)
    with refused("ResourceAlreadyExistsException"):
        cloud.make(t.LOG_GROUP, name="/aws/eks/lab/cluster")
    key = cloud.make(t.KEY)
    with refused("NotFoundException"):
        cloud.make(t.KEY_ALIAS, name="alias/lab", targetKeyId="none")
    cloud.make(t.KEY_ALIAS, name="alias/lab", targetKeyId=key.id)
    with refused("AlreadyExistsException"):
        cloud.make(t.KEY_ALIAS, name="alias/lab", targetKeyId=key.id)


def test_launch_template_versions_count_up_with_their_contents_and_stand_still_with_their_tags(cloud: Cloud):
    template = cloud.template(name="gpu", updateDefaultVersion=True, userData="b25l")
    with refused("InvalidLaunchTemplateName.AlreadyExistsException"):
        cloud.template(name="gpu")
    changed = cloud.change(template, userData="dHdv")
    assert (changed.state["latestVersion"], changed.state["defaultVersion"]) == (2, 2)
    assert cloud.change(changed, tags={"a": "b"}).state["latestVersion"] == 2


def test_groups_of_instance_and_interface_exclude_each_other(cloud: Cloud):
    with refused("InvalidParameterCombination"):
        cloud.template(vpcSecurityGroupIds=["sg-1"], networkInterfaces=[{"deviceIndex": 0}])


def test_a_type_without_a_table_is_generic_and_kept(cloud: Cloud):
    made = cloud.make("aws:dynamodb/table:Table", name="jobs")
    assert made.state["arn"].startswith("arn:aws:dynamodb:us-east-1:123456789012:table/")
    assert cloud.restarted().world.store.by_ref(made.ref) == made


def test_flow_logs_watch_one_network_under_a_role_and_go_before_it(cloud: Cloud):
    vpc, role = cloud.vpc(), cloud.role().state["arn"]
    with refused("InvalidVpcID.NotFound"):
        cloud.make(t.FLOW_LOG, vpcId="vpc-none", trafficType="ALL", iamRoleArn=role)
    with refused("InvalidParameter"):
        cloud.make(t.FLOW_LOG, vpcId=vpc.id, trafficType="ALL")
    with refused("InvalidParameter"):
        cloud.make(t.FLOW_LOG, trafficType="ALL", iamRoleArn=role)
    made = cloud.make(t.FLOW_LOG, vpcId=vpc.id, trafficType="ALL", iamRoleArn=role)
    assert made.state["arn"].endswith(f"vpc-flow-log/{made.id}")
