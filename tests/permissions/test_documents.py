"""The shipped IAM documents against what the code makes, calls and may not touch."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import botocore.session
import pytest

from components.aws.kept_types import KEPT_TYPES
from scripts.permissions.__main__ import DOCUMENTS, text
from scripts.permissions.document import actions
from scripts.permissions.table import Role, direct, types

ROOT = Path(__file__).parents[2]
BOTO_NAMES = {"tag": "resourcegroupstaggingapi", "servicequotas": "service-quotas", "elasticloadbalancing": "elbv2"}
"""IAM's prefixes that are not boto3's service names."""
IAMS_OWN = {
    "budgets:ModifyBudget", "budgets:ViewBudget", "iam:PassRole", "s3:ListAllMyBuckets", "s3:ListBucket", "s3:GetBucketCORS",
    "s3:GetAccelerateConfiguration", "s3:GetLifecycleConfiguration", "s3:PutLifecycleConfiguration", "s3:GetReplicationConfiguration",
    "s3:GetEncryptionConfiguration", "s3:PutEncryptionConfiguration", "s3:GetBucketObjectLockConfiguration",
    "s3:GetBucketPublicAccessBlock", "s3:PutBucketPublicAccessBlock",
}  # fmt: skip
"""Actions that are named otherwise than the API's operation. Source: Service Authorization Reference, pages of S3, Budgets and IAM."""


def statements(role: Role) -> list[dict[str, Any]]:
    return json.loads(text(role))["Statement"]


def shipped_types() -> set[str]:
    """AWS types of all shipped stacks, and of storage that a stack file may ask for."""
    urns = (ROOT / "tests" / "stacks" / "urns.json").read_text()
    return set(re.findall(r"(aws:[a-z0-9]+/\w+:\w+)::", urns)) | KEPT_TYPES


@pytest.mark.parametrize("role", Role)
def test_the_shipped_document_is_made_from_the_tables(role: Role) -> None:
    assert (DOCUMENTS / f"{role}.json").read_text() == text(role), "run python -m scripts.permissions"


@pytest.mark.parametrize("token", sorted(shipped_types()))
def test_every_type_of_a_shipped_stack_may_be_made_read_changed_and_deleted(token: str) -> None:
    calls = types()[token]
    assert calls.create | calls.read | calls.update <= actions(Role.DEPLOY)
    assert all((calls.create, calls.read, calls.update, calls.delete))
    if token not in KEPT_TYPES:
        assert calls.delete <= actions(Role.DEPLOY) & actions(Role.TEARDOWN)


@pytest.mark.parametrize("role", Role)
def test_no_action_is_a_wildcard_and_nothing_is_changed_everywhere(role: Role) -> None:
    for statement in statements(role):
        assert not any("*" in action for action in statement["Action"]), statement["Sid"]
        if statement["Resource"] == "*" and statement["Sid"] != "Read":
            assert "aws:RequestedRegion" in statement["Condition"]["StringEquals"], statement["Sid"]


@pytest.mark.parametrize("role", Role)
def test_every_action_is_one_of_its_service_s_operations(role: Role) -> None:
    loader = cast("Any", botocore.session.get_session())
    unknown = []
    for action in sorted(actions(role) - IAMS_OWN):
        service, _, name = action.partition(":")
        if name not in loader.get_service_model(BOTO_NAMES.get(service, service)).operation_names:
            unknown.append(action)
    assert unknown == []


@pytest.mark.parametrize("role", Role)
def test_no_role_deletes_data(role: Role) -> None:
    destroying = {"s3:DeleteBucket", "s3:DeleteObject", "fsx:DeleteFileSystem", "fsx:DeleteDataRepositoryAssociation"}
    assert actions(role) & destroying == set()


@pytest.mark.parametrize("role", [Role.PLAN, Role.IDLE])
def test_who_only_looks_makes_and_deletes_nothing(role: Role) -> None:
    verbs = {action.partition(":")[2] for action in actions(role)}
    assert not [verb for verb in verbs if verb.startswith(("Create", "Delete", "Put", "Run", "Terminate"))]


def test_planning_changes_nothing_at_all() -> None:
    assert [s["Sid"] for s in statements(Role.PLAN)] == ["Read"]


def test_roles_go_to_the_services_of_the_cluster_alone() -> None:
    [passing] = [s for s in statements(Role.DEPLOY) if s["Sid"] == "PassRoles"]
    assert passing["Resource"] == ["arn:aws:iam::ACCOUNT:role/CLUSTER-*"]
    assert "pods.eks.amazonaws.com" in passing["Condition"]["StringEquals"]["iam:PassedToService"]


def test_what_the_engine_s_lookups_call_is_in_the_table() -> None:
    """Calls as the source has them: `self._client("ec2").describe_route_tables(`, paginators, and clients that have a name."""
    source = (ROOT / "scripts" / "engine" / "aws_lookup.py").read_text() + (ROOT / "scripts" / "engine" / "aws_identity.py").read_text()
    called = re.findall(r'client\("([\w-]+)"[^)]*\)\.(?:get_paginator\(")?(describe_\w+|get_\w+|list_\w+)', source)
    assert called, "the pattern finds nothing any more"
    iam_names = {"resourcegroupstaggingapi": "tag"}
    wanted = {f"{iam_names.get(s, s)}:{''.join(p.capitalize() for p in op.split('_'))}" for s, op in called if op != "get_paginator"}
    assert wanted <= direct(Role.DEPLOY), wanted - direct(Role.DEPLOY)


def test_every_policy_fits_into_a_role() -> None:
    """An inline policy of a role has 10,240 characters without white space, a managed one 6,144."""
    sizes = {role: len(re.sub(r"\s", "", text(role))) for role in Role}
    assert max(sizes.values()) < 10_240, sizes
