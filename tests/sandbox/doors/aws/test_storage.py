"""Data and budgets through boto3: what a destroy keeps can be seen, and deleted by a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from scripts.sandbox.kinds.aws import tokens as t
from tests.sandbox.cloud import Cloud

Boto = Callable[..., Any]
KEPT = {"gpukit/stack": "dev", "gpukit/kept": "data"}


def code(action: Callable[[], Any]) -> str:
    with pytest.raises(ClientError) as caught:
        action()
    return caught.value.response["Error"]["Code"]


def test_buckets_of_all_regions_are_listed_with_their_settings(cloud: Cloud, boto: Boto) -> None:
    cloud.make(t.BUCKET, bucket="lab-data", tags=KEPT)
    cloud.make(t.BUCKET, bucket="lab-far", region="eu-west-1")
    cloud.make(t.BUCKET_VERSIONING, bucket="lab-data", versioningConfiguration={"status": "Enabled"})
    cloud.make(t.BUCKET_ACCESS_BLOCK, bucket="lab-data", blockPublicAcls=True, blockPublicPolicy=True)
    s3 = boto("s3")
    assert [b["Name"] for b in s3.list_buckets()["Buckets"]] == ["lab-data", "lab-far"]
    assert {"Key": "gpukit/kept", "Value": "data"} in s3.get_bucket_tagging(Bucket="lab-data")["TagSet"]
    assert s3.get_bucket_versioning(Bucket="lab-data")["Status"] == "Enabled"
    assert "Status" not in s3.get_bucket_versioning(Bucket="lab-far")
    block = s3.get_public_access_block(Bucket="lab-data")["PublicAccessBlockConfiguration"]
    assert (block["BlockPublicAcls"], block["RestrictPublicBuckets"]) == (True, False)
    assert code(lambda: s3.get_bucket_tagging(Bucket="lab-far")) == "NoSuchTagSet"
    assert code(lambda: s3.get_bucket_tagging(Bucket="none")) == "NoSuchBucket"


def test_a_bucket_that_a_person_deletes_is_gone(cloud: Cloud, boto: Boto) -> None:
    made = cloud.make(t.BUCKET, bucket="lab-data")
    boto("s3").delete_bucket(Bucket="lab-data")
    assert not cloud.there(made)


def test_file_systems_are_described_with_their_links_and_tags(cloud: Cloud, boto: Boto) -> None:
    subnet = cloud.subnet(cloud.vpc())
    cloud.make(t.BUCKET, bucket="lab-data")
    given: dict[str, Any] = {
        "deploymentType": "PERSISTENT_2",
        "storageCapacity": 4800,
        "perUnitStorageThroughput": 125,
        "subnetIds": subnet.id,
    }
    made = cloud.make(t.LUSTRE, tags=KEPT, **given)
    cloud.make(t.DATA_REPOSITORY, fileSystemId=made.id, fileSystemPath="/sets", dataRepositoryPath="s3://lab-data")
    fsx = boto("fsx")
    [shown] = fsx.describe_file_systems()["FileSystems"]
    assert (shown["FileSystemId"], shown["StorageCapacity"], shown["Lifecycle"]) == (made.id, 4800, "AVAILABLE")
    assert {"Key": "gpukit/kept", "Value": "data"} in shown["Tags"]
    [link] = fsx.describe_data_repository_associations()["Associations"]
    assert link["DataRepositoryPath"] == "s3://lab-data"
    assert code(lambda: fsx.describe_file_systems(FileSystemIds=["fs-0000000000000000f"])) == "FileSystemNotFound"
    fsx.delete_file_system(FileSystemId=made.id)
    assert fsx.describe_file_systems()["FileSystems"] == []


def test_budgets_show_their_limit_filter_and_alerts(cloud: Cloud, boto: Boto) -> None:
    alert = {"notificationType": "ACTUAL", "comparisonOperator": "GREATER_THAN", "threshold": 80, "thresholdType": "PERCENTAGE"}
    cloud.make(
        t.BUDGET,
        name="lab",
        budgetType="COST",
        timeUnit="MONTHLY",
        limitAmount="75000.00",
        limitUnit="USD",
        costFilters=[{"name": "TagKeyValue", "values": ["user:gpukit/cluster$lab"]}],
        notifications=[{**alert, "subscriberEmailAddresses": ["ml-platform@example.com"]}],
    )
    budgets, account = boto("budgets"), cloud.world.account("aws")
    [shown] = budgets.describe_budgets(AccountId=account)["Budgets"]
    assert shown["BudgetLimit"] == {"Amount": "75000.00", "Unit": "USD"}
    assert shown["CostFilters"] == {"TagKeyValue": ["user:gpukit/cluster$lab"]}
    assert "CalculatedSpend" not in shown, "nothing is spent here, which is not the same as zero"
    [told] = budgets.describe_notifications_for_budget(AccountId=account, BudgetName="lab")["Notifications"]
    assert (told["Threshold"], told["NotificationType"]) == (80, "ACTUAL")
    assert code(lambda: budgets.describe_budgets(AccountId="210987654321")) == "AccessDeniedException"


def test_kept_data_is_found_by_its_tags(cloud: Cloud, boto: Boto) -> None:
    cloud.make(t.BUCKET, bucket="lab-data", tags=KEPT)
    found = boto("resourcegroupstaggingapi").get_resources(TagFilters=[{"Key": "gpukit/kept"}])["ResourceTagMappingList"]
    assert [each["ResourceARN"] for each in found] == ["arn:aws:s3:::lab-data"]
