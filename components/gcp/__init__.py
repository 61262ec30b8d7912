"""GPU clusters on Google Cloud: GKE, GPUDirect, node pools. Importing this loads no SDK; asking for a component does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components.on_demand import parts_of

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

__getattr__ = parts_of(__name__)
