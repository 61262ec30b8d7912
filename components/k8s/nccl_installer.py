"""Pods that put NCCL's plugin for GPUDirect on the nodes of a fabric, and the one that hands GPU devices to its sidecar.

They change the node itself: the plugin comes to lie where GKE's device plugin mounts it into pods. Image and host paths, kernel module,
sysctls and the class of the PCI devices are those of Google's published installers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import pulumi_kubernetes as kubernetes

from components.catalog.gke_images import gke_image, plugin_image

Transport = Literal["tcpx", "tcpxo", "gib"]

HOST_BIN = "/home/kubernetes/bin"
ACCELERATOR_LABEL = "cloud.google.com/gke-accelerator"
GPU_LABEL = "cloud.google.com/gke-gpu"
RDMA_INTERFACES = 8
ENTRY = "/scripts/container_entry.sh install --install-nccl"

APERTURES = """\
set -e
iptables -I INPUT -p tcp -m tcp -j ACCEPT
modprobe import-helper
mkdir -p /dev/aperture_devices
for device in $(lspci -D -n -d 1ae0:0084 | cut -d ' ' -f 1); do
  place=/dev/aperture_devices/$device
  mkdir -p "$place"
  mountpoint -q "$place" || mount --bind "$(readlink -f "/sys/bus/pci/devices/$device")" "$place"
done
chmod -R a+r /dev/aperture_devices
chmod a+rw /dev/aperture_devices/*/resource*
"""
"""On the node: lets TCP in, loads the module that shares GPU memory, and shows the network cards' apertures to the sidecar."""

_Volume = kubernetes.core.v1.VolumeArgs
_Mount = kubernetes.core.v1.VolumeMountArgs
_Container = kubernetes.core.v1.ContainerArgs


def installer(transport: Transport, accelerators: Sequence[str]) -> kubernetes.core.v1.PodSpecArgs:
    """The pod that installs the plugin of `transport` on every node with one of `accelerators`, then does nothing."""
    prepare, (volumes, mounts, script) = _prepare(transport), _install(transport)
    plugin = _Container(
        name="plugin",
        image=plugin_image(transport),
        command=["/bin/sh", "-c", script],
        security_context=_privileged(),
        resources=_little(),
        volume_mounts=mounts,
    )
    return _on_nodes(ACCELERATOR_LABEL, accelerators, init=[*prepare, plugin], containers=[_pause()], volumes=volumes)


def device_injector() -> kubernetes.core.v1.PodSpecArgs:
    """The pod on every GPU node that gives a container the devices that its annotation lists, without privileges for it."""
    paths = {"dev": "/dev", "nri": "/var/run/nri"}
    injector = _Container(
        name="device-injector",
        image=gke_image("device-injector"),
        security_context=_privileged(),
        resources=_little(),
        volume_mounts=[_Mount(name=name, mount_path=path) for name, path in paths.items()],
    )
    return _on_nodes(GPU_LABEL, (), init=[], containers=[injector], volumes=[_from_host(name, path) for name, path in paths.items()])


def _prepare(transport: Transport) -> list[kubernetes.core.v1.ContainerArgs]:
    match transport:
        case "tcpxo":
            return [_shell("apertures", ["nsenter", "-at", "1", "--", "bash", "-c", APERTURES])]
        case "gib":
            # packets of one GPU's network that arrive by another are no fault here, and logging each would drown the node
            settings = " ".join(f"net.ipv4.conf.gpu{at}rdma0.log_martians=0" for at in range(RDMA_INTERFACES))
            return [_shell("quiet-log", ["/bin/sh", "-c", f"sysctl -w {settings}"])]
        case _:
            return []


def _install(transport: Transport) -> tuple[list[_Volume], list[_Mount], str]:
    """Host paths, where the plugin's container sees them, and what it runs."""
    if transport == "gib":
        lib, gib = f"{HOST_BIN}/nvidia/lib64", f"{HOST_BIN}/gib"
        script = f"set -e; {ENTRY}; cp -r /var/lib/gib/lib64/. /usr/local{lib}; cp -r /var/lib/gib/. /usr/local{gib}"
        mounts = [_Mount(name="lib", mount_path=f"/usr/local{lib}"), _Mount(name="gib", mount_path=f"/usr/local{gib}")]
        return [_from_host("lib", lib, create=True), _from_host("gib", gib, create=True)], mounts, script
    script = f"set -e; {ENTRY}; mkdir -p /usr/local/nvidia/lib64; cp -r /var/lib/{transport}/lib64/. /usr/local/nvidia/lib64"
    mounts = [_Mount(name="var-lib", mount_path="/var/lib"), _Mount(name="bin", mount_path="/usr/local")]
    return [_from_host("var-lib", "/var/lib"), _from_host("bin", HOST_BIN)], mounts, script


def _on_nodes(
    label: str,
    values: Sequence[str],
    *,
    init: list[kubernetes.core.v1.ContainerArgs],
    containers: list[kubernetes.core.v1.ContainerArgs],
    volumes: list[_Volume],
) -> kubernetes.core.v1.PodSpecArgs:
    """On nodes whose `label` has one of `values`, or any value; whatever taints they have, as nothing runs there before this."""
    wanted = kubernetes.core.v1.NodeSelectorRequirementArgs(
        key=label, operator="In" if values else "Exists", values=sorted(values) if values else None
    )
    term = kubernetes.core.v1.NodeSelectorTermArgs(match_expressions=[wanted])
    selector = kubernetes.core.v1.NodeSelectorArgs(node_selector_terms=[term])
    return kubernetes.core.v1.PodSpecArgs(
        priority_class_name="system-node-critical",
        affinity=kubernetes.core.v1.AffinityArgs(
            node_affinity=kubernetes.core.v1.NodeAffinityArgs(required_during_scheduling_ignored_during_execution=selector)
        ),
        tolerations=[kubernetes.core.v1.TolerationArgs(operator="Exists")],
        host_network=True,
        host_pid=True,
        init_containers=init or None,
        containers=containers,
        volumes=volumes,
    )


def _shell(name: str, command: list[str]) -> kubernetes.core.v1.ContainerArgs:
    return _Container(name=name, image=gke_image("host-shell"), command=command, security_context=_privileged())


def _pause() -> kubernetes.core.v1.ContainerArgs:
    return _Container(name="pause", image=gke_image("pause"))


def _from_host(name: str, path: str, *, create: bool = False) -> _Volume:
    source = kubernetes.core.v1.HostPathVolumeSourceArgs(path=path, type="DirectoryOrCreate" if create else None)
    return _Volume(name=name, host_path=source)


def _privileged() -> kubernetes.core.v1.SecurityContextArgs:
    return kubernetes.core.v1.SecurityContextArgs(privileged=True)


def _little() -> kubernetes.core.v1.ResourceRequirementsArgs:
    return kubernetes.core.v1.ResourceRequirementsArgs(requests={"cpu": "150m"})
