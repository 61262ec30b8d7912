"""Where a kind keeps its pods: built-in workloads, the job kinds of training operators, and pod templates in kinds that nobody listed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from components.inventory import Manifest
from components.resource import Value
from components.unknown import Maybe, known
from policies.readers.values import items, mapping, text, whole

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Role:
    name: str
    count: Maybe[int]
    path: Path
    """To the pod template."""


_SIMPLE: Mapping[tuple[str, str], tuple[Path, Path | None]] = {
    ("", "Pod"): ((), None),
    ("apps", "Deployment"): (("spec", "template"), ("spec", "replicas")),
    ("apps", "StatefulSet"): (("spec", "template"), ("spec", "replicas")),
    ("apps", "ReplicaSet"): (("spec", "template"), ("spec", "replicas")),
    ("apps", "DaemonSet"): (("spec", "template"), None),
    ("batch", "Job"): (("spec", "template"), ("spec", "parallelism")),
    ("batch", "CronJob"): (("spec", "jobTemplate", "spec", "template"), ("spec", "jobTemplate", "spec", "parallelism")),
}
"""Where kinds with one template keep it and its number, which is 1 where absent."""
_REPLICA_SPECS: Mapping[str, str] = {
    "MPIJob": "mpiReplicaSpecs",
    "PyTorchJob": "pytorchReplicaSpecs",
    "TFJob": "tfReplicaSpecs",
    "JAXJob": "jaxReplicaSpecs",
    "XGBoostJob": "xgbReplicaSpecs",
    "PaddleJob": "paddleReplicaSpecs",
}


def roles(manifest: Manifest) -> tuple[Role, ...]:
    kind = (manifest.group, manifest.kind)
    if kind in _SIMPLE:
        path, count = _SIMPLE[kind]
        return (Role(manifest.kind, 1 if count is None else _count(manifest, *count), path),)
    if manifest.group == "kubeflow.org" and manifest.kind in _REPLICA_SPECS:
        return tuple(_by_name(manifest, ("spec", _REPLICA_SPECS[manifest.kind])))
    if kind == ("jobset.x-k8s.io", "JobSet"):
        return tuple(_of_jobset(manifest))
    if kind == ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"):
        return tuple(_of_leader_worker_set(manifest))
    if kind == ("batch.volcano.sh", "Job"):
        return tuple(_of_list(manifest, ("spec", "tasks"), ("template",), "replicas"))
    if manifest.group == "ray.io" and manifest.kind in ("RayCluster", "RayJob", "RayService"):
        return tuple(_of_ray(manifest))
    return tuple(_of_any(manifest))


def _count(manifest: Manifest, *path: str | int) -> Maybe[int]:
    at = ".".join(map(str, path))
    found = whole(manifest.read(*path), manifest.at(at))
    return 1 if found is None else found


def _by_name(manifest: Manifest, path: Path) -> Iterator[Role]:
    found = mapping(manifest.read(*path), ".".join(map(str, path)))
    for name in found if known(found) else ():
        yield Role(name.casefold(), _count(manifest, *path, name, "replicas"), (*path, name, "template"))


def _of_list(manifest: Manifest, path: Path, template: Path, replicas: str) -> Iterator[Role]:
    found = items(manifest.read(*path), ".".join(map(str, path)))
    for i in range(len(found) if known(found) else 0):
        name = text(manifest.read(*path, i, "name"), "name")
        yield Role(name if isinstance(name, str) else manifest.kind, _count(manifest, *path, i, replicas), (*path, i, *template))


def _of_jobset(manifest: Manifest) -> Iterator[Role]:
    """Each replicated job is a number of jobs of several pods each."""
    for role in _of_list(manifest, ("spec", "replicatedJobs"), ("template", "spec", "template"), "replicas"):
        pods = _count(manifest, *role.path[:-1], "parallelism")
        yield Role(
            role.name, role.count * pods if known(role.count) and known(pods) else pods if known(role.count) else role.count, role.path
        )


def _of_leader_worker_set(manifest: Manifest) -> Iterator[Role]:
    """Each group has one leader, which is like its workers where it has no template of its own."""
    groups, size = _count(manifest, "spec", "replicas"), _count(manifest, "spec", "leaderWorkerTemplate", "size")
    own = manifest.read("spec", "leaderWorkerTemplate", "leaderTemplate") is not None
    each = max(size - 1, 0) if own and known(size) else size
    pods = groups * each if known(groups) and known(each) else each if known(groups) else groups
    yield Role("worker", pods, ("spec", "leaderWorkerTemplate", "workerTemplate"))
    if own:
        yield Role("leader", groups, ("spec", "leaderWorkerTemplate", "leaderTemplate"))


def _of_ray(manifest: Manifest) -> Iterator[Role]:
    own: Path = {"RayCluster": ("spec",), "RayJob": ("spec", "rayClusterSpec"), "RayService": ("spec", "rayClusterConfig")}[manifest.kind]
    yield Role("head", 1, (*own, "headGroupSpec", "template"))
    yield from _of_list(manifest, (*own, "workerGroupSpecs"), ("template",), "maxReplicas")


_RULES_OF_OTHERS = ("kyverno.io", "apiextensions.k8s.io", "gatekeeper.sh")
"""API groups, with all below them, whose objects describe the objects of others."""
_DEVICES = ("nvidia.com/", "vpc.amazonaws.com/efa")
_MOST_NODES = 5_000


def _of_any(manifest: Manifest) -> Iterator[Role]:
    """Pod templates that ask for devices, in a kind that no list holds: Rollouts, Knative services, operators of one's own."""
    if any(manifest.group == group or manifest.group.endswith(f".{group}") for group in _RULES_OF_OTHERS):
        return
    for path in _templates(manifest.body):
        if _asks(manifest, path):
            count = _count(manifest, *path[:-1], "replicas")
            yield Role(manifest.kind, count, path)


def _templates(body: Mapping[str, Value]) -> Iterator[Path]:
    """Paths to every object with a `spec` that lists containers, outermost first."""
    ahead: deque[tuple[Path, Value]] = deque([((), body)])
    for _ in range(_MOST_NODES):
        if not ahead:
            return
        path, node = ahead.popleft()
        if isinstance(node, Mapping):
            inner = cast("Mapping[str, Value]", node)
            spec = inner.get("spec")
            if isinstance(spec, Mapping) and isinstance(cast("Mapping[str, Value]", spec).get("containers"), list):
                yield path
            ahead.extend(((*path, str(key)), value) for key, value in inner.items())
        elif isinstance(node, list):
            ahead.extend(((*path, i), value) for i, value in enumerate(cast("list[Value]", node)))


def _asks(manifest: Manifest, path: Path) -> bool:
    containers = items(manifest.read(*path, "spec", "containers"), "containers")
    for i in range(len(containers) if known(containers) else 0):
        limits = mapping(manifest.read(*path, "spec", "containers", i, "resources", "limits"), "limits")
        if known(limits) and any(str(name).startswith(_DEVICES) for name in limits):
            return True
    return False
