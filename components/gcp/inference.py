"""An inference cluster on GKE: GPU nodes that serve, each for itself."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi

from components.handle import ClusterHandle
from components.spec import InferenceSpec

from .assembly import Assembly
from .whole import build_whole


@dataclass(frozen=True, kw_only=True)
class InferenceClusterArgs(Assembly):
    """The specification of an inference cluster and the stack that it belongs to. Raises SpecErrors for what cannot be built."""

    spec: InferenceSpec


class InferenceCluster(pulumi.ComponentResource):
    """A network, a GKE cluster with an untainted pool for itself, GPU pools without fabric or placement unless asked for, and the GPU
    stack.
    """

    handle: ClusterHandle

    def __init__(self, name: str, args: InferenceClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:gcp:InferenceCluster", name, {}, opts)
        whole = build_whole(name, args, self)
        self.handle = whole.handle
        self.register_outputs(whole.outputs)
