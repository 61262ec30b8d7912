"""Where the logs of a cluster's control plane go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_azure_native import monitor, operationalinsights

from components.naming import Identity


@dataclass(frozen=True, kw_only=True)
class LogsArgs:
    region: str
    resource_group: pulumi.Input[str]
    days: int
    identity: Identity


def workspace(name: str, args: LogsArgs, parent: pulumi.Resource) -> operationalinsights.Workspace:
    """The workspace that keeps a cluster's logs."""
    logical = f"{name}-logs"
    return operationalinsights.Workspace(
        logical,
        resource_group_name=args.resource_group,
        location=args.region,
        sku=operationalinsights.WorkspaceSkuArgs(name="PerGB2018"),
        retention_in_days=args.days,
        tags=args.identity.tags(logical),
        opts=pulumi.ResourceOptions(parent=parent),
    )


def control_plane_logs(
    name: str, cluster_id: pulumi.Input[str], types: Sequence[str], kept_in: pulumi.Input[str], parent: pulumi.Resource
) -> monitor.DiagnosticSetting:
    """Sends the logs of `types` to the workspace `kept_in` (its id)."""
    return monitor.DiagnosticSetting(
        f"{name}-logs",
        resource_uri=cluster_id,
        workspace_id=kept_in,
        logs=[monitor.DiagnosticsLogSettingsArgs(category=category, enabled=True) for category in types],
        opts=pulumi.ResourceOptions(parent=parent),
    )
