from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from scripts.sandbox.kinds.aws import tokens as t
from tests.sandbox.cloud import Cloud


def test_what_was_just_made_is_shown_after_its_time_and_everything_else_at_once(cloud: Cloud, boto: Callable[..., Any]):
    old = cloud.vpc()
    cloud.world.clock.advance(timedelta(hours=2))
    cloud.world.faults.add("unseen", {"type": t.VPC, "seconds": 3600})
    young = cloud.vpc()
    ec2 = boto("ec2")
    assert [v["VpcId"] for v in ec2.describe_vpcs()["Vpcs"]] == [old.id]
    with pytest.raises(ClientError, match=r"InvalidVpcID\.NotFound"):
        ec2.describe_vpcs(VpcIds=[young.id])
    cloud.world.clock.advance(timedelta(hours=1))
    assert {v["VpcId"] for v in ec2.describe_vpcs()["Vpcs"]} == {old.id, young.id}


def test_tags_are_found_as_late_as_their_object(cloud: Cloud, boto: Callable[..., Any]):
    cloud.world.faults.add("unseen", {"seconds": 60})
    cloud.vpc(tags={"gpukit/stack": "dev"})
    tagging = boto("resourcegroupstaggingapi")
    assert tagging.get_resources()["ResourceTagMappingList"] == []
    cloud.world.clock.advance(timedelta(minutes=1))
    assert len(tagging.get_resources()["ResourceTagMappingList"]) == 1
