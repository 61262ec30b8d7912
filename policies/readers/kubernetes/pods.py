"""Objects that make pods: built-in workloads and the job kinds of training operators, each as roles with their pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from components.inventory import Container, Manifest, Pod, Workload
from components.resource import Value, read
from components.unknown import Maybe, Unknown, known
from policies.readers.values import any_of, first, items, mapping, text, texts, whole, word

Path = tuple[str | int, ...]
ZONE_OR_CLOSER = ("zone", "topology", "hostname", "block", "rack", "network-node-layer")
"""Words in topology keys that keep pods within one zone."""
_PERSISTENT = ("persistentVolumeClaim", "csi", "nfs", "ephemeral")


@dataclass(frozen=True)
class _Role:
    name: str
    count: Maybe[int]
    path: Path
    """To the pod template."""


def read_workload(manifest: Manifest) -> Iterator[Workload]:
    """The workload that the object is; nothing for other kinds."""
    roles = _roles(manifest)
    if not roles:
        return
    kind = (manifest.group, manifest.kind)
    pods = tuple(_pod(manifest, role) for role in roles)
    yield Workload(
        urn=manifest.urn,
        kind=manifest.kind,
        name=manifest.name,
        namespace=manifest.namespace,
        manifest=manifest,
        pods=pods,
        runs_to_end=kind in _ENDING,
        whole_restart=_whole_restart(manifest),
        deadline_s=_deadline(manifest),
        cluster=manifest.cluster,
    )


_ENDING = frozenset(
    {
        *(("batch", "Job"), ("batch", "CronJob"), ("jobset.x-k8s.io", "JobSet"), ("batch.volcano.sh", "Job"), ("ray.io", "RayJob")),
        *(("kubeflow.org", kind) for kind in ("MPIJob", "PyTorchJob", "TFJob", "JAXJob", "XGBoostJob", "PaddleJob")),
    }
)
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


def _roles(manifest: Manifest) -> tuple[_Role, ...]:
    kind = (manifest.group, manifest.kind)
    if kind in _SIMPLE:
        path, count = _SIMPLE[kind]
        return (_Role(manifest.kind, 1 if count is None else _count(manifest, *count), path),)
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
    return ()


def _count(manifest: Manifest, *path: str | int) -> Maybe[int]:
    at = ".".join(map(str, path))
    found = whole(manifest.read(*path), manifest.at(at))
    return 1 if found is None else found


def _by_name(manifest: Manifest, path: Path) -> Iterator[_Role]:
    found = mapping(manifest.read(*path), ".".join(map(str, path)))
    for name in found if known(found) else ():
        yield _Role(name.casefold(), _count(manifest, *path, name, "replicas"), (*path, name, "template"))


def _of_list(manifest: Manifest, path: Path, template: Path, replicas: str) -> Iterator[_Role]:
    found = items(manifest.read(*path), ".".join(map(str, path)))
    for i in range(len(found) if known(found) else 0):
        name = text(manifest.read(*path, i, "name"), "name")
        yield _Role(name if isinstance(name, str) else manifest.kind, _count(manifest, *path, i, replicas), (*path, i, *template))


def _of_jobset(manifest: Manifest) -> Iterator[_Role]:
    """Each replicated job is a number of jobs of several pods each."""
    for role in _of_list(manifest, ("spec", "replicatedJobs"), ("template", "spec", "template"), "replicas"):
        pods = _count(manifest, *role.path[:-1], "parallelism")
        yield _Role(
            role.name, role.count * pods if known(role.count) and known(pods) else pods if known(role.count) else role.count, role.path
        )


def _of_leader_worker_set(manifest: Manifest) -> Iterator[_Role]:
    groups, size = _count(manifest, "spec", "replicas"), _count(manifest, "spec", "leaderWorkerTemplate", "size")
    pods = groups * size if known(groups) and known(size) else size if known(groups) else groups
    yield _Role("worker", pods, ("spec", "leaderWorkerTemplate", "workerTemplate"))


def _of_ray(manifest: Manifest) -> Iterator[_Role]:
    own: Path = {"RayCluster": ("spec",), "RayJob": ("spec", "rayClusterSpec"), "RayService": ("spec", "rayClusterConfig")}[manifest.kind]
    yield _Role("head", 1, (*own, "headGroupSpec", "template"))
    yield from _of_list(manifest, (*own, "workerGroupSpecs"), ("template",), "maxReplicas")


def _whole_restart(manifest: Manifest) -> Maybe[bool]:
    """JobSet restarts all its jobs by its failure policy; Volcano by RestartJob; elastic launchers of PyTorch rejoin."""
    if manifest.kind == "JobSet":
        return _is_given(manifest, "spec", "failurePolicy")
    if (manifest.group, manifest.kind) == ("batch.volcano.sh", "Job"):
        return _is_given(manifest, "spec", "policies")
    if manifest.kind == "PyTorchJob":
        return _is_given(manifest, "spec", "elasticPolicy")
    return manifest.kind in ("RayJob", "TrainJob")


def _is_given(manifest: Manifest, *path: str) -> Maybe[bool]:
    value = manifest.read(*path)
    return value if isinstance(value, Unknown) else value is not None


_DEADLINES: tuple[Path, ...] = (("spec",), ("spec", "runPolicy"), ("spec", "jobTemplate", "spec"))


def _deadline(manifest: Manifest) -> Maybe[int | None]:
    jobs = items(manifest.read("spec", "replicatedJobs"), "spec.replicatedJobs") if manifest.kind == "JobSet" else ()
    inner: list[Path] = [("spec", "replicatedJobs", i, "template", "spec") for i in range(len(jobs) if known(jobs) else 0)]
    return first(*(whole(manifest.read(*path, "activeDeadlineSeconds"), "activeDeadlineSeconds") for path in (*_DEADLINES, *inner)))


def _pod(manifest: Manifest, role: _Role) -> Pod:
    spec, meta = (*role.path, "spec"), (*role.path, "metadata")
    path = manifest.at(dotted(role.path))
    volumes = items(manifest.read(*spec, "volumes"), f"{path}.spec.volumes")
    labels = texts(manifest.read(*meta, "labels"), f"{path}.metadata.labels")
    annotations = texts(manifest.read(*meta, "annotations"), f"{path}.metadata.annotations")
    selector = texts(manifest.read(*spec, "nodeSelector"), f"{path}.spec.nodeSelector")
    return Pod(
        role=role.name,
        count=role.count,
        containers=_containers(manifest, spec, path),
        memory_volumes=_memory_volumes(manifest, spec, volumes),
        host_paths=_host_paths(manifest, spec, volumes),
        claims=_claims(manifest, spec, volumes),
        tolerations=_tolerations(manifest, spec, path),
        node_selector=selector,
        bound_to_zone=_bound(manifest, spec, selector, annotations),
        labels=labels,
        annotations=annotations,
        priority_class=text(manifest.read(*spec, "priorityClassName"), f"{path}.spec.priorityClassName"),
        scheduler=text(manifest.read(*spec, "schedulerName"), f"{path}.spec.schedulerName"),
        path=path,
    )


def dotted(path: Path) -> str:
    """`spec.tasks[0].template`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


def _containers(manifest: Manifest, spec: Path, path: str) -> Maybe[tuple[Container, ...]]:
    found = items(manifest.read(*spec, "containers"), f"{path}.spec.containers")
    if isinstance(found, Unknown):
        return found
    return tuple(_container(manifest, (*spec, "containers", i)) for i in range(len(found)))


def _container(manifest: Manifest, at: Path) -> Container:
    path = manifest.at(dotted(at))
    name = text(manifest.read(*at, "name"), f"{path}.name")
    return Container(
        name=name if isinstance(name, str) else path,
        image=text(manifest.read(*at, "image"), f"{path}.image"),
        limits=texts(manifest.read(*at, "resources", "limits"), f"{path}.resources.limits"),
        requests=texts(manifest.read(*at, "resources", "requests"), f"{path}.resources.requests"),
        env=_pairs(manifest, (*at, "env"), "name", "value"),
        arguments=_line(manifest, at),
        mounts=_pairs(manifest, (*at, "volumeMounts"), "mountPath", "name"),
        path=path,
    )


def _line(manifest: Manifest, at: Path) -> Maybe[str | None]:
    """Command and arguments; unknown as a whole when one word is."""
    words: list[str] = []
    for prop in ("command", "args"):
        found = items(manifest.read(*at, prop), f"{manifest.at(dotted(at))}.{prop}")
        if isinstance(found, Unknown):
            return found
        for i in range(len(found)):
            said = word(manifest.read(*at, prop, i), f"{manifest.at(dotted(at))}.{prop}[{i}]")
            if isinstance(said, Unknown):
                return said
            words.append(said or "")
    return " ".join(words) or None


def _pairs(manifest: Manifest, at: Path, key: str, value: str) -> Maybe[Mapping[str, Maybe[str | None]]]:
    """A list of objects as one mapping."""
    path = manifest.at(dotted(at))
    found = items(manifest.read(*at), path)
    if isinstance(found, Unknown):
        return found
    pairs: dict[str, Maybe[str | None]] = {}
    for i in range(len(found)):
        name = text(manifest.read(*at, i, key), f"{path}[{i}].{key}")
        if isinstance(name, Unknown):
            return name
        pairs[name or ""] = word(manifest.read(*at, i, value), f"{path}[{i}].{value}")
    return pairs


def _memory_volumes(manifest: Manifest, spec: Path, volumes: Maybe[tuple[Value, ...]]) -> Maybe[frozenset[str]]:
    if isinstance(volumes, Unknown):
        return volumes
    found: set[str] = set()
    for i in range(len(volumes)):
        medium = manifest.read(*spec, "volumes", i, "emptyDir", "medium")
        if isinstance(medium, Unknown):
            return medium
        if medium == "Memory":
            found.add(str(manifest.read(*spec, "volumes", i, "name")))
    return frozenset(found)


def _host_paths(manifest: Manifest, spec: Path, volumes: Maybe[tuple[Value, ...]]) -> Maybe[Mapping[str, Maybe[str | None]]]:
    if isinstance(volumes, Unknown):
        return volumes
    found: dict[str, Maybe[str | None]] = {}
    for i in range(len(volumes)):
        at = (*spec, "volumes", i, "hostPath", "path")
        path = text(manifest.read(*at), manifest.at(dotted(at)))
        if path is not None:
            found[str(manifest.read(*spec, "volumes", i, "name"))] = path
    return found


def _claims(manifest: Manifest, spec: Path, volumes: Maybe[tuple[Value, ...]]) -> Maybe[frozenset[str]]:
    if isinstance(volumes, Unknown):
        return volumes
    named = {
        str(manifest.read(*spec, "volumes", i, "name"))
        for i in range(len(volumes))
        if any(manifest.read(*spec, "volumes", i, kind) is not None for kind in _PERSISTENT)
    }
    templates = items(manifest.read("spec", "volumeClaimTemplates"), "spec.volumeClaimTemplates") if manifest.kind == "StatefulSet" else ()
    if isinstance(templates, Unknown):
        return templates
    return frozenset(named | {str(manifest.read("spec", "volumeClaimTemplates", i, "metadata", "name")) for i in range(len(templates))})


def _tolerations(manifest: Manifest, spec: Path, path: str) -> Maybe[tuple[Mapping[str, Maybe[str | None]], ...]]:
    at = f"{path}.spec.tolerations"
    return toleration_list(manifest.read(*spec, "tolerations"), at)


def toleration_list(value: Value, path: str) -> Maybe[tuple[Mapping[str, Maybe[str | None]], ...]]:
    """Tolerations as pods and charts list them."""
    found = items(value, path)
    if isinstance(found, Unknown):
        return found
    read_: list[Mapping[str, Maybe[str | None]]] = []
    for i, entry in enumerate(found):
        said = texts(read([entry], 0), f"{path}[{i}]")
        if isinstance(said, Unknown):
            return said
        read_.append(said)
    return tuple(read_)


def _bound(
    manifest: Manifest,
    spec: Path,
    selector: Maybe[Mapping[str, Maybe[str | None]]],
    annotations: Maybe[Mapping[str, Maybe[str | None]]],
) -> Maybe[bool]:
    """A zone in the node selector, required affinity to other pods, or a topology request of Kueue or JobSet."""
    keys: list[Maybe[bool]] = [
        found if isinstance(found, Unknown) else any(part in key for key in found for part in ZONE_OR_CLOSER)
        for found in (selector, annotations)
    ]
    affinity = manifest.read(*spec, "affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    keys.append(affinity if isinstance(affinity, Unknown) else bool(affinity))
    return any_of(keys)


__all__ = ["ZONE_OR_CLOSER", "dotted", "read_workload", "toleration_list"]
