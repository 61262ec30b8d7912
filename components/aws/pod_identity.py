"""AWS permissions for pods: a role that one service account of one cluster may take on, through EKS Pod Identity.

Source: EKS User Guide, "Learn how EKS Pod Identity grants pods access to AWS services" (trust policy and its conditions).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
from pulumi_aws import eks, iam

from components.naming import Identity


@dataclass(frozen=True, kw_only=True)
class PodIdentityArgs:
    """One service account, and what it may do: `policy` is the JSON text of an IAM policy, `managed_policies` are ARNs of AWS's own."""

    cluster: str
    """Name of the cluster, as the trust policy spells it."""
    cluster_name: pulumi.Input[str]
    namespace: str
    service_account: str
    identity: Identity
    policy: pulumi.Input[str] | None = None
    managed_policies: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.policy is None and not self.managed_policies:
            raise ValueError(f"pod identity of {self.namespace}/{self.service_account}: give a policy, or the role could do nothing")


def pod_identity(name: str, args: PodIdentityArgs, parent: pulumi.Resource) -> eks.PodIdentityAssociation:
    """The association of the service account with a role of its own; made once the role may do its work."""
    own = pulumi.ResourceOptions(parent=parent)
    role = iam.Role(name, assume_role_policy=json.dumps(trust(args)), tags=args.identity.tags(name), opts=own)
    allowed: list[pulumi.Resource] = [
        iam.RolePolicyAttachment(f"{name}-{arn.rpartition('/')[2]}", role=role.name, policy_arn=arn, opts=own)
        for arn in args.managed_policies
    ]
    if args.policy is not None:
        allowed.append(iam.RolePolicy(name, role=role.name, policy=args.policy, opts=own))
    return eks.PodIdentityAssociation(
        name,
        cluster_name=args.cluster_name,
        namespace=args.namespace,
        service_account=args.service_account,
        role_arn=role.arn,
        tags=args.identity.tags(name),
        opts=pulumi.ResourceOptions(parent=parent, depends_on=allowed),
    )


def trust(args: PodIdentityArgs) -> Mapping[str, object]:
    """Who may take on the role: the agent, for this service account of this cluster and no other."""
    tags = {
        "aws:RequestTag/eks-cluster-name": args.cluster,
        "aws:RequestTag/kubernetes-namespace": args.namespace,
        "aws:RequestTag/kubernetes-service-account": args.service_account,
    }
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "pods.eks.amazonaws.com"},
                "Action": ["sts:AssumeRole", "sts:TagSession"],  # the agent tags every session; without TagSession it gets none
                "Condition": {"StringEquals": tags},
            }
        ],
    }
