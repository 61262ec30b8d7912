"""How EC2 instances of a node group show themselves as nodes of their cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components import catalog
from components.catalog import Machine
from scripts.sandbox import api_server, plugins
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.place import Place
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_POOL_LABELS = {"ON_DEMAND": "ON_DEMAND", "SPOT": "SPOT", "CAPACITY_BLOCK": "CAPACITY_BLOCK"}


def key_of(cluster: Record) -> str:
    return Place.of(cluster.key).in_cluster(cluster.id).key


def _place(group: Record) -> str:
    return Place.of(group.key).in_cluster(str(group.state["cluster"])).key


def node_name(instance: Record) -> str:
    region = Place.of(instance.key).region
    domain = "ec2.internal" if region == "us-east-1" else f"{region}.compute.internal"
    return f"ip-{str(instance.state['privateIp']).replace('.', '-')}.{domain}"


def join(world: Simulation, group: Record, instance: Record, machine: Machine) -> None:
    """The instance registers as node with labels and taints of its group."""
    image = catalog.image("aws", str(group.state["amiType"]))
    facts = api_server.NodeFacts(
        name=node_name(instance),
        address=str(instance.state["privateIp"]),
        provider_id=f"aws:///{instance.state['availabilityZone']}/{instance.id}",
        labels=_labels(group, instance, machine),
        taints=_taints(group),
        version=f"v{group.state['version']}.0-eks-simulated",
        os_image=image.os if image else "custom",
    )
    api_server.join(world, _place(group), instance, machine, facts)


def _labels(group: Record, instance: Record, machine: Machine) -> dict[str, str]:
    zone = str(instance.state["availabilityZone"])
    return {
        "kubernetes.io/hostname": node_name(instance),
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": api_server.architecture(machine),
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
        machine = catalog.find_machine("aws", str(instance.state.get("instanceType", "")))
        if instance.kind == t.INSTANCE and machine is not None:
            api_server.relabel(world, _place(group), node_name(instance), _labels(group, instance, machine), _taints(group))


def leave(world: Simulation, instance: Record) -> None:
    """The node of an ended instance goes, and the pods on it."""
    group = world.store.by_ref(instance.parent)
    if group is not None and "cluster" in group.state:
        api_server.leave(world, _place(group), node_name(instance))


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
    found: dict[str, str] = {}
    installed = plugins.installed(world, node.key)
    if machine is not None and machine.vendor == "NVIDIA" and machine.gpu_count >= 1:
        driver = bool(image and image.driver) or installed.operator_runs("driver")
        plugin = bool(image and image.device_plugin) or installed.runs_device_plugin
        found.update(installed.gpus(node, machine, runs=driver and plugin))
    efa = sum(1 for i in world.store.children(instance) if str(i.state.get("interfaceType", "")).startswith("efa"))
    if efa:
        found["vpc.amazonaws.com/efa"] = str(efa) if installed.chart("aws-efa-k8s-device-plugin") else "0"
    return found
