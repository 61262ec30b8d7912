"""The GPU fabric on a GKE cluster: networks that pods ask for, NCCL's plugin on every node with the fabric, devices for its sidecar.

Sources: API of networking.gke.io; GKE documentation, "Maximize GPU network bandwidth in Standard mode clusters" and "AI-optimized clusters
with GPUDirect RDMA"; contents of the installers that Google publishes (images, host paths, sysctls).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pulumi
import pulumi_kubernetes as kubernetes

from components.handle import ClusterHandle

from .nccl_installer import Transport, device_injector, installer

GROUP = "networking.gke.io"
NAMESPACE = "kube-system"


@dataclass(frozen=True, kw_only=True)
class FabricNetwork:
    """One network of the fabric: its name in the cluster, and the VPC and the subnet behind it."""

    name: str
    vpc: pulumi.Input[str]
    subnetwork: pulumi.Input[str]
    device_mode: Literal["NetDevice", "RDMA"]


@dataclass(frozen=True, kw_only=True)
class GkeFabricArgs:
    cluster: ClusterHandle
    networks: Sequence[FabricNetwork]
    """In the order of a node's interfaces; empty where GKE manages them itself (DRANET)."""
    transports: Mapping[Transport, Sequence[str]]
    """Each transport of the pools, with the accelerators whose nodes use it."""


class GkeFabric(pulumi.ComponentResource):
    """Networks of the fabric as objects of the cluster, and the parts of NCCL's transport on its nodes.

    D2: without the objects nodes have all their interfaces and no pod can use one.
    """

    def __init__(self, name: str, args: GkeFabricArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:k8s:GkeFabric", name, {}, opts)
        for network in args.networks:
            self._network(name, network, args.cluster)
        for transport, accelerators in args.transports.items():
            self._daemon_set(f"{name}-{transport}-installer", installer(transport, accelerators), args.cluster)
        if any(transport != "gib" for transport in args.transports):
            self._daemon_set(f"{name}-device-injector", device_injector(), args.cluster)
        self.register_outputs({"networks": [network.name for network in args.networks]})

    def _network(self, name: str, network: FabricNetwork, cluster: ClusterHandle) -> None:
        """The parameters first: a network that refers to none is not ready."""
        parameters = kubernetes.apiextensions.CustomResource(
            f"{name}-{network.name}-parameters",
            api_version=f"{GROUP}/v1",
            kind="GKENetworkParamSet",
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=network.name),
            spec={"vpc": network.vpc, "vpcSubnet": network.subnetwork, "deviceMode": network.device_mode},
            opts=cluster.options(self),
        )
        kubernetes.apiextensions.CustomResource(
            f"{name}-{network.name}",
            api_version=f"{GROUP}/v1",
            kind="Network",
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=network.name),
            spec={"type": "Device", "parametersRef": {"group": GROUP, "kind": "GKENetworkParamSet", "name": network.name}},
            opts=cluster.options(self, parameters),
        )

    def _daemon_set(self, name: str, pod: kubernetes.core.v1.PodSpecArgs, cluster: ClusterHandle) -> None:
        labels = {"app": name}
        kubernetes.apps.v1.DaemonSet(
            name,
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=name, namespace=NAMESPACE, labels=labels),
            spec=kubernetes.apps.v1.DaemonSetSpecArgs(
                selector=kubernetes.meta.v1.LabelSelectorArgs(match_labels=labels),
                template=kubernetes.core.v1.PodTemplateSpecArgs(metadata=kubernetes.meta.v1.ObjectMetaArgs(labels=labels), spec=pod),
            ),
            opts=cluster.options(self),
        )
