"""The log group of a cluster's control plane."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_aws import cloudwatch

from components.naming import Identity


@dataclass(frozen=True, kw_only=True)
class LogsArgs:
    cluster: str
    days: int
    identity: Identity


def control_plane_logs(name: str, args: LogsArgs, parent: pulumi.Resource) -> cloudwatch.LogGroup:
    """The group into which EKS writes. Its name is EKS's own, so that it must be there before the cluster."""
    logical = f"{name}-logs"
    return cloudwatch.LogGroup(
        logical,
        name=f"/aws/eks/{args.cluster}/cluster",
        retention_in_days=args.days,
        tags=args.identity.tags(logical),
        opts=pulumi.ResourceOptions(parent=parent),
    )
