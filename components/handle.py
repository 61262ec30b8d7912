"""The records through which the Kubernetes layer meets a cluster of any cloud: plain decisions, and the outputs it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from .inventory import Cloud
from .ownership import Ownership
from .sharing import Sharing


@dataclass(frozen=True, kw_only=True)
class PoolHandle:
    """One pool as its workloads see it."""

    name: str
    machine: str
    gpus_per_node: int
    fabric_devices: int
    """Fabric devices that a node advertises: EFA interfaces on AWS; 0 without fabric."""
    most_nodes: int
    labels: Mapping[str, str]
    taints: tuple[str, ...]
    """Keys tainted NoSchedule: what runs here must tolerate them."""
    ownership: Ownership
    sharing: Sharing
    """How its GPUs are offered to pods."""
    resource: pulumi.CustomResource
    """The node group itself, to depend on: never a component, which deadlocks across siblings."""


@dataclass(frozen=True, kw_only=True)
class ClusterHandle:
    """One cluster: how to reach it, what to hang in-cluster objects on, and its pools."""

    name: str
    cloud: Cloud
    region: str
    kubeconfig: pulumi.Output[str]
    """Secret; exec-type, holds no token (H7, H8)."""
    provider: kubernetes.Provider
    cluster: pulumi.Resource
    """The managed cluster, for `deleted_with` on objects without side effects in the cloud (H6)."""
    system: PoolHandle
    """The untainted pool; what the cluster itself needs waits for it (F10)."""
    pools: tuple[PoolHandle, ...]

    @property
    def taints(self) -> tuple[str, ...]:
        """Every taint key of the pools, for charts that must run on all of them."""
        return tuple(sorted({taint for pool in self.pools for taint in pool.taints}))

    def options(self, parent: pulumi.Resource, *depends_on: pulumi.Resource) -> pulumi.ResourceOptions:
        """Options of an in-cluster object that owns nothing in the cloud: gone with the cluster, no delete calls to a dead one."""
        return pulumi.ResourceOptions(
            parent=parent, provider=self.provider, deleted_with=self.cluster, depends_on=[self.system.resource, *depends_on]
        )
