"""What stands around a cluster and its pools: the namespace of its workloads, its storage, its budget alarm."""

from __future__ import annotations

import pulumi

from components.handle import ClusterHandle
from components.k8s.workspace import Workspace, WorkspaceArgs

from .assembly import Assembly, Ground
from .budget import Budget, BudgetArgs
from .storage import Place, Storage, StorageArgs
from .storage_outline import LustreOutline, lustre_outline


def build_surroundings(name: str, plan: Assembly, ground: Ground, handle: ClusterHandle, opts: pulumi.ResourceOptions) -> None:
    """Everything of the three that the stack file asks for; the namespace always."""
    spec = plan.spec
    workspace = Workspace(f"{name}-workspace", WorkspaceArgs(cluster=handle, workload=spec.workload), opts)
    lustre = lustre_outline(spec, plan.outlines)
    if spec.storage.buckets or lustre:
        args = StorageArgs(
            buckets=spec.storage.buckets,
            lustre=lustre,
            place=_place(ground, lustre) if lustre else None,
            cluster=handle,
            cluster_name=ground.cluster.name,
            namespace=spec.workload,
            workspace=workspace.resource,
            identity=plan.identity,
        )
        Storage(name, args, opts)
    if spec.budget.alert_emails and spec.budget.monthly_usd is not None:
        ceiling = BudgetArgs(monthly_usd=spec.budget.monthly_usd, emails=spec.budget.alert_emails, identity=plan.identity)
        Budget(f"{name}-budget", ceiling, opts)


def _place(ground: Ground, lustre: LustreOutline) -> Place:
    return Place(
        vpc_id=ground.network.vpc_id,
        subnet_id=ground.network.node_subnet_ids[lustre.zone],
        node_security_group_id=ground.cluster.security_group_id,
        fabric_security_group_id=ground.fabric.security_group_id if ground.fabric else None,
    )
