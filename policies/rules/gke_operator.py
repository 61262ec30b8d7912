"""GPU-GKE: the GPU Operator beside what GKE brings: driver (C3), critical priority (C4), containerd (C6), Autopilot (D15)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from components.inventory import Chart, Cloud, CriticalQuota, Inventory, Manifest
from components.resource import name_of
from components.unknown import Maybe, Unknown
from policies.finding import Level, Status
from policies.readers.charts import is_chart, setting, switched
from policies.readers.gpu_stack import OPERATOR
from policies.readers.values import all_of, any_of, denied, items, mapped

from .clusters import ByCluster, charts
from .gke_pools import cluster_of, gke_pools, gpu_pools, violated
from .gpu_software import NO_CLOUD_PLUGIN
from .pools import version
from .rule import Case, Place, Rule, Scope, Verdict, cannot_tell, judged

RUNTIME_FILE = "RUNTIME_CONFIG_SOURCE"
CRITICAL = ("system-node-critical", "system-cluster-critical")


# --- GPU-GKE-50


def _label_and_driver(case: Case) -> Iterator[Verdict]:
    """Source: GKE's page on GPU drivers of one's own. Who advertises the GPUs is judged by GPU-STACK-04."""
    for pool, _ in gpu_pools(case):
        labelled = mapped(pool.labels, lambda labels: mapped(labels.get(NO_CLOUD_PLUGIN), lambda said: said == "true"))
        text = (
            f"label {NO_CLOUD_PLUGIN}=true with a driver that GKE should install: its installer is part of what the label keeps away, so nodes get no "
            "driver. Take the label off, or set gpuDriverVersion to INSTALLATION_DISABLED and install the driver yourself."
        )
        so = "it cannot be told whether GKE's driver installer runs"
        alone = mapped(pool.driver_owners, lambda owners: owners is None or len(owners) < 2)  # two are told by GPU-DRV-01
        claim = all_of([labelled, pool.cloud_driver, alone])
        yield from judged(claim, Place(pool.urn, pool.name, f"{pool.gke.prefix if pool.gke else ''}nodeConfig.labels"), text, so)


# --- GPU-GKE-51


def _quotas(case: Case) -> Iterator[Verdict]:
    typed = case.inventory.of_google(CriticalQuota)
    quotas = [*typed, *_written_as_yaml(case.inventory, {quota.urn for quota in typed})]
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


def _written_as_yaml(inventory: Inventory, typed: set[str]) -> Iterator[CriticalQuota]:
    """Quotas inside YAML, which are no resources of their own."""
    for manifest in inventory.manifests:
        if manifest.kind == "ResourceQuota" and manifest.urn not in typed:
            yield CriticalQuota(urn=manifest.urn, namespace=manifest.namespace, classes=_classes(manifest))


def _classes(manifest: Manifest) -> Maybe[tuple[Maybe[str], ...]]:
    path = ("spec", "scopeSelector", "matchExpressions")
    terms = items(manifest.read(*path), ".".join(path))
    if isinstance(terms, Unknown):
        return terms
    found: list[Maybe[str]] = []
    for i in range(len(terms)):
        values = items(manifest.read(*path, i, "values"), f"{'.'.join(path)}[{i}].values")
        if isinstance(values, Unknown):
            return values
        if manifest.read(*path, i, "scopeName") == "PriorityClass":
            found += [value if isinstance(value, Unknown) else str(value) for value in values]
    return tuple(found)


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
    google = _clusters(case, lambda cloud: cloud == "gcp")
    others = _clusters(case, lambda cloud: cloud != "gcp")
    for chart in case.inventory.charts:
        if chart.cluster in google or (chart.cluster is None and google and not others):
            yield chart


def _clusters(case: Case, of: Callable[[Cloud], bool]) -> set[str]:
    """Clusters, planned or existing, by what stands for them in pools and charts."""
    planned = {plane.urn for plane in case.inventory.control_planes if of(plane.cloud)}
    return planned | {pool.cluster for pool in case.inventory.pools if isinstance(pool.cluster, str) and of(pool.cloud)}


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


# --- GPU-GKE-53


def _runtime_on_gke(case: Case) -> Iterator[Verdict]:
    """C6. Source: the GPU Operator's page on GKE, which sets the variable from 1.33 on."""
    for chart in charts(case, OPERATOR):
        late = any_of(mapped(said, lambda v: version(v)[:2] >= (1, 33)) for said in case.once(_versions).beside(chart.cluster))
        toolkit = switched(chart, OPERATOR, "toolkit.enabled")
        text = (
            "the container toolkit on GKE 1.33 or later without RUNTIME_CONFIG_SOURCE=file. It then rewrites containerd's settings wrongly, and "
            'pods end with: no runtime for "nvidia" is configured. Add the variable to toolkit.env.'
        )
        so = "it cannot be told whether containerd keeps its settings"
        yield from judged(all_of([late, toolkit, denied(_has_env(chart))]), Place(chart.urn, chart.name, "values.toolkit.env"), text, so)


def _versions(case: Case) -> ByCluster[Maybe[str | None]]:
    """Kubernetes versions of GKE clusters."""
    return ByCluster((plane.urn, plane.version) for plane in case.inventory.control_planes if plane.cloud == "gcp")


def _has_env(chart: Chart) -> Maybe[bool]:
    found = items(setting(chart, OPERATOR, "toolkit.env"), f"{chart.name}.values.toolkit.env")
    return mapped(found, lambda listed: RUNTIME_FILE in str(listed))


RULES = (
    Rule(
        id="GPU-GKE-50",
        title="A pool that keeps GKE's device plugin away does not wait for GKE's driver",
        failures=("C3",),
        scope=Scope.RESOURCE,
        check=_label_and_driver,
        fix=f"no label {NO_CLOUD_PLUGIN}, or gpuDriverVersion INSTALLATION_DISABLED beside it",
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
    Rule(
        id="GPU-GKE-53",
        title="The container toolkit leaves GKE's containerd settings alone",
        failures=("C6",),
        scope=Scope.STACK,
        check=_runtime_on_gke,
        fix="toolkit: {env: [{name: RUNTIME_CONFIG_SOURCE, value: file}]}",
        level=Level.ADVISORY,
    ),
)
