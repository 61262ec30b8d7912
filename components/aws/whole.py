"""Everything of a cluster on AWS, in the order in which it can stand. Training and inference differ by their specification alone."""

from __future__ import annotations

import pulumi

from components.decisions import Whole

from .assembly import (
    Assembly,
    Ground,
    build_cluster,
    build_fabric,
    build_gpu_stack,
    build_network,
    build_node_services,
    build_pool,
    cluster_handle,
    warn_of_ended_blocks,
)
from .surroundings import build_surroundings


def build_whole(name: str, plan: Assembly, parent: pulumi.ComponentResource) -> Whole:
    """The cluster of `plan`; its resources are children of `parent`."""
    own = pulumi.ResourceOptions(parent=parent)
    warn_of_ended_blocks(plan, parent)

    # 1. network, the group that EFA needs, control plane
    network = build_network(name, plan, own)
    fabric = build_fabric(name, plan, network, own)
    cluster = build_cluster(name, plan, network, own)

    # 2. the pool that carries the cluster's own pods, then the GPU pools
    ground = Ground(network=network, cluster=cluster, fabric=fabric)
    system = build_pool(name, plan, plan.system, ground, own)
    pools = [build_pool(name, plan, pool, ground, own) for pool in plan.pools]

    # 3. add-ons, autoscaler and the GPU stack, once there are nodes for their controllers
    handle = cluster_handle(plan, cluster, system, pools)
    build_node_services(name, plan, ground, handle, own)
    build_gpu_stack(name, plan, handle, own)

    # 4. namespace of the workloads, storage, budget alarm
    build_surroundings(name, plan, ground, handle, own)
    return Whole(handle=handle, outputs={"name": cluster.name, "kubeconfig": cluster.kubeconfig})
