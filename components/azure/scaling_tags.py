"""Hints for the autoscaler about a pool without nodes (F1): tags of the scale set that say what a node will offer.

Source: README of the cluster autoscaler for Azure, "Scaling a VMSS node pool to and from 0": keys in which `_` stands for `/`. Whether AKS's
own autoscaler reads them is not established (`remarks` says so where a pool depends on it).
"""

from __future__ import annotations

from components.pool_outline import GPU_TAINT

from .outline import PoolOutline

PREFIX = "k8s.io_cluster-autoscaler_node-template"
RDMA = "rdma/ib"
"""What the fabric's device plugin advertises for each InfiniBand adapter."""


def unseen(pool: PoolOutline) -> dict[str, int]:
    """Resources of a node that AKS cannot know from its size: all but whole GPUs."""
    shared = {name: number for name, number in pool.sharing.offers.items() if name != GPU_TAINT}
    return {**shared, **({RDMA: pool.infiniband} if pool.infiniband else {})}


def scaling_tags(pool: PoolOutline) -> dict[str, str]:
    return {f"{PREFIX}_resources_{name.replace('/', '_')}": str(number) for name, number in unseen(pool).items()}
