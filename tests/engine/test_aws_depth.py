"""AWS at production depth on the real engine: data that a destroy keeps, and updates that leave GPU nodes alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.engine.locate import Engine
from scripts.errors import Exit
from tests.engine.clouds import Clouds, copy_of_the_project

pytestmark = [pytest.mark.engine]
REGION = "us-east-1"
TRAINING = "aws-training-dev"
SHARED = {"tib": 4.8, "mb_s_per_tib": 125, "mount": "/shared", "bucket": "checkpoints"}


@pytest.fixture
def clouds(tmp_path: Path, engine: Engine) -> Iterator[Clouds]:
    made = Clouds(copy_of_the_project(tmp_path / "checkout"))
    try:
        yield made
    finally:
        made.world.stop()


def tagged(clouds: Clouds) -> dict[str, dict[str, str]]:
    """Tags by ARN of all that carries some, without instances that have ended."""
    found = clouds.boto3("resourcegroupstaggingapi", REGION).get_resources()["ResourceTagMappingList"]
    tags = {each["ResourceARN"]: {t["Key"]: t["Value"] for t in each["Tags"]} for each in found}
    return {arn: each for arn, each in tags.items() if ":instance/" not in arn}


def kinds(arns: dict[str, Any]) -> set[str]:
    """`fsx:file-system`, `ec2:vpc`, `s3` of each ARN."""
    parts = [arn.split(":", 5) for arn in arns]
    return {p[2] if p[2] == "s3" else f"{p[2]}:{p[5].split('/')[0]}" for p in parts}


def test_a_destroy_leaves_data_with_what_it_needs_and_the_next_up_makes_its_own(clouds: Clouds) -> None:
    clouds.edit(TRAINING, lambda cluster: cluster["storage"].update(shared_filesystem=SHARED))
    up = clouds.act("up", TRAINING)
    assert up.exit is Exit.FINE, up.message
    assert set(clouds.act("up", TRAINING).changes) <= {"same"}

    s3, fsx, budgets = (clouds.boto3(name, REGION) for name in ("s3", "fsx", "budgets"))
    [bucket] = [b["Name"] for b in s3.list_buckets()["Buckets"]]
    assert s3.get_bucket_versioning(Bucket=bucket)["Status"] == "Enabled"
    [system] = fsx.describe_file_systems()["FileSystems"]
    assert system["StorageCapacity"] == 4800
    [budget] = budgets.describe_budgets(AccountId="123456789012")["Budgets"]
    assert budget["CostFilters"] == {"TagKeyValue": [f"user:gpukit/cluster${TRAINING}"]}

    down = clouds.act("destroy", TRAINING)
    assert down.exit is Exit.FINE, down.message
    left = tagged(clouds)
    assert {tags.get("gpukit/kept") for tags in left.values()} == {"data"}
    assert kinds(left) == {
        "s3",
        "fsx:file-system",
        "fsx:association",
        "ec2:vpc",
        "ec2:subnet",
        "ec2:security-group",
        "ec2:security-group-rule",
    }
    assert budgets.describe_budgets(AccountId="123456789012")["Budgets"] == []

    again = clouds.act("up", TRAINING)
    assert again.exit is Exit.FINE, again.message
    assert len(s3.list_buckets()["Buckets"]) == 2
