"""NVIDIA's GPU Operator: whatever of the GPU stack the nodes' image does not bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components import catalog
from components.handle import ClusterHandle
from components.inventory import Owner
from components.ownership import FabricPlugin, operator_values
from components.sharing import WHOLE_GPUS, plugin_configs

from .critical_quota import critical_quota
from .release import release

CHART = "gpu-operator"
NAMESPACE = "gpu-operator"
PLUGIN_CONFIG = "gpukit-device-plugin"
EXPORTER_MIB_PER_GPU = 128
EXPORTER_MIB_LEAST = 512
"""I3: half of the exporters on 8-GPU nodes ran out of 512 MiB; with 8 GPUs this gives 1 GiB."""


@dataclass(frozen=True, kw_only=True)
class GpuOperatorArgs:
    cluster: ClusterHandle
    after: tuple[pulumi.CustomResource, ...] = ()
    """What the operator builds on: the fabric's driver, and node feature discovery where another release has it."""


class GpuOperator(pulumi.ComponentResource):
    """The operator in a namespace of its own, set to the parts that no pool's image owns."""

    release: kubernetes.helm.v3.Release

    def __init__(self, name: str, args: GpuOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:k8s:GpuOperator", name, {}, opts)
        ground: pulumi.Resource = self._namespace(name, args.cluster)
        if args.cluster.cloud == "gcp":
            ground = critical_quota(name, NAMESPACE, args.cluster, self, ground)
        self.release = release(name, catalog.chart(CHART), NAMESPACE, values(args.cluster), args.cluster.options(self, ground, *args.after))
        self.register_outputs({"version": catalog.chart(CHART).version})

    def _namespace(self, name: str, cluster: ClusterHandle) -> kubernetes.core.v1.Namespace:
        """Privileged, since driver containers and plugins reach into the host; said for Pod Security, which would refuse them."""
        return kubernetes.core.v1.Namespace(
            name,
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=NAMESPACE, labels={"pod-security.kubernetes.io/enforce": "privileged"}),
            opts=cluster.options(self),
        )


def values(cluster: ClusterHandle) -> dict[str, object]:
    """The chart's values for this cluster's pools. Raises OwnersConflict when no one setting serves them all (C3)."""
    tolerations = tolerate(cluster.taints)
    owned = operator_values({pool.name: pool.ownership for pool in cluster.pools})
    settings: dict[str, dict[str, object]] = {
        "operator": {"runtimeClass": runtime_class(cluster)},
        "daemonsets": {"tolerations": tolerations},
        # C15: nodes are replaced, their drivers are not changed under jobs
        "driver": {"upgradePolicy": {"autoUpgrade": False}, **_peer_memory(cluster)},
        "devicePlugin": {"env": _plugin_environment(cluster), **_plugin_config(cluster)},
        **_mig(cluster),
        **_toolkit(cluster),
        "dcgmExporter": {
            "serviceMonitor": {"enabled": False},  # H5: the chart would ask the API server whether the kind exists
            "resources": {"limits": {"memory": _exporter_memory(cluster)}},
        },
        # C19: pools grow and shrink, so what nodes left behind must be collected
        "node-feature-discovery": {"worker": {"tolerations": tolerations}, "gc": {"enable": True}},
    }
    return {section: {**owned.get(section, {}), **settings.get(section, {})} for section in {**owned, **settings}}


def runtime_class(cluster: ClusterHandle) -> str:
    """AKS names the runtime of the toolkit that it installs; with the wrong name the operator's pods find none."""
    by_aks = cluster.cloud == "azure" and any(pool.ownership.toolkit is Owner.CLOUD for pool in cluster.pools)
    return "nvidia-container-runtime" if by_aks else "nvidia"


def _peer_memory(cluster: ClusterHandle) -> dict[str, object]:
    """InfiniBand: the driver's pod loads nvidia-peermem beside the Network Operator's driver, not the host's."""
    wired = cluster.cloud == "azure" and any(pool.fabric_devices for pool in cluster.pools)
    return {"rdma": {"enabled": True, "useHostMofed": False}} if wired else {}


def tolerate(taints: Sequence[str]) -> list[dict[str, str]]:
    """Tolerations of every taint: a chart's default list is replaced, never added to."""
    return [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in taints]


def _plugin_environment(cluster: ClusterHandle) -> list[dict[str, str]]:
    """EFA nodes: the plugin must not hand out RDMA devices, which the fabric's own plugin owns."""
    with_fabric = cluster.cloud == "aws" and any(pool.ownership.fabric_plugin is not FabricPlugin.NOBODY for pool in cluster.pools)
    return [{"name": "MOFED_ENABLED", "value": "false"}] if with_fabric else []


def _plugin_config(cluster: ClusterHandle) -> dict[str, object]:
    """Configurations that nodes choose by their label (I6), where some pool's GPUs are sliced."""
    slices = [pool.sharing.time_slices for pool in cluster.pools]
    if max(slices, default=1) == 1:
        return {}
    return {"config": {"create": True, "name": PLUGIN_CONFIG, "default": WHOLE_GPUS, "data": plugin_configs(slices)}}


def _toolkit(cluster: ClusterHandle) -> dict[str, dict[str, object]]:
    """The runtime's settings are read from its file: asking the runtime itself left "nvidia" out of them on GKE (C6), and on AKS
    containerd failed and the node was not ready (aicr#1688).
    """
    by_operator = any(pool.ownership.toolkit is Owner.GPU_OPERATOR for pool in cluster.pools)
    if cluster.cloud == "aws" or not by_operator:
        return {}
    return {"toolkit": {"env": [{"name": "RUNTIME_CONFIG_SOURCE", "value": "file"}]}}


def _mig(cluster: ClusterHandle) -> dict[str, dict[str, object]]:
    """`mixed` names each device by its profile. Cloud machines divide their GPUs only after a reboot."""
    if not any(pool.sharing.mig for pool in cluster.pools):
        return {}
    if all(pool.sharing.cloud_mig for pool in cluster.pools if pool.sharing.mig):
        return {"mig": {"strategy": "mixed"}}
    return {"mig": {"strategy": "mixed"}, "migManager": {"env": [{"name": "WITH_REBOOT", "value": "true"}]}}


def _exporter_memory(cluster: ClusterHandle) -> str:
    most = max((pool.gpus_per_node for pool in cluster.pools), default=0)
    return f"{max(EXPORTER_MIB_LEAST, most * EXPORTER_MIB_PER_GPU)}Mi"
