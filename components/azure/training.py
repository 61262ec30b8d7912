"""A training cluster on AKS: GPU nodes that talk over InfiniBand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pulumi

from components.handle import ClusterHandle
from components.spec import TrainingSpec

from .assembly import Assembly, build_gpu_stack, build_ground, build_pool, cluster_handle
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
    """Resource groups, a network, an AKS cluster with an untainted pool for itself, GPU pools with their fabric, and the GPU stack on them."""

    handle: ClusterHandle

    def __init__(self, name: str, args: TrainingClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:azure:TrainingCluster", name, {}, opts)
        own = pulumi.ResourceOptions(parent=self)
        plan = args.plan

        # 1. resource groups, network, control plane with the pool that carries the cluster's own pods
        ground = build_ground(name, plan, self)

        # 2. the GPU pools, each a resource of its own (H9)
        pools = [build_pool(name, plan, pool, ground, own) for pool in plan.pools]

        # 3. the fabric and the GPU stack
        self.handle = cluster_handle(plan, ground, pools)
        build_gpu_stack(name, plan, self.handle, own)

        # 4. namespace of the workloads, storage, budget alarm
        build_surroundings(name, plan, ground, self.handle, own)

        self.register_outputs({"name": ground.cluster.name, "kubeconfig": ground.cluster.kubeconfig})
