"""Everything of a cluster on Azure, in the order in which it can stand. Training and inference differ by their specification alone."""

from __future__ import annotations

import pulumi

from components.decisions import Whole

from .assembly import Assembly, build_gpu_stack, build_ground, build_pool, cluster_handle
from .surroundings import build_surroundings


def build_whole(name: str, plan: Assembly, parent: pulumi.ComponentResource) -> Whole:
    """The cluster of `plan`; its resources are children of `parent`."""
    own = pulumi.ResourceOptions(parent=parent)
    # 1. resource groups, network, control plane with the pool that carries the cluster's own pods
    ground = build_ground(name, plan, parent)

    # 2. the GPU pools, each a resource of its own (H9)
    pools = [build_pool(name, plan, pool, ground, own) for pool in plan.pools]

    # 3. the fabric and the GPU stack
    handle = cluster_handle(plan, ground, pools)
    build_gpu_stack(name, plan, handle, own)

    # 4. namespace of the workloads, storage, budget alarm
    build_surroundings(name, plan, ground, handle, own)
    return Whole(handle=handle, outputs={"name": ground.cluster.name, "kubeconfig": ground.cluster.kubeconfig})
