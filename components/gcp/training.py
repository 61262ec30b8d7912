"""A training cluster on GKE: GPU nodes that talk over their fabric, or TPU slices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pulumi

from components.handle import ClusterHandle
from components.spec import TrainingSpec

from .assembly import (
    Assembly,
    Ground,
    build_cluster,
    build_fabric,
    build_gpu_stack,
    build_network,
    build_pool,
    cluster_handle,
    warn_of_ended_windows,
)
from .surroundings import build_surroundings


@dataclass(frozen=True, kw_only=True)
class TrainingClusterArgs:
    """The specification of a training cluster and the stack that it belongs to. Raises SpecErrors for what cannot be built."""

    spec: TrainingSpec
    region: str
    stack: str

    def __post_init__(self) -> None:
        _ = self.plan

    @cached_property
    def plan(self) -> Assembly:
        return Assembly(spec=self.spec, region=self.region, stack=self.stack)


class TrainingCluster(pulumi.ComponentResource):
    """A network, a GKE cluster with an untainted pool for itself, GPU pools with their fabric, and the GPU stack on them."""

    handle: ClusterHandle

    def __init__(self, name: str, args: TrainingClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:gcp:TrainingCluster", name, {}, opts)
        own = pulumi.ResourceOptions(parent=self)
        plan = args.plan
        warn_of_ended_windows(plan, self)

        # 1. network, extra networks of the fabric, control plane
        network = build_network(name, plan, own)
        fabric = build_fabric(name, plan, own)
        cluster = build_cluster(name, plan, network, own)

        # 2. the pool that carries the cluster's own pods, then the GPU pools
        ground = Ground(network=network, cluster=cluster, fabric=fabric)
        system = build_pool(name, plan, plan.system, ground, own)
        pools = [build_pool(name, plan, pool, ground, own) for pool in plan.pools]

        # 3. the GPU stack and the fabric on the cluster, once there are nodes for their controllers
        self.handle = cluster_handle(plan, cluster, system, pools)
        build_gpu_stack(name, plan, ground, self.handle, own)

        # 4. namespace of the workloads, storage, budget alarm
        build_surroundings(name, plan, ground, self.handle, own)

        self.register_outputs({"name": cluster.name, "kubeconfig": cluster.kubeconfig})
