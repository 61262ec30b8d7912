"""Questions that several areas ask of pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from components.inventory import Container, NodePool, Pod, Workload
from components.resource import name_of
from components.unknown import Maybe, Unknown, known
from policies.readers.values import any_of, quantity

from .rule import Case, Place

GPU = "nvidia.com/gpu"
EFA = "vpc.amazonaws.com/efa"
_EFFECTS = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
SOFT = "PreferNoSchedule"
ZONE = "topology.kubernetes.io/zone"
Toleration = Mapping[str, Maybe[str | None]]
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


def fits(pod: Pod, pool: NodePool) -> bool:
    """Whether the pod may land on nodes of the pool of its cluster by node selector and taints: unless it certainly may not."""
    kept_away = untolerated(pod, pool)
    return _selected(pod, pool) and (isinstance(kept_away, Unknown) or not kept_away)


def _selected(pod: Pod, pool: NodePool) -> bool:
    """A label that the pool does not name may still be one that the cloud puts on its nodes."""
    if isinstance(pod.node_selector, Unknown) or isinstance(pool.labels, Unknown):
        return True
    zones = pool.zones
    if known(zones) and all(known(zone) for zone in zones) and pod.node_selector.get(ZONE) not in (None, *zones):
        return isinstance(pod.node_selector.get(ZONE), Unknown)
    labels = pool.labels
    return all(
        key not in labels or not known(said) or not known(labels[key]) or labels[key] == said for key, said in pod.node_selector.items()
    )


def untolerated(pod: Pod, pool: NodePool) -> Maybe[tuple[str, ...]]:
    """Taints of the pool that keep the pod away."""
    if isinstance(pod.tolerations, Unknown) or isinstance(pool.taints, Unknown):
        return pod.tolerations if isinstance(pod.tolerations, Unknown) else cast("Unknown", pool.taints)
    return closed_by(pool.taints, pod.tolerations)


def closed_by(taints: tuple[str, ...], tolerations: tuple[Toleration, ...]) -> Maybe[tuple[str, ...]]:
    """The taints that none of the tolerations covers; unknown when that hangs on a toleration that cannot be told."""
    kept: list[str] = []
    for taint in taints:
        covered = tolerates(tolerations, taint)
        if isinstance(covered, Unknown):
            return covered
        kept += [] if covered else [taint]
    return tuple(kept)


def tolerates(tolerations: tuple[Toleration, ...], taint: str) -> Maybe[bool]:
    """Whether one of them covers the taint `key=value:effect`."""
    key, _, rest = taint.partition("=")
    value, _, effect = rest.rpartition(":")
    effect = _EFFECTS.get(effect, effect)
    return effect == SOFT or any_of(_covers(one, key, value, effect) for one in tolerations)


def _covers(one: Toleration, key: str, value: str, effect: str) -> Maybe[bool]:
    hidden = next((said for said in one.values() if isinstance(said, Unknown)), None)
    if hidden is not None:
        return hidden
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
