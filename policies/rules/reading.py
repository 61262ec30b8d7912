"""GPU-READ: what many rules rest on is known. Where it is not, each of them would pass for nothing (H10)."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import GpuPool, Pod
from components.unknown import Maybe, Unknown
from policies.readers.kubernetes.helm import RENDERED
from policies.readers.values import OUTSIDE

from .pods import at, gpus, pods
from .pools import place
from .rule import Case, Place, Rule, Scope, Verdict, cannot_tell, judged

SIDE_EFFECTS = (("", "Service", "type"), ("", "PersistentVolumeClaim", "volumeName"))


def _charts(case: Case) -> Iterator[Verdict]:
    fix = "Install charts with helm.v3.Release or helm.v4.Chart, which tell them."
    for chart in case.inventory.charts:
        if isinstance(chart.chart, Unknown):
            way_out = fix if chart.chart.reason == RENDERED else ""
            so = "it cannot be told what it installs on the GPU nodes"
            yield cannot_tell(chart.urn, chart.chart, subject=chart.name, so=so, fix=way_out)
    for add_on in case.inventory.add_ons:
        if isinstance(add_on.name, Unknown):
            yield from judged(add_on.name, Place(add_on.urn, "add-on"), "", "it cannot be told what it installs")


def _pods(case: Case) -> Iterator[Verdict]:
    for load, pod in pods(case):
        so = "it cannot be told whether its pods ask for GPUs, how many there are, and where they may run"
        yield from judged(_hidden(pod), at(load, pod, "spec"), "", so)


def _hidden(pod: Pod) -> Maybe[bool]:
    """The first fact of a pod that is missing."""
    asked = gpus(pod)
    entries = () if isinstance(pod.tolerations, Unknown) else tuple(said for one in pod.tolerations for said in one.values())
    facts = (asked, pod.count, pod.node_selector, pod.tolerations, *entries) if asked != 0 else (asked,)
    return next((fact for fact in facts if isinstance(fact, Unknown)), False)


def _pools(case: Case) -> Iterator[Verdict]:
    for pool in case.inventory.gpu_pools:
        so = "it cannot be told where its nodes stand and which pods they take"
        hidden = next((fact for fact in (_subnets(pool), pool.taints, pool.labels) if isinstance(fact, Unknown)), False)
        yield from judged(hidden, place(pool, "subnetIds"), "", so)


def _subnets(pool: GpuPool) -> Maybe[bool]:
    """A list that another stack gives matters where nodes with several interfaces may land in a public subnet."""
    if isinstance(pool.subnets, Unknown):
        return pool.subnets
    elsewhere = next((one for one in pool.subnets if isinstance(one, Unknown) and one.reason.endswith(OUTSIDE)), None)
    return elsewhere if elsewhere is not None and pool.interfaces is not None else False


def _objects(case: Case) -> Iterator[Verdict]:
    for manifest in case.inventory.manifests:
        for group, kind, prop in SIDE_EFFECTS:
            said = manifest.read("spec", prop)
            if (manifest.group, manifest.kind) == (group, kind) and isinstance(said, Unknown):
                so = "it cannot be told whether it makes something in the cloud"
                yield from judged(said, Place(manifest.urn, kind, manifest.at(f"spec.{prop}")), "", so)


def _unread(case: Case) -> Iterator[Verdict]:
    yield from _charts(case)
    yield from _pods(case)
    yield from _pools(case)
    yield from _objects(case)


RULES = (
    Rule(
        id="GPU-READ-01",
        title="What other rules rest on is known before the update",
        failures=("H10",),
        scope=Scope.STACK,
        check=_unread,
        fix="plain values for charts, containers, limits, taints, tolerations and subnets' zones",
    ),
)
