"""The EFA device plugin: advertises EFA interfaces as `vpc.amazonaws.com/efa` on the nodes that have them."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components import catalog
from components.handle import ClusterHandle
from components.naming import FABRIC_LABEL

from .gpu_operator import tolerate
from .release import release

CHART = "aws-efa-k8s-device-plugin"
NAMESPACE = "kube-system"


@dataclass(frozen=True, kw_only=True)
class EfaPluginArgs:
    cluster: ClusterHandle


class EfaPlugin(pulumi.ComponentResource):
    """The plugin on nodes of pools with EFA, and on no others."""

    release: kubernetes.helm.v3.Release

    def __init__(self, name: str, args: EfaPluginArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:k8s:EfaPlugin", name, {}, opts)
        self.release = release(name, catalog.chart(CHART), NAMESPACE, values(args.cluster), args.cluster.options(self))
        self.register_outputs({"version": catalog.chart(CHART).version})


def values(cluster: ClusterHandle) -> dict[str, object]:
    """A12: the chart chooses nodes by machine type and crash-loops on one launched without EFA; our label tells them apart.

    Its list of tolerations is empty, so the pools' taints must be named.
    """
    return {"nodeSelector": {FABRIC_LABEL: "efa"}, "tolerations": tolerate(cluster.taints)}
