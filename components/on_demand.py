"""The public parts of a cloud family, loaded when they are asked for: importing a family loads no SDK."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

_HOMES = {
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
"""The module of each part, the same in every family."""


def parts_of(package: str) -> Callable[[str], object]:
    """The `__getattr__` of a family's package."""

    def part(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f".{_HOMES[name]}", package), name)

    return part
