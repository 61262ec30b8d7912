"""What stands around a cluster and its pools: the namespace of its workloads, its storage, its budget alarm."""

from __future__ import annotations

import pulumi

from components.handle import ClusterHandle
from components.k8s.workspace import Workspace, WorkspaceArgs

from .assembly import Assembly, Ground
from .budget import Budget, BudgetArgs
from .storage import Place, Storage, StorageArgs
from .storage_outline import keeps_data, lustre_outline


def build_surroundings(name: str, plan: Assembly, ground: Ground, handle: ClusterHandle, opts: pulumi.ResourceOptions) -> None:
    """Everything of the three that the stack file asks for; the namespace always."""
    spec = plan.spec
    workspace = Workspace(f"{name}-workspace", WorkspaceArgs(cluster=handle, workload=spec.workload), opts)
    if keeps_data(spec):
        args = StorageArgs(
            buckets=spec.storage.buckets,
            lustre=lustre_outline(spec),
            place=_place(ground),
            subscription=spec.account,
            issuer=ground.cluster.issuer,
            cluster=handle,
            namespace=spec.workload,
            workspace=workspace.resource,
            identity=plan.identity,
        )
        Storage(name, args, opts)
    if spec.budget.alert_emails and spec.budget.monthly_usd is not None:
        ceiling = BudgetArgs(
            monthly_usd=spec.budget.monthly_usd,
            emails=spec.budget.alert_emails,
            subscription=spec.account,
            resource_groups=ground.groups.every,
        )
        Budget(f"{name}-budget", ceiling, opts)


def _place(ground: Ground) -> Place:
    return Place(
        data_group=ground.groups.home_of_data,
        cluster_group=ground.groups.cluster,
        node_subnet_ids=tuple(ground.network.node_subnet_ids.values()),
        vnet_id=ground.network.vnet_id,
        endpoint_subnet_id=ground.network.endpoint_subnet_id,
        file_system_subnet_id=ground.network.file_system_subnet_id,
    )
