"""The namespace in which a cluster's own workloads run, with the pod security that they can live with."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components.handle import ClusterHandle
from components.ownership import FabricPlugin

LEVEL = "pod-security.kubernetes.io/{}"


@dataclass(frozen=True, kw_only=True)
class WorkspaceArgs:
    cluster: ClusterHandle
    workload: str
    """`training` or `inference`: the name of the namespace."""


class Workspace(pulumi.ComponentResource):
    """A namespace named after the workload."""

    namespace: pulumi.Output[str]
    resource: kubernetes.core.v1.Namespace

    def __init__(self, name: str, args: WorkspaceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:k8s:Workspace", name, {}, opts)
        self.resource = kubernetes.core.v1.Namespace(
            name,
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=args.workload, labels=pod_security(args.cluster)),
            opts=args.cluster.options(self),
        )
        self.namespace = self.resource.metadata.apply(lambda metadata: str(metadata.name))
        self.register_outputs({"namespace": self.namespace})


def pod_security(cluster: ClusterHandle) -> dict[str, str]:
    """Pod Security labels: `restricted`, but where the fast fabric needs locked memory.

    E11: RDMA needs the capability IPC_LOCK, which `baseline` and `restricted` refuse. There nothing is refused, and whatever
    `restricted` would have refused is answered with a warning. Source: Kubernetes documentation, "Pod Security Standards".
    """
    fabric = any(pool.ownership.fabric_plugin is not FabricPlugin.NOBODY for pool in cluster.pools)
    enforced = "privileged" if fabric else "restricted"
    return {LEVEL.format("enforce"): enforced, LEVEL.format("warn"): "restricted", LEVEL.format("audit"): "restricted"}
