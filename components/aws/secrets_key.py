"""The KMS key that encrypts a cluster's Kubernetes secrets.

Source: EKS User Guide, "Encrypt Kubernetes secrets with KMS" (a symmetric key of the cluster's region; it cannot be taken off again).
EKS encrypts with a key of its own since Kubernetes 1.28; one of ours adds a record of each use and a switch that is ours.
"""

from __future__ import annotations

import json

import pulumi
from pulumi_aws import kms

from components.naming import Identity

DAYS_TO_REGRET = {True: 30, False: 7}
"""Days between deletion and loss, for protected clusters and others: the longest and the shortest that KMS takes."""


def secrets_key(name: str, identity: Identity, *, protected: bool, parent: pulumi.Resource) -> pulumi.Output[str]:
    """ARN of a key that rotates by itself."""
    key = kms.Key(
        name,
        description=f"Kubernetes secrets of cluster {identity.cluster}",
        enable_key_rotation=True,
        deletion_window_in_days=DAYS_TO_REGRET[protected],
        tags=identity.tags(name),
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return key.arn


def use_of_key(arn: str) -> str:
    """Policy of the cluster's own role: it works with this key and no other."""
    actions = ["kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey"]
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": arn}]})
