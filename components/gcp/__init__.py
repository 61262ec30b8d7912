"""GPU clusters on Google Cloud: GKE, GPUDirect, node pools. Importing this loads no SDK; asking for a component does."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .outline import PoolOutline, pool_outlines
from .remarks import remarks
from .unbuilt import Refusal, refuse_unbuilt

if TYPE_CHECKING:
    from .cluster import Cluster, ClusterArgs
    from .fabric import Fabric, FabricArgs
    from .inference import InferenceCluster, InferenceClusterArgs
    from .network import Network, NetworkArgs
    from .node_pool import NodePool, NodePoolArgs
    from .stack import build
    from .training import TrainingCluster, TrainingClusterArgs

_LAZY = {
    "Cluster": "cluster",
    "ClusterArgs": "cluster",
    "Fabric": "fabric",
    "FabricArgs": "fabric",
    "InferenceCluster": "inference",
    "InferenceClusterArgs": "inference",
    "Network": "network",
    "NetworkArgs": "network",
    "NodePool": "node_pool",
    "NodePoolArgs": "node_pool",
    "TrainingCluster": "training",
    "TrainingClusterArgs": "training",
    "build": "stack",
}

__all__ = [
    "Cluster",
    "ClusterArgs",
    "Fabric",
    "FabricArgs",
    "InferenceCluster",
    "InferenceClusterArgs",
    "Network",
    "NetworkArgs",
    "NodePool",
    "NodePoolArgs",
    "PoolOutline",
    "Refusal",
    "TrainingCluster",
    "TrainingClusterArgs",
    "build",
    "pool_outlines",
    "refuse_unbuilt",
    "remarks",
]


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_LAZY[name]}", __name__), name)
