"""NVIDIA's Network Operator: InfiniBand adapters that the machine already has, driven and advertised to pods as `rdma/ib`.

Sources: NVIDIA Network Operator documentation 26.4 (chart values, NicClusterPolicy) and Azure's AKS RDMA InfiniBand project.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components import catalog
from components.handle import ClusterHandle
from components.naming import FABRIC_LABEL, POOL_LABEL, SYSTEM_POOL

from .gpu_operator import tolerate
from .release import release

CHART = "network-operator"
NAMESPACE = "network-operator"
POLICY = "nic-cluster-policy"
"""The one name under which the operator looks for its policy."""
MELLANOX = "15b3"
DEVICE_LABEL = f"feature.node.kubernetes.io/pci-{MELLANOX}.present"
RESOURCE_PREFIX, RESOURCE_NAME = "rdma", "ib"
RDMA = f"{RESOURCE_PREFIX}/{RESOURCE_NAME}"
DRIVER_REPOSITORY, DRIVER_IMAGE, DRIVER_VERSION = "nvcr.io/nvidia/mellanox", "doca-driver", "doca3.4.1-26.04-1.1.0.0-1"
PLUGIN_REPOSITORY, PLUGIN_IMAGE, PLUGIN_VERSION = "nvcr.io/nvidia/mellanox", "sriov-network-device-plugin", "network-operator-v26.4.1"
"""Versions that belong to the chart's own release."""
BLACKLIST = "/host/etc/modprobe.d/blacklist-ofed-modules.conf"
"""doca-driver-build#52: the driver's container and the host race for the modules, unless the container writes its list to the host."""


@dataclass(frozen=True, kw_only=True)
class NetworkOperatorArgs:
    """`devices` are PCI ids of the InfiniBand functions. Raises ValueError without any: the policy would then fit no node."""

    cluster: ClusterHandle
    devices: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.devices:
            raise ValueError("network operator: no PCI device ids of InfiniBand functions are given, so no node would be found (E13)")


class NetworkOperator(pulumi.ComponentResource):
    """The operator, the rule by which nodes with InfiniBand are found, and the policy that gives them driver and device plugin."""

    release: kubernetes.helm.v3.Release
    policy: kubernetes.apiextensions.CustomResource
    """E13: without it the operator runs and nothing is advertised."""

    def __init__(self, name: str, args: NetworkOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:k8s:NetworkOperator", name, {}, opts)
        cluster = args.cluster
        namespace = kubernetes.core.v1.Namespace(
            name,
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=NAMESPACE, labels={"pod-security.kubernetes.io/enforce": "privileged"}),
            opts=cluster.options(self),
        )
        self.release = release(name, catalog.chart(CHART), NAMESPACE, values(cluster), cluster.options(self, namespace))
        rule = kubernetes.apiextensions.CustomResource(
            f"{name}-rule",
            api_version="nfd.k8s-sigs.io/v1alpha1",
            kind="NodeFeatureRule",
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name="gpukit-infiniband"),
            spec=device_rule(args.devices),
            opts=cluster.options(self, self.release),  # H4: its kind comes with the chart
        )
        self.policy = kubernetes.apiextensions.CustomResource(
            f"{name}-policy",
            api_version="mellanox.com/v1alpha1",
            kind="NicClusterPolicy",
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=POLICY),
            spec=policy(cluster),
            opts=cluster.options(self, self.release, rule),
        )
        self.register_outputs({"version": catalog.chart(CHART).version})


def values(cluster: ClusterHandle) -> dict[str, object]:
    """The chart's values. C18: this release carries the one node feature discovery of the cluster.

    A list of tolerations replaces the chart's, so that it is complete. The operator itself runs on the untainted pool.
    """
    worker = {"tolerations": tolerate(cluster.taints), "affinity": _away_from_system_nodes()}
    return {
        "nfd": {
            "enabled": True,
            # its rule labels every Mellanox card, and accelerated networking puts one into most Azure machines (E12)
            "deployNodeFeatureRules": False,
        },
        "upgradeCRDs": True,
        "sriovNetworkOperator": {"enabled": False},  # the cloud makes the virtual functions
        "maintenanceOperator": {"enabled": False},
        "node-feature-discovery": {"worker": worker, "gc": {"enable": True}},  # C19
    }


def device_rule(devices: Sequence[str]) -> dict[str, object]:
    """E12: nodes are known by the device ids of InfiniBand functions; vendor and driver are those of the Ethernet card too."""
    match = {"vendor": {"op": "In", "value": [MELLANOX]}, "device": {"op": "In", "value": list(devices)}}
    feature = {"feature": "pci.device", "matchExpressions": match}
    return {"rules": [{"name": "infiniband", "labels": {DEVICE_LABEL: "true"}, "matchFeatures": [feature]}]}


def policy(cluster: ClusterHandle) -> dict[str, object]:
    """Driver and device plugin on nodes with InfiniBand. The plugin hands all adapters of a node to one pod, each for itself."""
    return {
        **_nodes_with_infiniband(),
        "tolerations": tolerate(cluster.taints),
        "ofedDriver": {
            "repository": DRIVER_REPOSITORY,
            "image": DRIVER_IMAGE,
            "version": DRIVER_VERSION,
            "env": [{"name": "OFED_BLACKLIST_MODULES_FILE", "value": BLACKLIST}],
            "upgradePolicy": {"autoUpgrade": False},  # C15: nodes are replaced, their drivers are not changed under jobs
        },
        "sriovDevicePlugin": {
            "repository": PLUGIN_REPOSITORY,
            "image": PLUGIN_IMAGE,
            "version": PLUGIN_VERSION,
            "config": json.dumps(_resources()),
        },
    }


def _resources() -> Mapping[str, object]:
    """E12: InfiniBand links alone."""
    selectors = {"vendors": [MELLANOX], "linkTypes": ["infiniband"], "isRdma": True}
    return {"resourceList": [{"resourcePrefix": RESOURCE_PREFIX, "resourceName": RESOURCE_NAME, "selectors": selectors}]}


def _away_from_system_nodes() -> dict[str, object]:
    return _affinity([{"key": POOL_LABEL, "operator": "NotIn", "values": [SYSTEM_POOL]}])


def _affinity(expressions: Sequence[Mapping[str, object]]) -> dict[str, object]:
    terms = {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def _nodes_with_infiniband() -> dict[str, object]:
    """By the device, and by our own label: a pool of the same machines may have its fabric turned off."""
    wanted = [
        {"key": DEVICE_LABEL, "operator": "In", "values": ["true"]},
        {"key": FABRIC_LABEL, "operator": "In", "values": ["infiniband"]},
    ]
    return _affinity(wanted)
