"""What stands around a cluster and its pools: the namespace of its workloads, its storage, its budget alarm, its idle watch."""

from __future__ import annotations

import pulumi
from pulumi_aws import eks

from components.handle import ClusterHandle
from components.k8s.workspace import Workspace, WorkspaceArgs
from components.spec import IdleWatch as IdleWatchSpec

from .assembly import Assembly, Ground
from .budget import Budget, BudgetArgs
from .idle_watch import IdleWatch, IdleWatchArgs, WatchedPool
from .idle_watch_outline import emails, watched
from .retention import retention_days
from .storage import Place, Storage, StorageArgs
from .storage_outline import LustreOutline, lustre_outline


def build_surroundings(name: str, plan: Assembly, ground: Ground, handle: ClusterHandle, opts: pulumi.ResourceOptions) -> None:
    """Everything of these that the stack file asks for; the namespace always."""
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
    if spec.idle.watch is not None:
        IdleWatch(f"{name}-idle-watch", _watch(plan, spec.idle.watch, handle), opts)


def _watch(plan: Assembly, watch: IdleWatchSpec, handle: ClusterHandle) -> IdleWatchArgs:
    spec, groups = plan.spec, {pool.name: pool.resource for pool in handle.pools}
    pools = [
        WatchedPool(name=pool.name, gpus={machine.name: machine.devices for machine in pool.machines}, group=group)
        for pool in watched(plan.pools)
        if isinstance(group := groups[pool.name], eks.NodeGroup)
    ]
    return IdleWatchArgs(
        cluster=spec.name,
        account=spec.account,
        region=plan.region,
        stack=plan.stack,
        pools=pools,
        schedule_minutes=watch.schedule_minutes,
        grace_minutes=spec.idle.grace_minutes,
        acts=spec.idle.strongest_action != "notify",
        notify_arn=watch.notify_arn,
        emails=emails(spec),
        log_days=retention_days(spec),
        identity=plan.identity,
    )


def _place(ground: Ground, lustre: LustreOutline) -> Place:
    return Place(
        vpc_id=ground.network.vpc_id,
        subnet_id=ground.network.node_subnet_ids[lustre.zone],
        node_security_group_id=ground.cluster.security_group_id,
        fabric_security_group_id=ground.fabric.security_group_id if ground.fabric else None,
    )
