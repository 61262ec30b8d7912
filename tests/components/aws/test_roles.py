from __future__ import annotations

import json

import pytest

from components.aws.roles import partition
from components.naming import CLUSTER_NAME_LIMITS, RANDOM_SUFFIX

from .specs import built, only, training


@pytest.mark.parametrize(("region", "name"), [("us-east-1", "aws"), ("us-gov-west-1", "aws-us-gov"), ("cn-north-1", "aws-cn")])
def test_arns_are_spelt_by_the_regions_partition(region: str, name: str) -> None:
    assert partition(region) == name


@pytest.mark.parametrize(("role", "service"), [("lab-cluster", "eks.amazonaws.com"), ("lab-nodes", "ec2.amazonaws.com")])
def test_only_the_service_itself_may_take_on_its_role(role: str, service: str) -> None:
    policy = json.loads(only(built(training()), "aws:iam/role:Role", role).inputs["assumeRolePolicy"])
    assert [statement["Principal"] for statement in policy["Statement"]] == [{"Service": service}]


def test_every_role_of_a_cluster_with_the_longest_name_has_room_for_pulumis_suffix() -> None:
    """IAM takes 64 characters."""
    everything = {
        "name": "l" * CLUSTER_NAME_LIMITS["aws"],
        "network": {"flow_logs": True},
        "storage": {"buckets": [{"name": "sets"}], "shared_filesystem": {"tib": 4.8}},
        "pools": {"name": "p"},
    }
    names = [role.name for role in built(training(everything)).of_type("aws:iam/role:Role")]
    assert len(names) > 4
    assert max(len(name) for name in names) + RANDOM_SUFFIX <= 64
