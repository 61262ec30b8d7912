"""GPU-GKE: the GPU Operator beside what GKE brings: device plugin (C7), critical priority (C4), Autopilot (D15)."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Chart, CriticalQuota, GpuPool
from components.unknown import Maybe, Unknown
from policies.finding import Status
from policies.readers.charts import is_chart, switched
from policies.readers.gpu_stack import OPERATOR, operators
from policies.readers.values import all_of, any_of

from .gke_pools import NVIDIA, cluster_of, gke_pools, gpu_pools, machine_of, untold, violated
from .rule import Case, Rule, Scope, Verdict, cannot_tell, name_of

NO_PLUGIN = "gke-no-default-nvidia-gpu-device-plugin"
"""Label that keeps GKE's device plugin, and with it the driver installer, off a node."""
CRITICAL = ("system-node-critical", "system-cluster-critical")


# --- GPU-GKE-50


_WHO = "it cannot be told who advertises nvidia.com/gpu"


def _plugins(case: Case) -> Iterator[Verdict]:
    planes = frozenset(plane.urn for plane in case.inventory.control_planes)
    named = frozenset(pool.cluster for pool in case.inventory.pools if isinstance(pool.cluster, str))
    found = operators(case.inventory.charts, planes | named)
    for pool, _ in gpu_pools(case):
        machine = machine_of(pool)
        if machine is not None and machine.vendor != NVIDIA and machine.accelerated:
            continue
        labelled = _labelled(pool)
        ours = any_of(
            [chart if isinstance(chart, Unknown) else switched(chart, OPERATOR, "devicePlugin.enabled") for chart in found.of(pool.cluster)]
        )
        if isinstance(labelled, Unknown):
            yield untold(pool, labelled, _WHO)
        elif isinstance(ours, Unknown):
            yield untold(pool, ours, _WHO)
        else:
            yield from _owners(pool, labelled, ours)


def _labelled(pool: GpuPool) -> Maybe[bool]:
    value = pool.labels if isinstance(pool.labels, Unknown) else pool.labels.get(NO_PLUGIN)
    return value if isinstance(value, Unknown) else value == "true"


def _owners(pool: GpuPool, labelled: bool, ours: bool) -> Iterator[Verdict]:
    path = "nodeConfig.labels"
    if not labelled and ours:
        text = (
            "two owners of nvidia.com/gpu: GKE's device plugin and the GPU Operator's. The number of GPUs flaps and pods fail admission. "
        )
        text += f"Set devicePlugin.enabled=false in the GPU Operator's values, or label the pool {NO_PLUGIN}=true and let the operator own driver and plugin."
        yield violated(pool, path, text)
    elif labelled and not ours:
        text = f"label {NO_PLUGIN}=true keeps GKE's device plugin away, and no GPU Operator of this cluster has devicePlugin.enabled: nodes never offer "
        yield violated(pool, path, text + "nvidia.com/gpu. Take the label off.")
    if labelled and pool.cloud_driver is True:
        text = f"label {NO_PLUGIN}=true with a driver that GKE should install: its installer is part of what the label keeps away, so nodes get no driver. "
        yield violated(
            pool, path, text + "Take the label off, or set gpuDriverVersion to INSTALLATION_DISABLED and install the driver yourself."
        )


# --- GPU-GKE-51


def _quotas(case: Case) -> Iterator[Verdict]:
    quotas = case.inventory.of_google(CriticalQuota)
    for chart in _on_gke(case):
        if is_chart(chart, OPERATOR) is not True:
            continue
        claim = any_of([_covers(quota, chart) for quota in quotas])
        if isinstance(claim, Unknown):
            yield cannot_tell(chart.urn, claim, subject=chart.name, so="it cannot be told whether GKE admits its critical pods")
        elif not claim:
            where = chart.namespace if isinstance(chart.namespace, str) else "its namespace"
            text = f"{chart.name}: no ResourceQuota in {where} admits pods of priority {' and '.join(CRITICAL)}. GKE refuses them, and the release times out "
            text += f"after minutes. Add a ResourceQuota whose scopeSelector names PriorityClass In [{', '.join(CRITICAL)}], before the release."
            yield Verdict(status=Status.VIOLATED, urn=chart.urn, path="namespace", message=text)


def _covers(quota: CriticalQuota, chart: Chart) -> Maybe[bool]:
    classes = quota.classes
    if isinstance(classes, Unknown):
        return classes
    admits = all_of([any_of([name if isinstance(name, Unknown) else name == wanted for name in classes]) for wanted in CRITICAL])
    return all_of([_same(quota.namespace, chart.namespace), admits])


def _same(one: Maybe[str | None], other: Maybe[str | None]) -> Maybe[bool]:
    """Namespaces; an absent one is `default`. A planned one goes by its URN, and may be the other's."""
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return one if isinstance(one, Unknown) else other if isinstance(other, Unknown) else False
    if one is not None and one.startswith("urn:"):
        return Unknown("metadata.namespace", f"that of {name_of(one)}, whose name is known only after the update")
    return (one or "default") == (other or "default")


def _on_gke(case: Case) -> Iterator[Chart]:
    """Charts of a GKE cluster: by their provider, or because there is no other cluster."""
    google = case.inventory.gke_clusters
    others = [plane for plane in case.inventory.control_planes if plane.cloud != "gcp"]
    for chart in case.inventory.charts:
        if chart.cluster in google or (chart.cluster is None and google and not others):
            yield chart


# --- GPU-GKE-52


def _autopilot(case: Case) -> Iterator[Verdict]:
    yield from _pools_of_ones_own(case)
    yield from _privileged(case)


def _pools_of_ones_own(case: Case) -> Iterator[Verdict]:
    """Autopilot makes nodes by itself."""
    for pool, _ in gke_pools(case):
        cluster = cluster_of(case, pool)
        if cluster is not None and cluster.autopilot is True:
            text = f"a node pool in Autopilot cluster {cluster.name}, which takes none: it makes nodes for the pods that ask for GPUs. "
            yield violated(pool, "cluster", text + "Take the pool out, or make a Standard cluster.")


def _privileged(case: Case) -> Iterator[Verdict]:
    clusters = case.inventory.gke_clusters
    for chart in _on_gke(case):
        own = [clusters[chart.cluster]] if isinstance(chart.cluster, str) and chart.cluster in clusters else list(clusters.values())
        for cluster in own if is_chart(chart, OPERATOR) is True else ():
            if isinstance(cluster.autopilot, Unknown):
                yield cannot_tell(
                    cluster.urn, cluster.autopilot, subject=cluster.name, so=f"it cannot be told whether it admits {chart.name}"
                )
            elif cluster.autopilot:
                text = f"{chart.name}: the GPU Operator in Autopilot cluster {cluster.name}, which forbids the privileges and host paths that it needs. "
                text += "Take it out, as Autopilot brings driver and device plugin, or make a Standard cluster."
                yield Verdict(status=Status.VIOLATED, urn=chart.urn, path="chart", message=text)


RULES = (
    Rule(
        id="GPU-GKE-50",
        title="Exactly one device plugin advertises the GPUs of a pool, and the driver comes with it",
        failures=("C7",),
        scope=Scope.STACK,
        check=_plugins,
        fix=f"devicePlugin.enabled=false in the {OPERATOR} values; or label {NO_PLUGIN}=true on every GPU pool with gpuDriverVersion INSTALLATION_DISABLED",
    ),
    Rule(
        id="GPU-GKE-51",
        title="The GPU Operator's namespace admits critical priority",
        failures=("C4",),
        scope=Scope.STACK,
        check=_quotas,
        fix=f"ResourceQuota with scopeSelector: {{matchExpressions: [{{scopeName: PriorityClass, operator: In, values: [{', '.join(CRITICAL)}]}}]}}",
    ),
    Rule(
        id="GPU-GKE-52",
        title="No GPU Operator and no node pool in an Autopilot cluster",
        failures=("D15",),
        scope=Scope.STACK,
        check=_autopilot,
        fix="enableAutopilot left out, or neither NodePool nor gpu-operator chart",
    ),
)
