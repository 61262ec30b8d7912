"""GPU-STACK: device plugin, feature discovery, exporter and GPU allocator have one owner each on a node."""

from __future__ import annotations

from collections.abc import Iterator

from components import catalog
from components.inventory import Chart, NodePool
from components.unknown import Maybe, Unknown
from policies.readers.charts import setting, switched
from policies.readers.gpu_stack import OPERATOR
from policies.readers.values import all_of, any_of, denied, mapped

from .clusters import ByCluster, charts, charts_of
from .pods import containers
from .pools import nvidia_pools, place
from .rule import Case, Place, Rule, Scope, Verdict, judged

PLUGIN = "nvidia-device-plugin"
PLUGIN_IMAGE = "k8s-device-plugin"
EXPORTER = "dcgm-exporter"
DISCOVERY = "node-feature-discovery"
NETWORK_OPERATOR = "network-operator"
DRA = ("nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu")
NO_CLOUD_PLUGIN = "gke-no-default-nvidia-gpu-device-plugin"
"""Label that keeps GKE's own device plugin off a pool's nodes, set when the pool is made."""

_NOBODY = ("the GPU Operator's device plugin is off", "Set devicePlugin.enabled=true.")
_NOBODY_ON_GKE = (f"label {NO_CLOUD_PLUGIN}=true keeps GKE's device plugin away", "Take the label off, or install the GPU Operator.")


def _of(chart: Chart, path: str) -> Place:
    return Place(chart.urn, chart.name, f"values.{path}")


def _plugin_owners(case: Case) -> Iterator[Verdict]:
    """C7, C13: the kubelet keeps the last registration, without an error."""
    so = "it cannot be told who advertises its GPUs"
    for pool in nvidia_pools(case):
        own = charts_of(case, OPERATOR, pool.cluster)
        claims: dict[str, Maybe[bool]] = {
            "the image": _in_image(pool),
            "GKE": _by_gke(pool),
            "the GPU Operator": any_of(switched(chart, OPERATOR, "devicePlugin.enabled") for chart in own),
            f"the chart {PLUGIN}": bool(charts_of(case, PLUGIN, pool.cluster)),
            f"a DaemonSet of {PLUGIN_IMAGE}": case.once(_by_manifest),
        }
        owners = [name for name, claim in claims.items() if claim is True]
        unknown = next((claim for claim in claims.values() if isinstance(claim, Unknown)), None)
        at = place(pool, "image")
        if len(owners) > 1:
            text = (
                f"{len(owners)} owners of the device plugin ({', '.join(owners)}). The kubelet keeps whichever registers last: the number of GPUs "
                "flaps and pods fail admission. Leave one: devicePlugin.enabled=false in the GPU Operator's values, or the other taken out"
                f"{f' (label {NO_CLOUD_PLUGIN}=true on the pool)' if 'GKE' in owners else ''}."
            )
            yield from judged(True, at, text, so)
        elif unknown is not None:
            yield from judged(unknown, at, "", so)
        elif not owners and (own or pool.cloud == "gcp"):
            why, fix = _NOBODY if own else _NOBODY_ON_GKE
            text = f"nobody advertises the GPUs: {why} and nothing else brings one, so nodes never offer nvidia.com/gpu. {fix}"
            yield from judged(True, at, text, so)


def _in_image(pool: NodePool) -> Maybe[bool]:
    if pool.image is None or pool.cloud != "aws":
        return False
    row = mapped(pool.image.kind, lambda kind: catalog.image("aws", str(kind)))
    return mapped(row, lambda image: image is not None and image.device_plugin is True)


def _by_gke(pool: NodePool) -> Maybe[bool]:
    """GKE puts its plugin on every GPU node but those with the label."""
    return mapped(pool.labels, lambda labels: pool.cloud == "gcp" and labels.get(NO_CLOUD_PLUGIN) != "true")


def _by_manifest(case: Case) -> Maybe[bool]:
    images = [c.image for load in case.inventory.workloads if load.kind == "DaemonSet" for pod in load.pods for c in containers(pod)]
    return any_of(mapped(image, lambda said: PLUGIN_IMAGE in (said or "")) for image in images)


def _two_allocators(case: Case) -> Iterator[Verdict]:
    plugins = [switched(chart, OPERATOR, "devicePlugin.enabled") for chart in charts(case, OPERATOR)]
    plugins += [True for _ in charts(case, PLUGIN)]
    for name in DRA:
        for chart in charts(case, name):
            text = (
                "the DRA driver hands out GPUs (resources.gpus.enabled) beside a device plugin. The scheduler counts them as two kinds of things, so "
                "that one GPU goes to two pods. Turn one off: resources.gpus.enabled=false keeps its compute domains, or devicePlugin.enabled=false."
            )
            gpus = mapped(setting(chart, name, "resources.gpus.enabled"), lambda said: said is not False)
            so = "it cannot be told whether two allocators hand out the same GPUs"
            yield from judged(all_of([gpus, any_of(plugins)]), _of(chart, "resources.gpus.enabled"), text, so)


def _two_discoveries(case: Case) -> Iterator[Verdict]:
    """C18. The operators' charts bring NFD along unless told otherwise (charts gpu-operator v26.7.0, network-operator 26.4.1)."""
    bringing = [
        (chart, denied(mapped(setting(chart, name, "nfd.enabled"), lambda said: said is False)))
        for name in (OPERATOR, NETWORK_OPERATOR)
        for chart in charts(case, name)
    ]
    by_cluster = ByCluster((entry[0].cluster, entry) for entry in bringing)
    for chart, enabled in bringing:
        beside = by_cluster.beside(chart.cluster)
        others: list[Maybe[bool]] = [True] if charts_of(case, DISCOVERY, chart.cluster) else []
        if chart is not beside[0][0]:  # of two that bring it, the second is told
            others += [claim for other, claim in beside if other is not chart]
        text = (
            "brings node feature discovery, and so does another chart of the cluster. Two of them overwrite each other's labels, and removing one "
            "strips them, which drops the other's pods. Keep one release of node-feature-discovery and set nfd.enabled=false in the others."
        )
        so = "it cannot be told whether node feature discovery runs twice"
        yield from judged(all_of([enabled, any_of(others)]), _of(chart, "nfd.enabled"), text, so)


def _two_exporters(case: Case) -> Iterator[Verdict]:
    for chart in charts(case, EXPORTER):
        operators = charts_of(case, OPERATOR, chart.cluster)
        text = (
            "an exporter beside the GPU Operator's own. The profiling module takes one client, so that both fail, and what they do report counts "
            "double in utilisation and cost. Take this release out, or set dcgmExporter.enabled=false in the operator's values."
        )
        claim = any_of(switched(other, OPERATOR, "dcgmExporter.enabled") for other in operators)
        yield from judged(claim, Place(chart.urn, chart.name, "chart"), text, "it cannot be told whether two exporters run on a node")


RULES = (
    Rule(
        id="GPU-STACK-04",
        title="Exactly one owner advertises the GPUs of a node",
        failures=("C7", "C13"),
        scope=Scope.STACK,
        check=_plugin_owners,
        fix="devicePlugin.enabled=true with AL2023_x86_64_NVIDIA, false with BOTTLEROCKET_x86_64_NVIDIA",
    ),
    Rule(
        id="GPU-STACK-05",
        title="DRA and the device plugin do not hand out the same GPUs",
        failures=("C8",),
        scope=Scope.STACK,
        check=_two_allocators,
        fix="resources: {gpus: {enabled: false}} in the DRA driver's values",
    ),
    Rule(
        id="GPU-STACK-06",
        title="Node feature discovery runs once",
        failures=("C18",),
        scope=Scope.STACK,
        check=_two_discoveries,
        fix="nfd: {enabled: false} in every operator beside a release of node-feature-discovery",
    ),
    Rule(
        id="GPU-STACK-07",
        title="One exporter a node",
        failures=("I5",),
        scope=Scope.STACK,
        check=_two_exporters,
        fix="the GPU Operator's exporter alone",
    ),
)
