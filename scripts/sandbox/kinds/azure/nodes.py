"""The Kubernetes side of AKS nodes: how a machine of a pool registers, and what it offers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from components.catalog import Machine
from scripts.arm_paths import group_of, name_of, subscription_of
from scripts.sandbox import api_server
from scripts.sandbox.api_server import NodeFacts
from scripts.sandbox.kinds.azure.sizes import machine
from scripts.sandbox.place import Place
from scripts.sandbox.plugins import Installed, installed
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

POLICY = "kubernetes:mellanox.com/v1alpha1:NicClusterPolicy"
SPOT = "kubernetes.azure.com/scalesetpriority"
GRID_FAMILY = "StandardNVADSA10v5Family"
_MIG_SLICES = {"MIG1g": 7, "MIG2g": 3, "MIG3g": 2, "MIG4g": 1, "MIG7g": 1}
"""Instances of a profile on one GPU (AKS documentation, multi-instance GPU node pools)."""


def place_of_cluster(path: str) -> Place:
    """Where a cluster's objects live."""
    return Place("azure", subscription_of(path), group_of(path)).in_cluster(name_of(path))


def cluster_path(pool: Record) -> str:
    return pool.id.rpartition("/agentPools/")[0]


def key_of(pool: Record) -> str:
    return place_of_cluster(cluster_path(pool)).key


def node_name(vm: Record) -> str:
    return str(vm.state["computerName"])


def join(world: Simulation, pool: Record, vm: Record) -> None:
    """The machine registers as node of its pool's cluster."""
    size = machine(str(vm.state["size"]))
    facts = NodeFacts(
        name=node_name(vm),
        address=str(vm.state["privateIp"]),
        provider_id=f"azure://{vm.id}",
        labels=labels(pool, vm, size),
        taints=taints(pool),
        version=f"v{pool.state['currentOrchestratorVersion']}.0-aks-simulated",
        os_image=str(pool.state["osSKU"]),
    )
    api_server.join(world, key_of(pool), vm, size, facts)


def labels(pool: Record, vm: Record, size: Machine) -> dict[str, str]:
    region, zone, name = str(vm.state["location"]), str(vm.state.get("zone") or ""), name_of(pool.id)
    spot = {SPOT: "spot"} if pool.state.get("scaleSetPriority") == "Spot" else {}
    gpu = {"kubernetes.azure.com/accelerator": "nvidia"} if size.vendor == "NVIDIA" else {}
    return {
        "kubernetes.io/hostname": node_name(vm),
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": api_server.architecture(size),
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


def taints(pool: Record) -> list[dict[str, str]]:
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
        api_server.relabel(world, key_of(pool), node_name(vm), labels(pool, vm, machine(str(vm.state["size"]))), taints(pool))


def leave(world: Simulation, pool: Record, vm: Record) -> None:
    api_server.leave(world, key_of(pool), node_name(vm))


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
    size, releases = machine(str(vm.state["size"])), installed(world, node.key)
    found: dict[str, str] = {}
    if size.vendor == "NVIDIA" and size.gpu_count > 0:
        runs = _has_driver(pool, size, releases) and releases.runs_device_plugin
        found |= _devices(pool, size) if runs and _divided(pool, size) else releases.gpus(node, size, runs=runs)
    if size.fabric == "infiniband" and releases.chart("network-operator"):
        found |= _rdma(world, node, size)
    return found


def _has_driver(pool: Record, size: Machine, releases: Installed) -> bool:
    """E2: fractions of an A10 run with the GRID driver alone, which only AKS installs."""
    by_aks = (pool.state.get("gpuProfile") or {}).get("driver", "Install") != "None"
    return by_aks or (size.family != GRID_FAMILY and releases.operator_runs("driver"))


def _divided(pool: Record, size: Machine) -> bool:
    return bool(pool.state.get("gpuInstanceProfile")) or size.gpu_count < 1


def _devices(pool: Record, size: Machine) -> dict[str, str]:
    """A fraction of a GPU is one device, and with a MIG profile (strategy single) each instance is one."""
    slices = _MIG_SLICES.get(str(pool.state.get("gpuInstanceProfile") or ""), 1)
    return {"nvidia.com/gpu": str(max(1, int(size.gpu_count)) * slices)}


def _rdma(world: Simulation, node: Record, size: Machine) -> dict[str, str]:
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
