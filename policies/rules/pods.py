"""Questions that several areas ask of pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from components.inventory import Container, NodePool, Pod, Workload
from components.unknown import Maybe, Unknown, known
from policies.readers.values import quantity

from .pools import together
from .rule import Case, Place, name_of

GPU = "nvidia.com/gpu"
EFA = "vpc.amazonaws.com/efa"
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
SOFT = "PreferNoSchedule"
Amounts = Maybe[Mapping[str, Maybe[str | None]]]


def pods(case: Case) -> Iterator[tuple[Workload, Pod]]:
    for load in case.inventory.workloads:
        for pod in load.pods:
            yield load, pod


def gpu_pods(case: Case) -> Iterator[tuple[Workload, Pod]]:
    """Pods that ask for GPUs, or may."""
    for load, pod in pods(case):
        if gpus(pod) != 0:
            yield load, pod


def on_aws(case: Case) -> Iterator[tuple[Workload, Pod]]:
    """Pods in clusters that may be on AWS: of a stack without pools nothing says the contrary."""
    clouds = {pool.cloud for pool in case.inventory.pools}
    yield from pods(case) if not clouds or "aws" in clouds else ()


def containers(pod: Pod) -> tuple[Container, ...]:
    """Containers that can be counted; `gpus` of a pod whose containers cannot is unknown."""
    return () if isinstance(pod.containers, Unknown) else pod.containers


def most(amounts: Amounts, resource: str) -> Maybe[float | None]:
    """The amount of `resource`; None where none is named."""
    if isinstance(amounts, Unknown):
        return amounts
    said = amounts.get(resource)
    return said if isinstance(said, Unknown) else quantity(said, resource)


def gpus(pod: Pod) -> Maybe[float]:
    """NVIDIA GPUs, whole or shares, of one pod. Requests of extended resources equal their limits."""
    if isinstance(pod.containers, Unknown):
        return pod.containers
    total = 0.0
    for container in pod.containers:
        for amounts in (container.limits, container.requests):
            found = _gpus(amounts)
            if isinstance(found, Unknown):
                return found
            if found:
                total += found
                break
    return total


def _gpus(amounts: Amounts) -> Maybe[float]:
    if isinstance(amounts, Unknown):
        return amounts
    total = 0.0
    for resource in amounts:
        if resource == GPU or resource.startswith((f"{GPU}.", "nvidia.com/mig-")):
            found = most(amounts, resource)
            if isinstance(found, Unknown):
                return found
            total += found or 0.0
    return total


def fits(load: Workload, pod: Pod, pool: NodePool) -> bool:
    """Whether the pod may land on nodes of the pool by cluster, node selector and taints, as far as known."""
    return together(load.cluster, pool.cluster) and _selected(pod, pool) and not untolerated(pod, pool)


def _selected(pod: Pod, pool: NodePool) -> bool:
    """A label that the pool does not name may still be one that the cloud puts on its nodes."""
    if isinstance(pod.node_selector, Unknown) or isinstance(pool.labels, Unknown):
        return True
    labels = pool.labels
    return all(
        key not in labels or not known(said) or not known(labels[key]) or labels[key] == said for key, said in pod.node_selector.items()
    )


def untolerated(pod: Pod, pool: NodePool) -> tuple[str, ...]:
    """Taints of the pool that keep the pod away for certain."""
    if isinstance(pod.tolerations, Unknown) or isinstance(pool.taints, Unknown):
        return ()
    return tuple(taint for taint in pool.taints if not tolerates(pod.tolerations, taint))


def tolerates(tolerations: tuple[Mapping[str, Maybe[str | None]], ...], taint: str) -> bool:
    """Whether one of them covers the taint `key=value:effect`. What cannot be told counts as covering it."""
    key, _, rest = taint.partition("=")
    value, _, effect = rest.rpartition(":")
    effect = _EFFECTS.get(effect, effect)
    return effect == SOFT or any(_covers(one, key, value, effect) for one in tolerations)


def _covers(one: Mapping[str, Maybe[str | None]], key: str, value: str, effect: str) -> bool:
    if any(isinstance(said, Unknown) for said in one.values()):
        return True
    if one.get("effect") not in (None, effect):
        return False
    if one.get("operator") == "Exists":
        return one.get("key") in (None, key)
    return one.get("key") == key and (one.get("value") or "") == value


def called(load: Workload) -> str:
    """How messages name a workload: `Job train`."""
    return f"{load.kind} {name_of(load.urn) if isinstance(load.name, Unknown) else load.name}"


def at(load: Workload, pod: Pod, prop: str) -> Place:
    """A property of the pod's specification."""
    return Place(load.urn, called(load), f"{pod.path}.{prop}" if pod.path else prop)


def several(load: Workload) -> Maybe[bool]:
    """Whether pods with GPUs number more than one."""
    total = 0
    for pod in load.pods:
        asked = gpus(pod)
        if isinstance(asked, Unknown):
            return asked
        if asked and isinstance(pod.count, Unknown):
            return pod.count
        total += pod.count if asked and known(pod.count) else 0
    return total > 1
