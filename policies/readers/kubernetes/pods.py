"""Objects that make pods: built-in workloads and the job kinds of training operators, each as roles with their pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from components.inventory import Manifest, Pod, Workload
from components.resource import Value, read
from components.unknown import Maybe, Unknown, known
from policies.readers.values import any_of, first, items, text, texts, whole

from .containers import containers, dotted
from .roles import Path, Role
from .roles import roles as roles_of
from .train_job import KIND as TRAIN_JOB
from .train_job import train_pods

ZONE_OR_CLOSER = ("zone", "topology", "hostname", "block", "rack", "network-node-layer")
"""Words in topology keys that keep pods within one zone."""
_PERSISTENT = ("persistentVolumeClaim", "csi", "nfs", "ephemeral")


def read_workload(manifest: Manifest) -> Iterator[Workload]:
    """The workload that the object is; nothing for other kinds."""
    kind = (manifest.group, manifest.kind)
    pods = train_pods(manifest) if kind == TRAIN_JOB else tuple(_pod(manifest, role) for role in roles_of(manifest))
    if not pods:
        return
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
        *(
            ("batch", "Job"),
            ("batch", "CronJob"),
            ("jobset.x-k8s.io", "JobSet"),
            ("batch.volcano.sh", "Job"),
            ("ray.io", "RayJob"),
            TRAIN_JOB,
        ),
        *(("kubeflow.org", kind) for kind in ("MPIJob", "PyTorchJob", "TFJob", "JAXJob", "XGBoostJob", "PaddleJob")),
    }
)


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


def _pod(manifest: Manifest, role: Role) -> Pod:
    spec, meta = (*role.path, "spec"), (*role.path, "metadata")
    path = manifest.at(dotted(role.path))
    volumes = items(manifest.read(*spec, "volumes"), f"{path}.spec.volumes")
    labels = texts(manifest.read(*meta, "labels"), f"{path}.metadata.labels")
    annotations = texts(manifest.read(*meta, "annotations"), f"{path}.metadata.annotations")
    selector = texts(manifest.read(*spec, "nodeSelector"), f"{path}.spec.nodeSelector")
    return Pod(
        role=role.name,
        count=role.count,
        containers=containers(manifest, spec, path),
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
