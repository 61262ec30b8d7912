"""How machines of a GKE node pool show themselves as nodes of their cluster.

Labels and taints that GKE adds: GKE documentation, "About GPUs", "Plan TPUs in GKE", "Spot VMs".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from components import catalog
from components.catalog import Machine
from components.catalog.tpus import tpu
from scripts.sandbox import api_server, objects, plugins
from scripts.sandbox.kinds.gcp import machines, paths
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

POOL_LABEL = "cloud.google.com/gke-nodepool"
NO_PLUGIN = "gke-no-default-nvidia-gpu-device-plugin"
"""Node label that keeps GKE's own device plugin, and with it GKE's driver installer, away."""
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_DAEMON_SET = objects.token("apps/v1", "DaemonSet")
_INSTALLERS = ("nvidia-driver-installer", "cos-gpu-installer")
"""Names of Google's installer DaemonSets for drivers (GoogleCloudPlatform/container-engine-accelerators)."""
_MIG_SLICES = {"1": 7, "2": 3, "3": 2, "4": 1, "7": 1}
"""GPU slices by the first digit of a partition's size (NVIDIA MIG user guide, profiles of A100 and H100)."""


def node_name(instance: Record) -> str:
    return str(instance.state["name"])


def join(world: Simulation, group: Record, instance: Record, machine: Machine) -> None:
    """The machine registers as node of its group's cluster; a group of no cluster has none."""
    if not group.state.get("cluster"):
        return
    address = str(instance.state["networkInterfaces"][0]["networkIp"])
    project = instance.key.split("/")[1]
    facts = api_server.NodeFacts(
        name=node_name(instance),
        address=address,
        provider_id=f"gce://{project}/{instance.state['zone']}/{node_name(instance)}",
        labels=labels(group, instance, machine),
        taints=taints(group, machine),
        version=f"v{group.state['version']}-simulated",
        os_image=str(group.state["config"].get("imageType") or "COS_CONTAINERD"),
    )
    api_server.join(world, str(group.state["cluster"]), instance, machine, facts)


def labels(group: Record, instance: Record, machine: Machine) -> dict[str, str]:
    config, zone = cast("dict[str, Any]", group.state["config"]), str(instance.state["zone"])
    made = {
        "kubernetes.io/hostname": node_name(instance),
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": api_server.architecture(machine),
        "node.kubernetes.io/instance-type": machine.name,
        "topology.kubernetes.io/zone": zone,
        "topology.kubernetes.io/region": paths.region_of(zone),
        "topology.gke.io/zone": zone,
        POOL_LABEL: str(group.state["pool"]),
    }
    for accelerator in config.get("guestAccelerators") or ():
        made["cloud.google.com/gke-accelerator"] = str(accelerator["type"])
    if config.get("spot"):
        made["cloud.google.com/gke-spot"] = "true"
    if machines.is_tpu(machine):
        host = tpu(machine.name)
        made["cloud.google.com/gke-tpu-topology"] = str(group.state.get("tpuTopology") or host.host_topology or "")
        if host.accelerator_label:
            made["cloud.google.com/gke-tpu-accelerator"] = host.accelerator_label
    return {**made, **{k: str(v) for k, v in (config.get("labels") or {}).items()}}


def taints(group: Record, machine: Machine) -> list[dict[str, str]]:
    """The pool's own taints, and that of GKE on accelerators unless the pool gives it itself."""
    config = cast("dict[str, Any]", group.state["config"])
    given = [
        {
            "key": str(taint["key"]),
            "value": str(taint.get("value") or ""),
            "effect": _EFFECTS.get(str(taint["effect"]), str(taint["effect"])),
        }
        for taint in config.get("taints") or ()
    ]
    own = "nvidia.com/gpu" if config.get("guestAccelerators") else "google.com/tpu" if machines.is_tpu(machine) else ""
    if own and all(taint["key"] != own for taint in given):
        given.append({"key": own, "value": "present", "effect": "NoSchedule"})
    return given


def relabel(world: Simulation, group: Record) -> None:
    """GKE carries changed labels and taints of a pool to its running nodes."""
    for instance in world.store.children(group):
        machine = catalog.find_machine("gcp", str(instance.state.get("machineType", "")))
        if instance.kind == t.INSTANCE and machine is not None and group.state.get("cluster"):
            api_server.relabel(
                world, str(group.state["cluster"]), node_name(instance), labels(group, instance, machine), taints(group, machine)
            )


def leave(world: Simulation, instance: Record) -> None:
    """The node of an ended machine goes, and the pods on it."""
    group = world.store.by_ref(instance.parent)
    if group is not None and group.state.get("cluster"):
        api_server.leave(world, str(group.state["cluster"]), node_name(instance))


def extended_resources(world: Simulation, node: Record) -> dict[str, str]:
    """`nvidia.com/gpu` or `google.com/tpu` of a node.

    Simplified: a GPU counts when a driver is there (GKE's own, a DaemonSet that installs one, the operator's on Ubuntu) and a device plugin
    runs (GKE's own, or a release's). Selectors and tolerations are not evaluated.
    """
    instance = world.store.by_ref(node.tags.get("instance"))
    group = world.store.by_ref(instance.parent) if instance else None
    machine = catalog.find_machine("gcp", str(instance.state["machineType"])) if instance else None
    if group is None or machine is None:
        return {}
    if machines.is_tpu(machine):
        return {"google.com/tpu": str(int(machine.gpu_count))}
    config = cast("dict[str, Any]", group.state["config"])
    given = [a for a in config.get("guestAccelerators") or () if int(a.get("count") or 0)]
    if not given:
        return {}
    installed = plugins.installed(world, node.key)
    if _gke_plugin(config):
        return {"nvidia.com/gpu": str(_shared(given[0]) if _gke_driver(given[0]) or _installer(world, node.key) else 0)}
    runs = installed.runs_device_plugin and (installed.operator_runs("driver") or _installer(world, node.key))
    return installed.gpus(node, machine, runs=runs)


def _gke_plugin(config: dict[str, Any]) -> bool:
    return str((config.get("labels") or {}).get(NO_PLUGIN, "")).lower() != "true"


def _gke_driver(accelerator: dict[str, Any]) -> bool:
    """GKE installs a driver unless told not to; without the field it has done so since 1.30 (terraform-provider-google#23248)."""
    return (accelerator.get("gpuDriverInstallationConfig") or {}).get("gpuDriverVersion") != "INSTALLATION_DISABLED"


def _installer(world: Simulation, key: str) -> bool:
    return any(record.id.rpartition("/")[2].startswith(_INSTALLERS) for record in world.store.of_kind(_DAEMON_SET, key))


def _shared(accelerator: dict[str, Any]) -> int:
    """Slices by partition and by sharing multiply what a node offers (GKE documentation, GPU time-sharing and MIG)."""
    count = int(accelerator.get("count") or 0)
    size = str(accelerator.get("gpuPartitionSize") or "")
    clients = int((accelerator.get("gpuSharingConfig") or {}).get("maxSharedClientsPerGpu") or 1)
    return count * _MIG_SLICES.get(size[:1], 1) * clients
