"""Claims of StatefulSets, their volumes on EBS, and what becomes of both.

Sources: Kubernetes documentation, "StatefulSets", "Persistent Volumes" (protection of claims in use, reclaim policies);
aws-ebs-csi-driver, docs/tagging.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scripts.sandbox import objects
from scripts.sandbox.clouds import Due
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.controllers.place import finalized, hold, inside, installed, leaving, owned, release, soon, subnets
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

DRIVER = "ebs.csi.aws.com"
_PROTECTION = "kubernetes.io/pvc-protection"
_SET, _CLAIM = objects.token("apps/v1", "StatefulSet"), objects.token("v1", "PersistentVolumeClaim")
_VOLUME, _CLASS = objects.token("v1", "PersistentVolume"), objects.token("storage.k8s.io/v1", "StorageClass")
_DEFAULT = "storageclass.kubernetes.io/is-default-class"
_UNITS = {"Gi": 1, "Ti": 1024, "G": 1, "T": 1000, "Mi": 1 / 1024}


def work(world: Simulation, cluster: Record) -> Iterator[Due]:
    key = inside(cluster)
    for each in world.store.of_kind(_SET, key):
        for template, name in _wanted(each):
            if world.store.get(_CLAIM, key, name) is None:
                yield soon(each, lambda s=each, c=template, n=name: _claim(world, s, c, n))
    if not _driver_runs(world, cluster):
        return
    for claim in world.store.of_kind(_CLAIM, key):
        if leaving(claim):
            if finalized(claim, _PROTECTION) and not _in_use(world, claim):
                yield soon(claim, lambda c=claim: _let_go(world, cluster, c))
        elif not (claim.state.get("spec") or {}).get("volumeName") and (found := _class_of(world, claim)) is not None:
            yield soon(claim, lambda c=claim, s=found: _provision(world, cluster, c, s))


def _wanted(stateful: Record) -> Iterator[tuple[Mapping[str, Any], str]]:
    """A StatefulSet makes every claim of its pods, and makes it again (K3)."""
    spec: Mapping[str, Any] = stateful.state.get("spec") or {}
    if leaving(stateful):
        return
    namespace, name = stateful.id.split("/", 1)
    for template in spec.get("volumeClaimTemplates") or ():
        for number in range(int(spec.get("replicas", 1))):
            yield template, f"{namespace}/{template['metadata']['name']}-{name}-{number}"


def _claim(world: Simulation, stateful: Record, template: Mapping[str, Any], id_: str) -> None:
    namespace, name = id_.split("/", 1)
    metadata = {**template.get("metadata", {}), "name": name, "namespace": namespace}
    objects.put(
        world, stateful.key, {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": template.get("spec") or {}}
    )


def _driver_runs(world: Simulation, cluster: Record) -> bool:
    return world.store.get(t.ADDON, cluster.key, f"{cluster.id}:aws-ebs-csi-driver") is not None or installed(
        world, cluster, "ebs-csi-controller"
    )


def _class_of(world: Simulation, claim: Record) -> Record | None:
    """The claim's class, else the default one; without any a claim stays pending."""
    classes = world.store.of_kind(_CLASS, claim.key)
    wanted = (claim.state.get("spec") or {}).get("storageClassName")
    for each in classes:
        default = (each.state["metadata"].get("annotations") or {}).get(_DEFAULT) == "true"
        if each.state.get("provisioner") == DRIVER and (each.id == wanted or (wanted is None and default)):
            return each
    return None


def _in_use(world: Simulation, claim: Record) -> bool:
    """Pods of StatefulSets are not simulated: a claim is in use as long as its set wants the pod."""
    return any(claim.id == name for each in world.store.of_kind(_SET, claim.key) for _, name in _wanted(each))


def _provision(world: Simulation, cluster: Record, claim: Record, storage: Record) -> None:
    spec: Mapping[str, Any] = claim.state.get("spec") or {}
    size = _gib(str(((spec.get("resources") or {}).get("requests") or {}).get("storage", "1Gi")))
    name = f"pvc-{claim.state['metadata']['uid']}"
    zone, id_ = str(subnets(world, cluster)[0].state["availabilityZone"]), world.new_id("vol")
    namespace, claimed = claim.id.split("/", 1)
    tags = {
        **_extra_tags(world, cluster), **owned(cluster), "ebs.csi.aws.com/cluster": "true", "CSIVolumeName": name,
        "kubernetes.io/created-for/pvc/name": claimed, "kubernetes.io/created-for/pvc/namespace": namespace,
        "kubernetes.io/created-for/pv/name": name,
    }  # fmt: skip
    region = cluster.key.split("/")[-1]
    state = {
        "arn": f"arn:aws:ec2:{region}:{world.account('aws')}:volume/{id_}", "size": size, "encrypted": True, "availabilityZone": zone,
        "type": str((storage.state.get("parameters") or {}).get("type") or "gp3"), "device": "", "attachedTo": "", "deleteOnTermination": False,
    }  # fmt: skip
    world.store.put(Record(kind=t.VOLUME, key=cluster.key, id=id_, state=state, created=world.tick(), status="available", tags=tags))
    body = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": f"{size}Gi"},
            "persistentVolumeReclaimPolicy": storage.state.get("reclaimPolicy") or "Delete",
            "csi": {"driver": DRIVER, "volumeHandle": id_},
            "claimRef": {"namespace": namespace, "name": claimed, "uid": claim.state["metadata"]["uid"]},
        },
        "status": {"phase": "Bound"},
    }
    objects.put(world, claim.key, body)
    hold(world, claim, _PROTECTION, spec={**spec, "volumeName": name}, status={"phase": "Bound"})


def _extra_tags(world: Simulation, cluster: Record) -> dict[str, str]:
    """J9: what the add-on was told to put on every volume."""
    addon = world.store.get(t.ADDON, cluster.key, f"{cluster.id}:aws-ebs-csi-driver")
    text = addon.state.get("configurationValues") if addon is not None else None
    values = json.loads(text) if isinstance(text, str) and text else {}
    return {str(key): str(value) for key, value in ((values.get("controller") or {}).get("extraVolumeTags") or {}).items()}


def _gib(size: str) -> int:
    match = re.fullmatch(r"(\d+)([A-Za-z]*)", size)
    return max(1, int(int(match[1]) * _UNITS.get(match[2], 1))) if match else 1


def _let_go(world: Simulation, cluster: Record, claim: Record) -> None:
    """The claim goes; its volume by its reclaim policy."""
    release(world, claim, _PROTECTION)
    persistent = world.store.get(_VOLUME, claim.key, str((claim.state.get("spec") or {}).get("volumeName")))
    if persistent is None:
        return
    spec = persistent.state["spec"]
    if spec["persistentVolumeReclaimPolicy"] != "Delete":
        world.store.put(persistent.with_state(status={"phase": "Released"}))
        return
    disk = world.store.get(t.VOLUME, cluster.key, str(spec["csi"]["volumeHandle"]))
    if disk is not None:
        world.store.drop(disk)
    objects.remove(world, persistent)
