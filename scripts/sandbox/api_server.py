"""The Kubernetes side of a simulated cluster: its life, its nodes, and what they offer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from components import catalog
from components.catalog import Machine
from scripts.sandbox import objects
from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.place import Place
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_FIRST_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_POOL_LABELS = {"ON_DEMAND": "ON_DEMAND", "SPOT": "SPOT", "CAPACITY_BLOCK": "CAPACITY_BLOCK"}


def key_of(cluster: Record) -> str:
    return Place.of(cluster.key).in_cluster(cluster.id).key


def start(world: Simulation, cluster: Record) -> None:
    for name in _FIRST_NAMESPACES:
        if world.store.get(t.NAMESPACE, key_of(cluster), name) is None:
            objects.put(world, key_of(cluster), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def stop(world: Simulation, cluster: Record) -> None:
    for record in world.store.in_place(key_of(cluster)):
        world.store.drop(record)


def _place(group: Record) -> str:
    return Place.of(group.key).in_cluster(str(group.state["cluster"])).key


def node_name(instance: Record) -> str:
    region = Place.of(instance.key).region
    domain = "ec2.internal" if region == "us-east-1" else f"{region}.compute.internal"
    return f"ip-{str(instance.state['privateIp']).replace('.', '-')}.{domain}"


def join(world: Simulation, group: Record, instance: Record, machine: Machine) -> None:
    """The instance registers as node: labels and taints of its group, resources of its machine (without reserved parts)."""
    image = catalog.image("aws", str(group.state["amiType"]))
    resources = {"cpu": str(machine.vcpus), "memory": f"{int(machine.memory_gib * 1024)}Mi", "pods": "110"}
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": node_name(instance),
            "labels": _labels(group, instance, machine),
            "annotations": {"gpukit.dev/simulated": "true"},
        },
        "spec": {"providerID": f"aws:///{instance.state['availabilityZone']}/{instance.id}", "taints": _taints(group)},
        "status": {
            "capacity": resources,
            "allocatable": resources,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "lastTransitionTime": world.clock.text()}],
            "addresses": [
                {"type": "InternalIP", "address": instance.state["privateIp"]},
                {"type": "Hostname", "address": node_name(instance)},
            ],
            "nodeInfo": {
                **dict.fromkeys(("bootID", "machineID", "systemUUID", "kernelVersion", "containerRuntimeVersion"), "simulated"),
                "kubeProxyVersion": "simulated",
                "kubeletVersion": f"v{group.state['version']}.0-eks-simulated",
                "osImage": f"{image.os if image else 'custom'} (simulated)",
                "architecture": "amd64" if machine.arch == "x86_64" else "arm64",
                "operatingSystem": "linux",
            },
        },
    }
    record = objects.put(world, _place(group), node)
    world.store.put(replace(record, parent=None, tags={"instance": instance.ref}))


def _labels(group: Record, instance: Record, machine: Machine) -> dict[str, str]:
    zone = str(instance.state["availabilityZone"])
    return {
        "kubernetes.io/hostname": node_name(instance),
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64" if machine.arch == "x86_64" else "arm64",
        "node.kubernetes.io/instance-type": machine.name,
        "topology.kubernetes.io/zone": zone,
        "topology.kubernetes.io/region": zone[:-1],
        "eks.amazonaws.com/nodegroup": str(group.state["nodeGroup"]),
        "eks.amazonaws.com/capacityType": _POOL_LABELS.get(str(group.state["capacityType"]), "ON_DEMAND"),
        **{k: str(v) for k, v in group.state["labels"].items()},
    }


def _taints(group: Record) -> list[dict[str, str]]:
    return [
        {
            "key": str(taint["key"]),
            "value": str(taint.get("value") or ""),
            "effect": _EFFECTS.get(str(taint["effect"]), str(taint["effect"])),
        }
        for taint in group.state["taints"]
    ]


def relabel(world: Simulation, group: Record) -> None:
    """EKS carries changed labels and taints of a group to its running nodes."""
    for instance in world.store.children(group):
        node = world.store.get(t.NODE, _place(group), node_name(instance)) if instance.kind == t.INSTANCE else None
        machine = catalog.find_machine("aws", str(instance.state.get("instanceType", "")))
        if node is not None and machine is not None:
            metadata = {**node.state["metadata"], "labels": _labels(group, instance, machine)}
            world.store.put(node.with_state(metadata=metadata, spec={**node.state["spec"], "taints": _taints(group)}))


def leave(world: Simulation, instance: Record) -> None:
    """The node of an ended instance goes, and the pods on it."""
    group = world.store.by_ref(instance.parent)
    if group is None or "cluster" not in group.state:
        return
    node = world.store.get(t.NODE, _place(group), node_name(instance))
    if node is None:
        return
    for pod in world.store.of_kind(t.POD, node.key):
        if pod.state.get("spec", {}).get("nodeName") == node.id:
            world.store.drop(pod)
    world.store.drop(node)


def seen(world: Simulation, record: Record) -> dict[str, Any]:
    """An object as its API server shows it: a node's extended resources follow from the plugins that are installed now."""
    body = dict(record.state)
    if record.kind != t.NODE:
        return body
    extended = extended_resources(world, record)
    status = dict(body.get("status") or {})
    for name in ("capacity", "allocatable"):
        status[name] = {**status.get(name, {}), **extended}
    return {**body, "status": status}


def extended_resources(world: Simulation, node: Record) -> dict[str, str]:
    """`nvidia.com/gpu` and `vpc.amazonaws.com/efa` of a node.

    Simplified: a GPU counts when the image or a release brings the driver and a device plugin runs (image, GPU Operator, plugin chart);
    an EFA interface counts when the EFA plugin's chart is installed. Selectors and tolerations of the charts are not evaluated.
    """
    instance = world.store.by_ref(node.tags.get("instance"))
    if instance is None:
        return {}
    group = world.store.by_ref(instance.parent)
    machine = catalog.find_machine("aws", str(instance.state["instanceType"]))
    image = catalog.image("aws", str(group.state["amiType"])) if group else None
    releases = [r.state for r in world.store.of_kind(t.RELEASE, node.key)]
    found: dict[str, str] = {}
    if machine is not None and machine.vendor == "NVIDIA" and machine.gpu_count >= 1:
        driver = bool(image and image.driver) or _operator(releases, "driver")
        plugin = bool(image and image.device_plugin) or _operator(releases, "devicePlugin") or _installed(releases, "nvidia-device-plugin")
        found.update(_gpus(node, machine, releases, runs=driver and plugin))
    efa = sum(1 for i in world.store.children(instance) if str(i.state.get("interfaceType", "")).startswith("efa"))
    if efa:
        found["vpc.amazonaws.com/efa"] = str(efa) if _installed(releases, "aws-efa-k8s-device-plugin") else "0"
    return found


def exports_metrics(world: Simulation, key: str) -> bool:
    """Whether the cluster runs NVIDIA's exporter: the GPU Operator brings it unless told otherwise."""
    return _operator([r.state for r in world.store.of_kind(t.RELEASE, key)], "dcgmExporter")


def _gpus(node: Record, machine: Machine, releases: list[Mapping[str, Any]], *, runs: bool) -> dict[str, str]:
    """Whole GPUs, or slices of them where the node's label names a configuration of the operator's device plugin that makes some."""
    gpus = int(machine.gpu_count) if runs else 0
    label = (node.state["metadata"].get("labels") or {}).get("nvidia.com/device-plugin.config")
    slices = _replicas(releases, label) if label else 1
    return {"nvidia.com/gpu.shared": str(gpus * slices)} if slices > 1 else {"nvidia.com/gpu": str(gpus)}


def _replicas(releases: list[Mapping[str, Any]], name: str) -> int:
    for release in releases:
        plugin = (release.get("values") or {}).get("devicePlugin") or {}
        text = ((plugin.get("config") or {}).get("data") or {}).get(name)
        if text:
            slicing = (json.loads(text).get("sharing") or {}).get("timeSlicing") or {}
            return int((slicing.get("resources") or [{"replicas": 1}])[0]["replicas"])
    return 1


def _installed(releases: list[Mapping[str, Any]], chart: str) -> bool:
    return any(str(release.get("chart", "")).rsplit("/", 1)[-1] == chart for release in releases)


def _operator(releases: list[Mapping[str, Any]], part: str) -> bool:
    """Whether a GPU Operator release runs one of its parts; both are on by its chart's defaults."""
    for release in releases:
        if str(release.get("chart", "")).rsplit("/", 1)[-1] == "gpu-operator":
            settings = (release.get("values") or {}).get(part) or {}
            return settings.get("enabled", True) is not False
    return False
