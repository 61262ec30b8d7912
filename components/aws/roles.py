"""IAM roles that EKS itself and its nodes act under, with AWS's own managed policies and nothing more.

Source of the policy names: EKS User Guide, "Amazon EKS cluster IAM role" and "Amazon EKS node IAM role".
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_aws import iam

from components.naming import Identity
from components.ordering import after

CLUSTER_POLICIES = ("AmazonEKSClusterPolicy",)
NODE_POLICIES = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonEKS_CNI_Policy")


def partition(region: str) -> str:
    """The ARN partition of a region: GovCloud and China have their own."""
    return "aws-us-gov" if region.startswith("us-gov-") else "aws-cn" if region.startswith("cn-") else "aws"


@dataclass(frozen=True, kw_only=True)
class RoleArgs:
    """A service that takes on a role, and the AWS managed policies that it works under."""

    service: str
    policies: Sequence[str]
    region: str
    identity: Identity
    own_policy: pulumi.Input[str] | None = None
    """JSON text of what it may do beyond them."""


def service_role(name: str, args: RoleArgs, parent: pulumi.Resource) -> pulumi.Output[str]:
    """The ARN of the role, known once every policy is attached: a service that starts earlier fails."""
    own = pulumi.ResourceOptions(parent=parent)
    role = iam.Role(name, assume_role_policy=json.dumps(_trust(args.service)), tags=args.identity.tags(name), opts=own)
    policies = f"arn:{partition(args.region)}:iam::aws:policy"
    attached: list[pulumi.CustomResource] = [
        iam.RolePolicyAttachment(f"{name}-{policy}", role=role.name, policy_arn=f"{policies}/{policy}", opts=own)
        for policy in args.policies
    ]
    if args.own_policy is not None:
        attached.append(iam.RolePolicy(name, role=role.name, policy=args.own_policy, opts=own))
    return after(role.arn, *attached)


def _trust(service: str) -> dict[str, object]:
    return {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": service}, "Action": ["sts:AssumeRole"]}],
    }
