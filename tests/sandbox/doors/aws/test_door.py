"""The AWS door through boto3: the very records that the provider door makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from botocore.exceptions import ClientError

from scripts.sandbox.doors.aws import door as aws
from scripts.sandbox.doors.aws import ec2
from scripts.sandbox.doors.aws.protocol import model
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.store import Record
from tests.sandbox.cloud import Cloud, efa

Boto = Callable[..., Any]
TAGS = {"gpukit/stack": "dev", "gpukit/pool": "a100"}


@pytest.fixture
def pool(cloud: Cloud) -> Record:
    """Two p4d nodes with EFA in the cluster `lab`."""
    specified = [{"resourceType": kind, "tags": TAGS} for kind in ("instance", "volume", "network-interface")]
    template = cloud.template(name="gpu", networkInterfaces=efa(4), tagSpecifications=specified)
    given = {"instanceTypes": ["p4d.24xlarge"], "amiType": "AL2023_x86_64_NVIDIA", "capacityType": "SPOT", "nodeGroupName": "a100"}
    return cloud.group(cloud.cluster(), template=template, desired=2, tags=TAGS, **given)


def code(action: Callable[[], Any]) -> str:
    with pytest.raises(ClientError) as caught:
        action()
    return caught.value.response["Error"]["Code"]


def instances(ec2: Any, **filters: list[str]) -> list[dict[str, Any]]:
    given = [{"Name": name.replace("_", "-"), "Values": values} for name, values in filters.items()]
    return [i for r in ec2.describe_instances(Filters=given)["Reservations"] for i in r["Instances"]]


def test_every_answered_operation_is_one_of_the_services_own():
    for service, handlers in aws.SERVICES.values():
        assert set(handlers) <= set(model(service).operation_names), service


def test_instances_of_a_pool_are_found_by_their_tags_with_all_their_parts(cloud: Cloud, boto: Boto, pool: Record):
    found = [
        i
        for r in boto("ec2").describe_instances(Filters=[{"Name": "tag:gpukit/pool", "Values": ["a100"]}])["Reservations"]
        for i in r["Instances"]
    ]
    assert {i["InstanceId"] for i in found} == {i.id for i in cloud.running()}
    one = found[0]
    assert (one["InstanceType"], one["State"]["Name"], one["InstanceLifecycle"]) == ("p4d.24xlarge", "running", "spot")
    cards = sorted((i["Attachment"]["NetworkCardIndex"], i["InterfaceType"]) for i in one["NetworkInterfaces"])
    assert cards == [(0, "efa-only"), (0, "interface"), (1, "efa-only"), (2, "efa-only"), (3, "efa-only")]
    assert len(one["BlockDeviceMappings"]) == 1


def test_each_region_shows_its_own(boto: Boto, pool: Record):
    assert len(instances(boto("ec2"))) == 2
    assert instances(boto("ec2", "us-west-2")) == []


@pytest.mark.parametrize("operation", sorted(ec2.COLLECTIONS))
def test_every_collection_can_be_listed_and_its_filters_be_asked(cloud: Cloud, boto: Boto, pool: Record, operation: str):
    collection = ec2.COLLECTIONS[operation]
    method = "".join(f"_{c.lower()}" if c.isupper() else c for c in operation).lstrip("_")
    ask = getattr(boto("ec2"), method)
    assert len(ask()[collection.result]) == len(cloud.all(collection.kind))
    for name in (*collection.filters, "tag:gpukit/stack", "tag-key"):
        assert ask(**{collection.filter_member: [{"Name": name, "Values": ["no such value"]}]})[collection.result] == []
    assert code(lambda: ask(**{collection.filter_member: [{"Name": "no-such-filter", "Values": ["x"]}]})) == "InvalidParameterValue"
    assert code(lambda: ask(**{collection.ids: ["none-0123"]})) == collection.missing


def test_filters_take_patterns(boto: Boto, pool: Record):
    assert len(instances(boto("ec2"), instance_type=["p4*"], instance_state_name=["running"])) == 2
    assert instances(boto("ec2"), instance_type=["p5*"]) == []


@pytest.mark.parametrize("size", [5, 7])
def test_pages_hold_everything_once(cloud: Cloud, boto: Boto, pool: Record, size: int):
    pages = boto("ec2").get_paginator("describe_network_interfaces").paginate(PaginationConfig={"PageSize": size})
    ids = [i["NetworkInterfaceId"] for page in pages for i in page["NetworkInterfaces"]]
    assert sorted(ids) == sorted(r.id for r in cloud.all(t.NETWORK_INTERFACE))


def test_a_token_of_somebody_else_is_refused(boto: Boto):
    assert code(lambda: boto("ec2").describe_vpcs(NextToken="%%%", MaxResults=5)) == "InvalidNextToken"


def test_template_versions_show_interfaces_and_tags(cloud: Cloud, boto: Boto, pool: Record):
    (template,) = cloud.all(t.LAUNCH_TEMPLATE)
    cloud.change(template, instanceMarketOptions={"marketType": "capacity-block"})
    ask = boto("ec2").describe_launch_template_versions
    assert [v["VersionNumber"] for v in ask(LaunchTemplateId=template.id)["LaunchTemplateVersions"]] == [1, 2]
    (latest,) = ask(LaunchTemplateName="gpu", Versions=["$Latest"])["LaunchTemplateVersions"]
    data = latest["LaunchTemplateData"]
    assert data["InstanceMarketOptions"] == {"MarketType": "capacity-block"}
    assert len(data["NetworkInterfaces"]) == 5
    assert {s["ResourceType"] for s in data["TagSpecifications"]} == {"instance", "volume", "network-interface"}


def test_instance_types_come_from_the_catalogue(boto: Boto):
    (machine,) = boto("ec2").describe_instance_types(InstanceTypes=["p5.48xlarge"])["InstanceTypes"]
    assert machine["NetworkInfo"]["EfaInfo"]["MaximumEfaInterfaces"] == 32
    assert machine["GpuInfo"]["Gpus"][0]["Count"] == 8
    assert code(lambda: boto("ec2").describe_instance_types(InstanceTypes=["p9.mega"])) == "InvalidInstanceType"


@pytest.mark.failure("K5")
def test_deletion_meets_the_same_dependencies_at_this_door(cloud: Cloud, boto: Boto, pool: Record):
    ec2 = boto("ec2")
    vpc, subnet = cloud.all(t.VPC)[0], cloud.all(t.SUBNET)[0]
    assert code(lambda: ec2.delete_vpc(VpcId=vpc.id)) == "DependencyViolation"
    assert code(lambda: ec2.delete_subnet(SubnetId=subnet.id)) == "DependencyViolation"
    interface = cloud.all(t.NETWORK_INTERFACE)[0]
    assert code(lambda: ec2.delete_network_interface(NetworkInterfaceId=interface.id)) == "InvalidParameterValue"


@pytest.mark.failure("K5")
def test_a_network_that_is_taken_down_in_order_is_gone(cloud: Cloud, boto: Boto, pool: Record):
    ec2, eks = boto("ec2"), boto("eks")
    eks.delete_nodegroup(clusterName="lab", nodegroupName="a100")
    eks.delete_cluster(name="lab")
    for subnet in cloud.all(t.SUBNET):
        ec2.delete_subnet(SubnetId=subnet.id)
    ec2.delete_launch_template(LaunchTemplateId=cloud.all(t.LAUNCH_TEMPLATE)[0].id)
    ec2.delete_vpc(VpcId=cloud.all(t.VPC)[0].id)
    left = [r for r in cloud.world.store if r.kind not in (t.ROLE, t.INSTANCE)]
    assert left == []


def test_a_dry_run_changes_nothing(cloud: Cloud, boto: Boto, pool: Record):
    ids = [i.id for i in cloud.running()]
    assert code(lambda: boto("ec2").terminate_instances(InstanceIds=ids, DryRun=True)) == "DryRunOperation"
    assert [i.id for i in cloud.running()] == ids


def test_an_ended_instance_is_replaced_by_its_group_until_that_is_suspended(cloud: Cloud, boto: Boto, pool: Record):
    first = cloud.running()[0]
    boto("ec2").terminate_instances(InstanceIds=[first.id])
    assert len(cloud.running()) == 2
    assert cloud.now(first).status == "terminated"
    (group,) = cloud.all(t.SCALING_GROUP)
    boto("autoscaling").suspend_processes(AutoScalingGroupName=group.id)
    boto("ec2").terminate_instances(InstanceIds=[i.id for i in cloud.running()])
    assert cloud.running() == []


def test_clusters_and_node_groups_are_listed_and_described(boto: Boto, pool: Record):
    eks = boto("eks")
    assert eks.list_clusters()["clusters"] == ["lab"]
    assert eks.list_nodegroups(clusterName="lab")["nodegroups"] == ["a100"]
    cluster = eks.describe_cluster(name="lab")["cluster"]
    assert (cluster["status"], cluster["version"]) == ("ACTIVE", "1.35")
    group = eks.describe_nodegroup(clusterName="lab", nodegroupName="a100")["nodegroup"]
    assert (group["status"], group["capacityType"], group["tags"]) == ("ACTIVE", "SPOT", TAGS)
    with pytest.raises(eks.exceptions.ResourceNotFoundException):
        eks.describe_nodegroup(clusterName="lab", nodegroupName="none")


def test_scaling_a_node_group_ends_its_nodes_and_shows_in_the_engines_next_read(cloud: Cloud, boto: Boto, pool: Record):
    boto("eks").update_nodegroup_config(clusterName="lab", nodegroupName="a100", scalingConfig={"minSize": 0, "desiredSize": 0})
    assert cloud.running() == []
    assert cloud.now(pool).inputs["scalingConfig"] == {"minSize": 0, "desiredSize": 0, "maxSize": 4}
    bad = {"minSize": 3, "desiredSize": 1, "maxSize": 4}
    assert (
        code(lambda: boto("eks").update_nodegroup_config(clusterName="lab", nodegroupName="a100", scalingConfig=bad))
        == "InvalidParameterException"
    )


def test_deletion_protection_is_lifted_at_this_door(cloud: Cloud, boto: Boto):
    cluster = cloud.cluster(deletionProtection=True)
    assert code(lambda: boto("eks").delete_cluster(name="lab")) == "InvalidRequestException"
    boto("eks").update_cluster_config(name="lab", deletionProtection=False)
    boto("eks").delete_cluster(name="lab")
    assert not cloud.there(cluster)


def test_scaling_groups_show_instances_and_take_a_desired_number_within_bounds(cloud: Cloud, boto: Boto, pool: Record):
    autoscaling = boto("autoscaling")
    (group,) = autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    assert group["AutoScalingGroupName"] == pool.state["resources"][0]["autoscalingGroups"][0]["name"]
    assert {i["InstanceId"] for i in group["Instances"]} == {i.id for i in cloud.running()}
    autoscaling.set_desired_capacity(AutoScalingGroupName=group["AutoScalingGroupName"], DesiredCapacity=3)
    assert len(cloud.running()) == 3
    assert (
        code(lambda: autoscaling.set_desired_capacity(AutoScalingGroupName=group["AutoScalingGroupName"], DesiredCapacity=5))
        == "ValidationError"
    )


def test_failed_starts_are_listed_as_activities(cloud: Cloud, boto: Boto, pool: Record):
    cloud.world.faults.add("capacity", {"machine": "p4d.24xlarge"})
    (group,) = cloud.all(t.SCALING_GROUP)
    boto("autoscaling").set_desired_capacity(AutoScalingGroupName=group.id, DesiredCapacity=3)
    (activity,) = boto("autoscaling").describe_scaling_activities(AutoScalingGroupName=group.id)["Activities"]
    assert "sufficient p4d.24xlarge capacity" in activity["StatusMessage"]


def test_everything_with_a_stacks_tags_is_found_by_one_query(cloud: Cloud, boto: Boto, pool: Record):
    pages = (
        boto("resourcegroupstaggingapi")
        .get_paginator("get_resources")
        .paginate(TagFilters=[{"Key": "gpukit/stack", "Values": ["dev"]}], ResourcesPerPage=4)
    )
    arns = [item["ResourceARN"] for page in pages for item in page["ResourceTagMappingList"]]
    kinds = sorted(arn.split(":")[5].split("/")[0] for arn in arns)
    assert kinds == ["instance"] * 2 + ["network-interface"] * 10 + ["nodegroup"] + ["volume"] * 2
    assert len(set(arns)) == len(arns)


def test_the_tag_query_narrows_by_type_and_value(boto: Boto, pool: Record):
    ask = boto("resourcegroupstaggingapi").get_resources
    assert len(ask(ResourceTypeFilters=["ec2:volume"])["ResourceTagMappingList"]) == 2
    assert ask(TagFilters=[{"Key": "gpukit/stack", "Values": ["other"]}])["ResourceTagMappingList"] == []


def test_roles_are_found_by_name(cloud: Cloud, boto: Boto):
    cloud.role(name="nodes", tags=TAGS)
    iam = boto("iam")
    assert {tag["Key"]: tag["Value"] for tag in iam.get_role(RoleName="nodes")["Role"]["Tags"]} == TAGS
    with pytest.raises(iam.exceptions.NoSuchEntityException):
        iam.get_role(RoleName="none")
    assert [r["RoleName"] for r in iam.list_roles()["Roles"]] == ["nodes"]


def test_the_caller_is_the_worlds_account(boto: Boto):
    assert boto("sts").get_caller_identity()["Account"] == "123456789012"


def test_what_is_not_simulated_is_refused_by_name_and_never_made_up(boto: Boto):
    assert code(lambda: boto("ec2").run_instances(MinCount=1, MaxCount=1)) == "InvalidAction"
    assert code(lambda: boto("eks").list_fargate_profiles(clusterName="lab")) == "UnknownOperationException"
    with pytest.raises(ClientError):
        boto("sqs").list_queues()


def test_throttling_reaches_the_client_as_its_kind_of_error(cloud: Cloud, boto: Boto):
    cloud.world.faults.add("throttle", {"service": "eks"})
    assert code(boto("eks").list_clusters) == "ThrottlingException"
    assert boto("eks").list_clusters()["clusters"] == []
    cloud.world.faults.add("throttle", {"service": "ec2"})
    assert code(boto("ec2").describe_vpcs) == "RequestLimitExceeded"


def test_an_unsigned_request_is_refused_and_every_answer_is_marked(address: str):
    with httpx.Client(trust_env=False) as client:
        answer = client.post(f"{address}/aws", data={"Action": "DescribeVpcs"})
        assert answer.status_code == 403
        assert answer.headers["X-Gpukit-Simulated"] == "true"
        assert client.get(f"{address}/nowhere").status_code == 404


def test_an_operation_that_is_not_answered_is_told_with_the_nearest_not_with_all(boto: Boto):
    with pytest.raises(ClientError) as refused:
        boto("ec2").describe_vpc_attribute(VpcId="vpc-1", Attribute="enableDnsSupport")
    message = refused.value.response["Error"]["Message"]
    assert "does not answer DescribeVpcAttribute" in message
    assert "DescribeVpc" in message.partition("the nearest")[2]
    assert message.count("Describe") <= 4


@pytest.mark.parametrize(
    ("service", "call"), [("cloudformation", "list_stacks"), ("dynamodb", "list_tables"), ("ecr", "describe_repositories")]
)
def test_a_service_that_is_not_simulated_is_refused_by_name(boto: Boto, service: str, call: str):
    with pytest.raises(ClientError) as refused:
        getattr(boto(service), call)()
    assert refused.value.response["Error"]["Code"] == "UnknownService"
    assert f"has no service {service}: it has ec2" in refused.value.response["Error"]["Message"]
