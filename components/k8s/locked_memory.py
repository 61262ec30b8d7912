"""Locked memory without a limit on nodes with RDMA, for containers that do not run as root.

RDMA pins its buffers. Kubernetes sets no limit for locked memory, so that a container inherits containerd's, a few MiB; the capability
IPC_LOCK lifts it for root alone (nvidia-container-toolkit#2037), and AKS offers no setting (AKS#4893). What containerd itself may lock is
raised while it runs, without a restart: each container that starts from then on inherits it (prlimit(2): limits pass to children).
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components.handle import ClusterHandle
from components.naming import FABRIC_LABEL

from .gpu_operator import tolerate

APP = "gpukit-locked-memory"
HOST = "/host"
AGAIN_SECONDS = 30
"""A containerd that was restarted has its old limit again (judgement)."""
SCRIPT = (
    "while true; do "
    'pid="$(pidof -s containerd)" && '
    f'chroot {HOST} prlimit --pid "$pid" --memlock=unlimited:unlimited || echo "containerd is not found yet"; '
    f"sleep {AGAIN_SECONDS}; done"
)


@dataclass(frozen=True, kw_only=True)
class LockedMemoryArgs:
    """`image` has a shell, `pidof` and `chroot`; `namespace` takes privileged pods; `fabric` is the value of the fabric's label."""

    cluster: ClusterHandle
    image: str
    namespace: str
    fabric: str
    after: tuple[pulumi.Resource, ...] = ()


class LockedMemory(pulumi.ComponentResource):
    """One pod on each node with the fabric, which lifts the limit there and keeps it lifted."""

    def __init__(self, name: str, args: LockedMemoryArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:k8s:LockedMemory", name, {}, opts)
        labels = {"app": APP}
        kubernetes.apps.v1.DaemonSet(
            name,
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=APP, namespace=args.namespace, labels=labels),
            spec=kubernetes.apps.v1.DaemonSetSpecArgs(
                selector=kubernetes.meta.v1.LabelSelectorArgs(match_labels=labels),
                template=kubernetes.core.v1.PodTemplateSpecArgs(metadata=kubernetes.meta.v1.ObjectMetaArgs(labels=labels), spec=_pod(args)),
            ),
            opts=args.cluster.options(self, *args.after),
        )
        self.register_outputs({})


def _pod(args: LockedMemoryArgs) -> kubernetes.core.v1.PodSpecArgs:
    host = kubernetes.core.v1.HostPathVolumeSourceArgs(path="/", type="Directory")
    return kubernetes.core.v1.PodSpecArgs(
        host_pid=True,  # containerd is a process of the host
        automount_service_account_token=False,
        node_selector={FABRIC_LABEL: args.fabric},
        tolerations=[
            kubernetes.core.v1.TolerationArgs(key=t["key"], operator=t["operator"], effect=t["effect"])
            for t in tolerate(args.cluster.taints)
        ],
        priority_class_name="system-node-critical",
        termination_grace_period_seconds=0,
        containers=[
            kubernetes.core.v1.ContainerArgs(
                name="lift",
                image=args.image,
                command=["/bin/sh", "-c", SCRIPT],
                security_context=kubernetes.core.v1.SecurityContextArgs(privileged=True),
                resources=kubernetes.core.v1.ResourceRequirementsArgs(requests={"cpu": "1m", "memory": "8Mi"}, limits={"memory": "32Mi"}),
                volume_mounts=[kubernetes.core.v1.VolumeMountArgs(name="host", mount_path=HOST, read_only=True)],
            )
        ],
        volumes=[kubernetes.core.v1.VolumeArgs(name="host", host_path=host)],
    )
