"""A training cluster on AKS: GPU nodes that talk over InfiniBand."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi

from components.handle import ClusterHandle
from components.spec import TrainingSpec

from .assembly import Assembly
from .whole import build_whole


@dataclass(frozen=True, kw_only=True)
class TrainingClusterArgs(Assembly):
    """The specification of a training cluster and the stack that it belongs to. Raises SpecErrors for what cannot be built."""

    spec: TrainingSpec


class TrainingCluster(pulumi.ComponentResource):
    """Resource groups, a network, an AKS cluster with an untainted pool for itself, GPU pools with their fabric, and the GPU stack on them."""

    handle: ClusterHandle

    def __init__(self, name: str, args: TrainingClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:azure:TrainingCluster", name, {}, opts)
        whole = build_whole(name, args, self)
        self.handle = whole.handle
        self.register_outputs(whole.outputs)
