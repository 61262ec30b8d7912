"""IAM policy documents, one a role. ACCOUNT, REGION and CLUSTER stand for what a person puts in.

Reading is allowed on everything, as most of it cannot be narrowed; changing is narrowed by name where the service's names carry the
cluster's, and by region where they do not. No action has a wildcard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from components.aws.kept_types import KEPT_TYPES

from .table import Calls, Role, direct, types

Statement = dict[str, object]

PARTITION = "arn:aws"
ROLES = (f"{PARTITION}:iam::ACCOUNT:role/CLUSTER-*",)
NARROWED: Mapping[str, tuple[str, ...]] = {
    "budgets": (f"{PARTITION}:budgets::ACCOUNT:budget/CLUSTER-*",),
    "eks": (f"{PARTITION}:eks:REGION:ACCOUNT:*/CLUSTER", f"{PARTITION}:eks:REGION:ACCOUNT:*/CLUSTER/*"),
    "events": (f"{PARTITION}:events:REGION:ACCOUNT:rule/*CLUSTER*",),
    "iam": (
        *ROLES,
        f"{PARTITION}:iam::ACCOUNT:oidc-provider/oidc.eks.REGION.amazonaws.com/id/*",
        f"{PARTITION}:iam::ACCOUNT:instance-profile/CLUSTER*",
        f"{PARTITION}:iam::ACCOUNT:instance-profile/karpenter/REGION/CLUSTER/*",
    ),
    "lambda": (f"{PARTITION}:lambda:REGION:ACCOUNT:function:CLUSTER-*",),
    "s3": (f"{PARTITION}:s3:::CLUSTER-*",),
    "sns": (f"{PARTITION}:sns:REGION:ACCOUNT:CLUSTER-*",),
    "sqs": (f"{PARTITION}:sqs:REGION:ACCOUNT:*CLUSTER*",),
}
"""Services whose objects carry the cluster's name in theirs. IAM and Budgets have no region."""
PASSED_TO = ("ec2.amazonaws.com", "eks.amazonaws.com", "lambda.amazonaws.com", "pods.eks.amazonaws.com", "vpc-flow-logs.amazonaws.com")
"""Services that get a role of ours."""
LINKED_ROLES = (
    *("autoscaling.amazonaws.com", "eks.amazonaws.com", "eks-nodegroup.amazonaws.com", "fsx.amazonaws.com"),
    *("s3.data-source.lustre.fsx.amazonaws.com", "spot.amazonaws.com"),
)
"""Services that make a role of their own at their first use in an account."""
READS = ("Describe", "Get", "List", "View")
"""How the names of actions begin that change nothing."""


def document(role: Role) -> dict[str, object]:
    """The policy of a role."""
    return {"Version": "2012-10-17", "Statement": list(_statements(role))}


def actions(role: Role) -> frozenset[str]:
    """Every action that the role may use."""
    provider = [action for token, calls in types().items() for action in _of_type(role, token, calls)]
    return frozenset(provider) | direct(role)


def _of_type(role: Role, token: str, calls: Calls) -> frozenset[str]:
    """Deleting data takes a person with more rights: no role here may (design: data outlives clusters)."""
    delete = frozenset[str]() if token in KEPT_TYPES else calls.delete
    match role:
        case Role.DEPLOY:
            return calls.create | calls.read | calls.update | delete
        case Role.TEARDOWN:
            return calls.read | delete
        case Role.PLAN | Role.IDLE:
            return frozenset()


def _statements(role: Role) -> Iterator[Statement]:
    allowed = actions(role)
    reads = sorted(action for action in allowed if _reads(action))
    yield {"Sid": "Read", "Effect": "Allow", "Action": reads, "Resource": "*"}
    writes = sorted(allowed - set(reads) - {"iam:PassRole"})
    for service, of_service in groupby(writes, key=_service):
        yield _writing(service, list(of_service))
    if "iam:PassRole" in allowed:
        yield from _roles_for_services()


def _reads(action: str) -> bool:
    return action.partition(":")[2].startswith(READS)


def _service(action: str) -> str:
    return action.partition(":")[0]


def _writing(service: str, allowed: Sequence[str]) -> Statement:
    sid = f"Change{service.capitalize()}"
    if service in NARROWED:
        return {"Sid": sid, "Effect": "Allow", "Action": list(allowed), "Resource": list(NARROWED[service])}
    region = {"StringEquals": {"aws:RequestedRegion": "REGION"}}
    return {"Sid": sid, "Effect": "Allow", "Action": list(allowed), "Resource": "*", "Condition": region}


def _roles_for_services() -> Iterable[Statement]:
    passed = {"StringEquals": {"iam:PassedToService": list(PASSED_TO)}}
    yield {
        "Sid": "PassRoles", "Effect": "Allow", "Action": ["iam:PassRole"], "Resource": list(ROLES), "Condition": passed,
    }  # fmt: skip
    yield {
        "Sid": "LinkFileSystems",  # FSx for Lustre user guide, "Adding permissions to use data repositories in Amazon S3"
        "Effect": "Allow",
        "Action": ["iam:AttachRolePolicy", "iam:PutRolePolicy"],
        "Resource": f"{PARTITION}:iam::ACCOUNT:role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/*",
    }
    linked = {"StringEquals": {"iam:AWSServiceName": list(LINKED_ROLES)}}
    yield {
        "Sid": "LinkedRoles", "Effect": "Allow", "Action": ["iam:CreateServiceLinkedRole"],
        "Resource": f"{PARTITION}:iam::ACCOUNT:role/aws-service-role/*", "Condition": linked,
    }  # fmt: skip
