"""The Kubernetes side of AKS nodes: how a machine of a pool registers, and what it offers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from components.catalog import Machine
from scripts.sandbox import objects
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.paths import group_of, name_of, subscription_of
from scripts.sandbox.kinds.azure.sizes import machine
from scripts.sandbox.place import Place
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

NODE, POD, RELEASE = "kubernetes:core/v1:Node", "kubernetes:core/v1:Pod", "kubernetes:helm.sh/v3:Release"
POLICY = "kubernetes:mellanox.com/v1alpha1:NicClusterPolicy"
SPOT = "kubernetes.azure.com/scalesetpriority"
_MIG_SLICES = {"MIG1g": 7, "MIG2g": 3, "MIG3g": 2, "MIG4g": 1, "MIG7g": 1}
"""Instances of a profile on one GPU (AKS documentation, multi-instance GPU node pools)."""


def place_of_cluster(cluster_path: str) -> Place:
    """Where a cluster's objects live."""
    return Place("azure", subscription_of(cluster_path), group_of(cluster_path)).in_cluster(name_of(cluster_path))


def cluster_path(pool: Record) -> str:
    return pool.id.rpartition("/agentPools/")[0]


def key_of(pool: Record) -> str:
    return place_of_cluster(cluster_path(pool)).key


def node_name(vm: Record) -> str:
    return str(vm.state["computerName"])


def join(world: Simulation, pool: Record, vm: Record) -> None:
    """The machine registers as node: labels and taints of its pool, resources of its size (without reserved parts)."""
    size = machine(str(vm.state["size"]))
    resources = {"cpu": str(size.vcpus), "memory": f"{int(size.memory_gib * 1024)}Mi", "pods": str(pool.state.get("maxPods", 250))}
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node_name(vm), "labels": _labels(pool, vm, size), "annotations": _annotations(vm)},
        "spec": {"providerID": f"azure://{vm.id}", "taints": _taints(pool)},
        "status": {
            "capacity": resources,
            "allocatable": resources,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "lastTransitionTime": world.clock.text()}],
            "addresses": [
                {"type": "InternalIP", "address": vm.state["privateIp"]},
                {"type": "Hostname", "address": node_name(vm)},
            ],
            "nodeInfo": {
                **dict.fromkeys(("bootID", "machineID", "systemUUID", "kernelVersion", "containerRuntimeVersion"), "simulated"),
                "kubeProxyVersion": "simulated",
                "kubeletVersion": f"v{pool.state['currentOrchestratorVersion']}-simulated",
                "osImage": f"{pool.state['osSKU']} (simulated)",
                "architecture": _architecture(size),
                "operatingSystem": "linux",
            },
        },
    }
    record = objects.put(world, key_of(pool), node)
    world.store.put(replace(record, parent=None, tags={"instance": vm.ref}))


def _annotations(vm: Record) -> dict[str, str]:
    partition = vm.state.get("infinibandPartition")
    return {"gpukit.dev/simulated": "true", **({"gpukit.dev/simulated-pkey": str(partition)} if partition else {})}


def _architecture(size: Machine) -> str:
    return "amd64" if size.arch == "x86_64" else "arm64"


def _labels(pool: Record, vm: Record, size: Machine) -> dict[str, str]:
    region, zone, name = str(vm.state["location"]), str(vm.state.get("zone") or ""), name_of(pool.id)
    spot = {SPOT: "spot"} if pool.state.get("scaleSetPriority") == "Spot" else {}
    gpu = {"kubernetes.azure.com/accelerator": "nvidia"} if size.vendor == "NVIDIA" else {}
    return {
        "kubernetes.io/hostname": node_name(vm),
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": _architecture(size),
        "node.kubernetes.io/instance-type": size.name,
        "topology.kubernetes.io/region": region,
        "topology.kubernetes.io/zone": f"{region}-{zone}" if zone else "0",
        "agentpool": name,
        "kubernetes.azure.com/agentpool": name,
        "kubernetes.azure.com/mode": str(pool.state.get("mode", "User")).lower(),
        "kubernetes.azure.com/cluster": group_of(vm.id),
        **spot,
        **gpu,
        **{k: str(v) for k, v in (pool.state.get("nodeLabels") or {}).items()},
    }


def _taints(pool: Record) -> list[dict[str, str]]:
    """`key=value:Effect` as the pool gives them, and the taint that AKS puts on every spot node (E6)."""
    given = [str(text) for text in pool.state.get("nodeTaints") or ()]
    own = f"{SPOT}=spot:NoSchedule"
    if pool.state.get("scaleSetPriority") == "Spot" and own not in given:
        given.append(own)
    made: list[dict[str, str]] = []
    for text in given:
        rest, _, effect = text.rpartition(":")
        key, _, value = rest.partition("=")
        made.append({"key": key, "value": value, "effect": effect})
    return made


def relabel(world: Simulation, pool: Record, vms: list[Record]) -> None:
    """AKS carries changed labels and taints of a pool to its running nodes."""
    for vm in vms:
        node = world.store.get(NODE, key_of(pool), node_name(vm))
        if node is not None:
            metadata = {**node.state["metadata"], "labels": _labels(pool, vm, machine(str(vm.state["size"])))}
            world.store.put(node.with_state(metadata=metadata, spec={**node.state["spec"], "taints": _taints(pool)}))


def leave(world: Simulation, pool: Record, vm: Record) -> None:
    """The node of an ended machine goes, and the pods on it."""
    node = world.store.get(NODE, key_of(pool), node_name(vm))
    if node is None:
        return
    for pod in world.store.of_kind(POD, node.key):
        if pod.state.get("spec", {}).get("nodeName") == node.id:
            world.store.drop(pod)
    world.store.drop(node)


def extended_resources(world: Simulation, node: Record) -> dict[str, str]:
    """`nvidia.com/gpu` and `rdma/*` of a node.

    Simplified: a GPU counts when a driver is there (AKS's own unless the pool says None, else the GPU Operator's) and a device plugin runs;
    InfiniBand counts when the Network Operator and its policy are there (E13). Selectors and tolerations are not evaluated.
    """
    vm = world.store.by_ref(node.tags.get("instance"))
    scale_set = world.store.by_ref(vm.parent) if vm else None
    pool = world.store.by_ref(str(scale_set.state.get("pool") or "")) if scale_set else None
    if vm is None or pool is None:
        return {}
    size, releases = machine(str(vm.state["size"])), [r.state for r in world.store.of_kind(RELEASE, node.key)]
    found: dict[str, str] = {}
    if size.vendor == "NVIDIA" and size.gpu_count > 0:
        runs = _driver(pool, size, releases) and _plugin(releases)
        found["nvidia.com/gpu"] = str(_gpus(pool, size) if runs else 0)
    if size.fabric == "infiniband":
        found |= _rdma(world, node, size, releases)
    return found


def _driver(pool: Record, size: Machine, releases: list[Mapping[str, Any]]) -> bool:
    """E2: fractions of an A10 run with the GRID driver alone, which only AKS installs."""
    by_aks = (pool.state.get("gpuProfile") or {}).get("driver", "Install") != "None"
    grid = size.family == "StandardNVADSA10v5Family"
    return by_aks or (not grid and operator_part(releases, "driver"))


def _plugin(releases: list[Mapping[str, Any]]) -> bool:
    return operator_part(releases, "devicePlugin") or _installed(releases, "nvidia-device-plugin")


def _gpus(pool: Record, size: Machine) -> int:
    """Devices of a node: a fraction of a GPU is one, and with a MIG profile each instance is one."""
    slices = _MIG_SLICES.get(str(pool.state.get("gpuInstanceProfile") or ""), 1)
    return max(1, int(size.gpu_count)) * slices


def _rdma(world: Simulation, node: Record, size: Machine, releases: list[Mapping[str, Any]]) -> dict[str, str]:
    if not _installed(releases, "network-operator"):
        return {}
    return {
        name: str(slots or size.rdma_interfaces or 0)
        for policy in world.store.of_kind(POLICY, node.key)
        for name, slots in _rdma_names(policy.state.get("spec") or {})
    }


def _rdma_names(spec: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Resources of the policy's device plugin with slots a node; 0 slots: one a device (SR-IOV plugin, exclusive)."""
    for field, listed in (("sriovDevicePlugin", "resourceList"), ("rdmaSharedDevicePlugin", "configList")):
        text = (spec.get(field) or {}).get("config")
        for entry in cast("dict[str, Any]", json.loads(text)).get(listed, ()) if text else ():
            prefix = str(entry.get("resourcePrefix") or "rdma")
            yield f"{prefix}/{entry['resourceName']}", int(entry.get("rdmaHcaMax") or 0)


def _installed(releases: list[Mapping[str, Any]], chart: str) -> bool:
    return any(str(release.get("chart", "")).rsplit("/", 1)[-1] == chart for release in releases)


def operator_part(releases: list[Mapping[str, Any]], part: str) -> bool:
    """Whether a GPU Operator release runs one of its parts; driver and device plugin are on by its chart's defaults."""
    for release in releases:
        if str(release.get("chart", "")).rsplit("/", 1)[-1] == "gpu-operator":
            return ((release.get("values") or {}).get(part) or {}).get("enabled", True) is not False
    return False
