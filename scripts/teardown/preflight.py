"""What is looked at before anything is touched: what would stop the teardown half-way, and what a person should know (K11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.counted import counted
from scripts.teardown import kinds as k
from scripts.teardown.model import Seen, Thing
from scripts.teardown.objects import body, finalizers, labels, replicas
from scripts.teardown.step import Choices
from scripts.teardown.steps import balancers, budgets, claims, karpenter, operators, recreators, workloads

_DEPLOYED = ("Deployment", "StatefulSet", "DaemonSet")
NEEDS = frozenset(
    {
        *(*_DEPLOYED, "Pod", budgets.BUDGET, claims.CLAIM, claims.PERSISTENT, *balancers.OBJECTS, *workloads.JOBS, *workloads.QUEUES),
        *(*operators.CLAIMS, *operators.CONFIGURATION, recreators.NODE_POOL, karpenter.NODE_CLAIM),
    }
)
_GPU = ("nvidia.com/gpu", "nvidia.com/mig-", "google.com/tpu", "amd.com/gpu")

CONTROLLERS: Mapping[str, tuple[str, ...]] = {
    "service.k8s.aws/": ("aws-load-balancer-controller",),
    "ingress.k8s.aws/": ("aws-load-balancer-controller",),
    "group.ingress.k8s.aws/": ("aws-load-balancer-controller",),
    "elbv2.k8s.aws/": ("aws-load-balancer-controller",),
    "karpenter.sh/": ("karpenter",),
    "karpenter.k8s.aws/": ("karpenter",),
    "ray.io/": ("kuberay-operator",),
    "kueue.x-k8s.io/": ("kueue", "kueue-controller-manager"),
    "jobset.x-k8s.io/": ("jobset-controller-manager", "jobset"),
    "nvidia.com/": ("gpu-operator",),
    "mellanox.com/": ("network-operator", "nvidia-network-operator-controller-manager"),
}
"""Finalizer's beginning to the workloads that serve it, by name or by the label `app.kubernetes.io/name`, as their charts set them.

Read in their sources: `service.k8s.aws/resources` and its kin (aws-load-balancer-controller, controllers), `karpenter.sh/termination` and
`karpenter.k8s.aws/termination` (Karpenter), `ray.io/gcs-ft-redis-cleanup-finalizer` (KubeRay, constants), `kueue.x-k8s.io/resource-in-use` (Kueue).
Unverified: which finalizers JobSet and the operators of NVIDIA set, and the names of their workloads. A name that is wrong here costs a warning:
nothing is deleted or freed by it.
"""
MANAGED = (
    "kubernetes.io/",
    "service.kubernetes.io/",
    "networking.gke.io/",
    "foregroundDeletion",
    "orphan",
    "kubernetes",
    "external-attacher/",
)
"""Served by the control plane or the storage driver that the cloud runs."""


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """`blockers` stop the teardown before its first step; `warnings` do not."""

    blockers: tuple[str, ...]
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {"blockers": list(self.blockers), "warnings": list(self.warnings)}


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What is known of the cluster beside its objects."""

    exists: bool
    protected: bool
    reachable: bool
    protected_in_state: tuple[str, ...] = ()


def judge(seen: Seen, standing: Standing, choices: Choices) -> Preflight:
    """Pure: from one look at everything. What was not seen is no all-clear: an API server that is silent blocks."""
    return Preflight(blockers=tuple(_blockers(seen, standing, choices)), warnings=tuple(_warnings(seen, standing)))


def _blockers(seen: Seen, standing: Standing, choices: Choices) -> Iterator[str]:
    if standing.protected:
        yield "the cluster is protected against deletion in its cloud (K11, H14): take the protection off first"
    for name in standing.protected_in_state:
        yield f"{name} is protected: take `protect` or the cloud's deletion protection off first"
    for thing in seen.things:
        if thing.detail.get("protected"):
            yield f"{thing.label} is protected against deletion in its cloud: take the protection off first"
    if standing.exists and not standing.reachable and not choices.without_api:
        yield (
            "the cluster's API server does not answer, so load balancers, claims and custom resources cannot be ended by their owners (H6): "
            "run this from inside its network, or give --without-api to end them through the cloud alone; volumes are then kept"
        )
    busy = running(seen)
    if busy and not choices.force_running:
        yield f"{counted(len(busy), 'pod with GPUs is', many='pods with GPUs are')} running ({_few(busy)}): end them, or give --force-running"


def _warnings(seen: Seen, standing: Standing) -> Iterator[str]:
    if not standing.exists:
        yield "the cloud has no such cluster any more: what it left behind is looked for by tags"
    for budget in budgets.blocking(seen):
        yield f"{budget.label} allows no disruption (K7): it is deleted on the way"
    for thing, missing in unserved(seen):
        yield f"{thing.label} has finalizer {missing}, which no controller in the cluster serves (K9): it is waited for, then left or, with --strip-finalizers, freed"
    retained = [
        each for each in seen.of([claims.PERSISTENT]) if (body(each).get("spec") or {}).get("persistentVolumeReclaimPolicy") == "Retain"
    ]
    if retained:
        yield f"{'1 volume has' if len(retained) == 1 else f'{len(retained)} volumes have'} the policy Retain ({_few(retained)}): they are kept and billed"


def running(seen: Seen) -> tuple[Thing, ...]:
    """Pods that ask for GPUs and have not ended; one whose phase is not told counts as running."""
    return tuple(pod for pod in seen.of(["Pod"]) if _wants_gpu(pod) and (body(pod).get("status") or {}).get("phase") not in _ENDED)


_ENDED = ("Succeeded", "Failed", "Pending")


def _wants_gpu(pod: Thing) -> bool:
    spec: Mapping[str, Any] = body(pod).get("spec") or {}
    wanted = (
        name
        for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
        for part in ("limits", "requests")
        for name in ((container.get("resources") or {}).get(part) or {})
    )
    return any(name.startswith(_GPU) for name in wanted) or (bool(spec.get("resourceClaims")) and bool(spec.get("nodeName")))


def unserved(seen: Seen) -> Iterator[tuple[Thing, str]]:
    """Objects with a finalizer whose controller is not among the workloads of the cluster."""
    alive = {name for each in seen.of(_DEPLOYED) if each.kind == "DaemonSet" or replicas(each) for name in _names(each)}
    for thing in seen.things:
        if "object" in thing.detail and thing.kind in NEEDS:
            for finalizer in finalizers(thing):
                if not _served(finalizer, alive):
                    yield thing, finalizer


def _names(workload: Thing) -> tuple[str, ...]:
    return (workload.name, labels(workload).get("app.kubernetes.io/name", ""))


def _served(finalizer: str, alive: set[str]) -> bool:
    if finalizer.startswith(MANAGED):
        return True
    return any(set(names) & alive for start, names in CONTROLLERS.items() if finalizer.startswith(start))


def _few(things: tuple[Thing, ...] | list[Thing]) -> str:
    named = ", ".join(thing.id for thing in things[:3])
    return f"{named}, …" if len(things) > 3 else named


def protected_kinds() -> frozenset[str]:
    """Kinds in the cloud whose own protection is looked at."""
    return frozenset({k.BALANCER, k.INSTANCE})
