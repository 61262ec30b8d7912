"""The Kubernetes side of a simulated cluster: its life and its nodes, whichever cloud it is on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from components.catalog import Machine
from scripts.sandbox import clouds, objects
from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.place import Place
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_FIRST_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")


@dataclass(frozen=True, kw_only=True)
class NodeFacts:
    """How an instance shows itself as a node."""

    name: str
    address: str
    provider_id: str
    labels: Mapping[str, str]
    taints: Sequence[Mapping[str, str]]
    version: str
    """Of its kubelet."""
    os_image: str


def start(world: Simulation, key: str) -> None:
    """The API server of a cluster (the key of the place inside it) begins with the namespaces that every cluster has."""
    for name in _FIRST_NAMESPACES:
        if world.store.get(t.NAMESPACE, key, name) is None:
            objects.put(world, key, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})


def stop(world: Simulation, key: str) -> None:
    for record in world.store.in_place(key):
        world.store.drop(record)


def join(world: Simulation, key: str, instance: Record, machine: Machine, facts: NodeFacts) -> None:
    """The instance registers as node with the resources of its machine (without reserved parts)."""
    resources = {"cpu": str(machine.vcpus), "memory": f"{int(machine.memory_gib * 1024)}Mi", "pods": "110"}
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": facts.name, "labels": dict(facts.labels), "annotations": {"gpukit.dev/simulated": "true"}},
        "spec": {"providerID": facts.provider_id, "taints": [dict(taint) for taint in facts.taints]},
        "status": {
            "capacity": resources,
            "allocatable": resources,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "lastTransitionTime": world.clock.text()}],
            "addresses": [{"type": "InternalIP", "address": facts.address}, {"type": "Hostname", "address": facts.name}],
            "nodeInfo": {
                **dict.fromkeys(("bootID", "machineID", "systemUUID", "kernelVersion", "containerRuntimeVersion"), "simulated"),
                "kubeProxyVersion": "simulated",
                "kubeletVersion": facts.version,
                "osImage": f"{facts.os_image} (simulated)",
                "architecture": architecture(machine),
                "operatingSystem": "linux",
            },
        },
    }
    record = objects.put(world, key, node)
    world.store.put(replace(record, parent=None, tags={"instance": instance.ref}))


def architecture(machine: Machine) -> str:
    """In Kubernetes' words."""
    return "amd64" if machine.arch == "x86_64" else "arm64"


def relabel(world: Simulation, key: str, name: str, labels: Mapping[str, str], taints: Sequence[Mapping[str, str]]) -> None:
    """Give a running node other labels and taints, as clouds carry changes of a pool to its nodes."""
    node = world.store.get(t.NODE, key, name)
    if node is not None:
        metadata = {**node.state["metadata"], "labels": dict(labels)}
        world.store.put(node.with_state(metadata=metadata, spec={**node.state["spec"], "taints": [dict(taint) for taint in taints]}))


def leave(world: Simulation, key: str, name: str) -> None:
    """The node of an ended instance goes, and the pods on it."""
    node = world.store.get(t.NODE, key, name)
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
    extended = clouds.of(Place.of(record.key).cloud).extended_resources(world, record)
    status = dict(body.get("status") or {})
    for name in ("capacity", "allocatable"):
        status[name] = {**status.get(name, {}), **extended}
    return {**body, "status": status}
