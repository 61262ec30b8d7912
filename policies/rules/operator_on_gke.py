"""GPU-STACK: the GPU Operator on GKE, which has a driver, a device plugin and admission rules of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from components.inventory import Chart, GpuPool, Inventory, NodePool
from components.unknown import Maybe
from policies.finding import Level
from policies.readers.charts import setting, switched
from policies.readers.gpu_stack import OPERATOR
from policies.readers.values import all_of, any_of, denied, items, mapped

from .pools import charts, together, version
from .rule import Case, Place, Rule, Scope, Verdict, judged

CRITICAL = "system-node-critical"
RUNTIME_FILE = "RUNTIME_CONFIG_SOURCE"


def _of_cluster(pools: Sequence[NodePool], chart: Chart) -> list[NodePool]:
    return [pool for pool in pools if together(chart.cluster, pool.cluster)]


def _on_gke(case: Case, chart: Chart) -> list[NodePool]:
    return [pool for pool in _of_cluster(case.inventory.pools, chart) if pool.cloud == "gcp"]


def _of(chart: Chart, path: str) -> Place:
    return Place(chart.urn, chart.name, f"values.{path}")


def _critical_pods(case: Case) -> Iterator[Verdict]:
    """C4: GKE admits the critical priority classes only where a quota names them."""
    for chart in charts(case, OPERATOR):
        if not _on_gke(case, chart):
            continue
        held = any_of(_admits(case.inventory, i, chart) for i in range(len(case.inventory.manifests)))
        text = (
            "the GPU Operator on GKE in a namespace without a ResourceQuota for critical pods. GKE refuses pods of the classes "
            "system-node-critical and system-cluster-critical there, which shows as a time-out of the release after minutes. Make a "
            "ResourceQuota with a scopeSelector on PriorityClass in the operator's namespace, before the release."
        )
        so = "it cannot be told whether GKE admits the operator's pods"
        yield from judged(denied(held), Place(chart.urn, chart.name, "namespace"), text, so)


def _admits(inventory: Inventory, index: int, chart: Chart) -> Maybe[bool]:
    manifest = inventory.manifests[index]
    if manifest.kind != "ResourceQuota":
        return False
    here = mapped(manifest.namespace, lambda own: mapped(chart.namespace, lambda other: own == other))
    path = ("spec", "scopeSelector", "matchExpressions")
    found = items(manifest.read(*path), "spec.scopeSelector.matchExpressions")
    classes = mapped(
        found, lambda listed: any_of(mapped(manifest.read(*path, i, "values"), lambda v: CRITICAL in (v or ())) for i in range(len(listed)))
    )
    return all_of([here, classes])


def _driver_on_cos(case: Case) -> Iterator[Verdict]:
    for chart in charts(case, OPERATOR):
        for pool in _on_gke(case, chart):
            if not isinstance(pool, GpuPool) or pool.image is None:
                continue
            cos = mapped(pool.image.kind, lambda kind: str(kind).upper().startswith("COS"))
            text = (
                f"the GPU Operator's driver on {pool.name}, whose image is Container-Optimized OS: driver images exist for few of its releases, "
                "and the pod ends in ImagePullBackOff. Set driver.enabled=false and let GKE install the driver, or take Ubuntu nodes."
            )
            so = "it cannot be told whether its driver has an image for the nodes"
            yield from judged(all_of([cos, switched(chart, OPERATOR, "driver.enabled")]), _of(chart, "driver.enabled"), text, so)


def _runtime_on_gke(case: Case) -> Iterator[Verdict]:
    """C6. Source: the GPU Operator's page on GKE, which sets the variable from 1.33 on."""
    for chart in charts(case, OPERATOR):
        versions = [plane.version for plane in case.inventory.control_planes if plane.cloud == "gcp" and together(chart.cluster, plane.urn)]
        late = any_of(mapped(said, lambda v: version(v)[:2] >= (1, 33)) for said in versions)
        toolkit = switched(chart, OPERATOR, "toolkit.enabled")
        text = (
            "the container toolkit on GKE 1.33 or later without RUNTIME_CONFIG_SOURCE=file. It then rewrites containerd's settings wrongly, and "
            'pods end with: no runtime for "nvidia" is configured. Add the variable to toolkit.env.'
        )
        so = "it cannot be told whether containerd keeps its settings"
        yield from judged(all_of([late, toolkit, denied(_has_env(chart))]), _of(chart, "toolkit.env"), text, so)


def _has_env(chart: Chart) -> Maybe[bool]:
    found = items(setting(chart, OPERATOR, "toolkit.env"), f"{chart.name}.values.toolkit.env")
    return mapped(found, lambda listed: RUNTIME_FILE in str(listed))


RULES = (
    Rule(
        id="GPU-STACK-01",
        title="On GKE the GPU Operator's namespace admits critical pods",
        failures=("C4",),
        scope=Scope.STACK,
        check=_critical_pods,
        fix="ResourceQuota with scopeSelector PriorityClass In [system-node-critical, system-cluster-critical]",
    ),
    Rule(
        id="GPU-STACK-02",
        title="No operator driver on Container-Optimized OS",
        failures=("C5",),
        scope=Scope.STACK,
        check=_driver_on_cos,
        fix="driver.enabled=false; GKE installs the driver",
    ),
    Rule(
        id="GPU-STACK-03",
        title="The container toolkit leaves GKE's containerd settings alone",
        failures=("C6",),
        scope=Scope.STACK,
        check=_runtime_on_gke,
        fix="toolkit: {env: [{name: RUNTIME_CONFIG_SOURCE, value: file}]}",
        level=Level.ADVISORY,
    ),
)
