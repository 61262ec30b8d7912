"""What stands around a cluster and its pools: the namespace of its workloads, its storage, its logs, its budget alarm."""

from __future__ import annotations

import pulumi

from components.handle import ClusterHandle
from components.k8s.workspace import Workspace, WorkspaceArgs

from .assembly import Assembly, Ground
from .budget import Budget, BudgetArgs
from .logs import LogsArgs, cluster_logs
from .logs_outline import own_retention_days
from .storage import Storage, StorageArgs
from .storage_outline import lustre_outline


def build_surroundings(name: str, plan: Assembly, ground: Ground, handle: ClusterHandle, opts: pulumi.ResourceOptions) -> None:
    """Everything of these that the stack file asks for; the namespace always."""
    workspace = Workspace(f"{name}-workspace", WorkspaceArgs(cluster=handle, workload=plan.spec.workload), opts)
    if (stored := _storage(plan, ground, handle, workspace)) is not None:
        Storage(name, stored, opts)
    _build_logs(name, plan, opts)
    _build_budget(name, plan, opts)


def _storage(plan: Assembly, ground: Ground, handle: ClusterHandle, workspace: Workspace) -> StorageArgs | None:
    spec = plan.spec
    lustre = lustre_outline(spec, plan.outlines)
    if not spec.storage.buckets and lustre is None:
        return None
    return StorageArgs(
        buckets=spec.storage.buckets,
        lustre=lustre,
        project=spec.account,
        region=plan.region,
        network_id=ground.network.network_id,
        peered=None if spec.network.existing else plan.addresses.peered,
        key=spec.encryption_key,
        cluster=handle,
        namespace=spec.workload,
        workspace=workspace.resource,
        identity=plan.identity,
    )


def _build_logs(name: str, plan: Assembly, opts: pulumi.ResourceOptions) -> None:
    days = own_retention_days(plan.spec)
    if days is not None and opts.parent is not None:
        args = LogsArgs(project=plan.spec.account, region=plan.region, cluster=plan.spec.name, location=plan.location, days=days)
        cluster_logs(name, args, opts.parent)


def _build_budget(name: str, plan: Assembly, opts: pulumi.ResourceOptions) -> None:
    spec = plan.spec
    if spec.billing_account is not None and spec.budget.monthly_usd is not None:
        ceiling = BudgetArgs(
            billing_account=spec.billing_account,
            monthly_usd=spec.budget.monthly_usd,
            emails=spec.budget.alert_emails,
            identity=plan.identity,
        )
        Budget(f"{name}-budget", ceiling, opts)
