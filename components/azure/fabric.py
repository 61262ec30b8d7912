"""The InfiniBand fabric of a cluster: what makes the adapters of its ND nodes usable by pods."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components.handle import ClusterHandle
from components.k8s.locked_memory import LockedMemory, LockedMemoryArgs
from components.k8s.network_operator import NAMESPACE, NetworkOperator, NetworkOperatorArgs

from .outline import INFINIBAND

INFINIBAND_DEVICES = ("101c", "101e")
"""PCI ids of the virtual functions that Azure gives to ND machines (ConnectX-6, ConnectX-7). Source: Azure's AKS RDMA InfiniBand project."""

SHELL_IMAGE = "mcr.microsoft.com/cbl-mariner/busybox:2.0"
"""A shell from Azure's own registry. Source: AKS documentation, "Connect to AKS cluster nodes for maintenance or troubleshooting"."""


@dataclass(frozen=True, kw_only=True)
class FabricArgs:
    """The cluster whose pools have InfiniBand."""

    cluster: ClusterHandle


class Fabric(pulumi.ComponentResource):
    """NVIDIA's Network Operator with its policy, and locked memory without a limit, on nodes with InfiniBand adapters and no others.

    The fabric itself is the scale set of each pool, whose nodes share a partition key (E1): Azure has no resource for it.
    """

    operator: kubernetes.helm.v3.Release
    ready: pulumi.CustomResource
    """The policy: the GPU Operator's driver comes after it."""

    def __init__(self, name: str, args: FabricArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:azure:Fabric", name, {}, opts)
        operator_args = NetworkOperatorArgs(cluster=args.cluster, devices=INFINIBAND_DEVICES)
        made = NetworkOperator(f"{name}-network-operator", operator_args, pulumi.ResourceOptions(parent=self))
        limits = LockedMemoryArgs(cluster=args.cluster, image=SHELL_IMAGE, namespace=NAMESPACE, fabric=INFINIBAND, after=(made.release,))
        LockedMemory(f"{name}-locked-memory", limits, pulumi.ResourceOptions(parent=self))
        self.operator, self.ready = made.release, made.policy
        self.register_outputs({})
