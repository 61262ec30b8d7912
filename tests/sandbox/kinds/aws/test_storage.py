"""Buckets, Lustre file systems and budgets: one refused order and its accepted twin each, and what keeps what from being deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.store import Record
from tests.sandbox.cloud import Cloud
from tests.sandbox.kinds.aws.test_network import refused

OPEN = {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::lab-data/*"}
ALERT = {
    "notificationType": "ACTUAL",
    "comparisonOperator": "GREATER_THAN",
    "threshold": 80,
    "thresholdType": "PERCENTAGE",
    "subscriberEmailAddresses": ["ml-platform@example.com"],
}


def policy(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


@pytest.fixture
def subnet(cloud: Cloud) -> Record:
    return cloud.subnet(cloud.vpc())


def group(cloud: Cloud, subnet: Record, *, everything: bool = False) -> Record:
    """A group that lets Lustre through to itself, or all traffic."""
    made = cloud.make(t.SECURITY_GROUP, name="lustre", vpcId=subnet.state["vpcId"])
    given: dict[str, Any] = {"ipProtocol": "-1"} if everything else {"ipProtocol": "tcp", "fromPort": 988, "toPort": 988}
    for kind in (t.INGRESS_RULE, t.EGRESS_RULE):
        cloud.make(kind, securityGroupId=made.id, referencedSecurityGroupId=made.id, **given)
    return made


def lustre(cloud: Cloud, subnet: Record, **changes: Any) -> Record:
    given: dict[str, Any] = {
        "deploymentType": "PERSISTENT_2",
        "storageCapacity": 4800,
        "perUnitStorageThroughput": 125,
        "subnetIds": subnet.id,
        **changes,
    }
    return cloud.make(t.LUSTRE, **given)


@pytest.mark.parametrize("name", ["Lab", "ab", "a" * 64, "lab_data", "lab..data"])
def test_names_that_s3_does_not_take_are_refused(cloud: Cloud, name: str) -> None:
    with refused("InvalidBucketName"):
        cloud.make(t.BUCKET, bucket=name)


def test_a_bucket_s_name_is_taken_in_every_region(cloud: Cloud) -> None:
    cloud.make(t.BUCKET, bucket="lab-data")
    with refused("BucketAlreadyOwnedByYou"):
        cloud.make(t.BUCKET, region="eu-west-1", bucket="lab-data")
    cloud.make(t.BUCKET, region="eu-west-1", bucket="lab-data-2")


def test_settings_need_their_bucket_and_go_with_it(cloud: Cloud) -> None:
    with refused("NoSuchBucket"):
        cloud.make(t.BUCKET_VERSIONING, bucket="lab-data", versioningConfiguration={"status": "Enabled"})
    bucket = cloud.make(t.BUCKET, bucket="lab-data")
    versioned = cloud.make(t.BUCKET_VERSIONING, bucket="lab-data", versioningConfiguration={"status": "Enabled"})
    cloud.delete(bucket)
    assert not cloud.there(versioned)


def test_a_closed_bucket_takes_no_public_policy(cloud: Cloud) -> None:
    cloud.make(t.BUCKET, bucket="lab-data")
    cloud.make(t.BUCKET_ACCESS_BLOCK, bucket="lab-data", blockPublicPolicy=True)
    with refused("AccessDenied"):
        cloud.make(t.BUCKET_POLICY, bucket="lab-data", policy=policy(OPEN))
    with refused("MalformedPolicy"):
        cloud.make(t.BUCKET_POLICY, bucket="lab-data", policy="{")
    cloud.make(t.BUCKET_POLICY, bucket="lab-data", policy=policy({**OPEN, "Effect": "Deny"}))


def test_lifecycle_rules_have_names_of_their_own(cloud: Cloud) -> None:
    cloud.make(t.BUCKET, bucket="lab-data")
    rule = {"id": "old", "status": "Enabled"}
    with refused("InvalidArgument"):
        cloud.make(t.BUCKET_LIFECYCLE, bucket="lab-data", rules=[rule, rule])
    cloud.make(t.BUCKET_LIFECYCLE, bucket="lab-data", rules=[rule, {**rule, "id": "new"}])


@pytest.mark.parametrize(("capacity", "rate"), [(5000, 125), (1300, 1000), (2400 + 1, 500)])
def test_sizes_that_fsx_does_not_sell_are_refused(cloud: Cloud, subnet: Record, capacity: int, rate: int) -> None:
    with refused("BadRequest"):
        lustre(cloud, subnet, storageCapacity=capacity, perUnitStorageThroughput=rate)
    lustre(cloud, subnet, storageCapacity=2400, perUnitStorageThroughput=rate)


def test_a_throughput_that_fsx_does_not_sell_is_refused(cloud: Cloud, subnet: Record) -> None:
    with refused("InvalidPerUnitStorageThroughput"):
        lustre(cloud, subnet, perUnitStorageThroughput=300)


def test_a_file_system_grows_and_never_shrinks(cloud: Cloud, subnet: Record) -> None:
    made = lustre(cloud, subnet)
    with refused("BadRequest"):
        cloud.change(made, storageCapacity=2400)
    assert cloud.change(made, storageCapacity=7200).state["mountName"] == made.state["mountName"]


def test_a_group_that_lets_no_lustre_through_is_refused(cloud: Cloud, subnet: Record) -> None:
    closed = cloud.make(t.SECURITY_GROUP, name="closed", vpcId=subnet.state["vpcId"])
    with refused("InvalidNetworkSettings"):
        lustre(cloud, subnet, securityGroupIds=[closed.id])
    lustre(cloud, subnet, securityGroupIds=[group(cloud, subnet).id])


@pytest.mark.failure("A1")
def test_efa_needs_all_traffic_of_the_group_with_itself(cloud: Cloud, subnet: Record) -> None:
    efa = {"efaEnabled": True, "metadataConfiguration": {"mode": "AUTOMATIC"}, "storageCapacity": 38_400}
    ports = group(cloud, subnet)
    with refused("InvalidNetworkSettings"):
        lustre(cloud, subnet, securityGroupIds=[ports.id], **efa)
    cloud.make(t.INGRESS_RULE, securityGroupId=ports.id, referencedSecurityGroupId=ports.id, ipProtocol="-1")
    cloud.make(t.EGRESS_RULE, securityGroupId=ports.id, referencedSecurityGroupId=ports.id, ipProtocol="-1")
    lustre(cloud, subnet, securityGroupIds=[ports.id], **efa)


def test_efa_comes_in_its_own_sizes_and_with_a_metadata_configuration(cloud: Cloud, subnet: Record) -> None:
    with refused("BadRequest"):
        lustre(cloud, subnet, efaEnabled=True, metadataConfiguration={"mode": "AUTOMATIC"})
    with refused("BadRequest"):
        lustre(cloud, subnet, efaEnabled=True, storageCapacity=38_400)


@pytest.mark.failure("K5")
def test_a_file_system_keeps_its_subnet_and_its_group(cloud: Cloud, subnet: Record) -> None:
    mine = group(cloud, subnet)
    made = lustre(cloud, subnet, securityGroupIds=[mine.id])
    for kept in (subnet, mine):
        with refused("DependencyViolation"):
            cloud.delete(kept)
    cloud.delete(made)
    cloud.delete(subnet)
    cloud.delete(mine)


def test_links_need_file_system_and_bucket_do_not_overlap_and_go_with_the_file_system(cloud: Cloud, subnet: Record) -> None:
    def link(path: str = "/sets", system: str = "", bucket: str = "lab-data") -> Record:
        given: dict[str, Any] = {"fileSystemId": system or made.id, "fileSystemPath": path, "dataRepositoryPath": f"s3://{bucket}"}
        return cloud.make(t.DATA_REPOSITORY, **given)

    made = lustre(cloud, subnet)
    cloud.make(t.BUCKET, bucket="lab-data")
    with refused("FileSystemNotFound"):
        link(system="fs-none")
    with refused("NoSuchBucket"):
        link(bucket="lab-none")
    with refused("BadRequest"):
        link(path="sets")
    first = link()
    with refused("BadRequest"):
        link(path="/sets/inner")
    link(path="/sets-of-others")
    cloud.delete(made)
    assert not cloud.there(first)


def test_a_budget_s_name_is_unique_and_no_alert_is_given_twice(cloud: Cloud) -> None:
    given: dict[str, Any] = {"budgetType": "COST", "timeUnit": "MONTHLY", "limitAmount": "100", "limitUnit": "USD"}
    cloud.make(t.BUDGET, name="lab", notifications=[ALERT, {**ALERT, "threshold": 100}], **given)
    with refused("DuplicateRecordException"):
        cloud.make(t.BUDGET, name="lab", **given)
    with refused("DuplicateRecordException"):
        cloud.make(t.BUDGET, name="twice", notifications=[ALERT, ALERT], **given)
    with refused("InvalidParameterException"):
        cloud.make(t.BUDGET, name="nobody", notifications=[{**ALERT, "subscriberEmailAddresses": []}], **given)
    with refused("CreationLimitExceededException"):
        many = [f"a{n}@example.com" for n in range(11)]
        cloud.make(t.BUDGET, name="many", notifications=[{**ALERT, "subscriberEmailAddresses": many}], **given)
