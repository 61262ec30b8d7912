"""GPU-KUBE: releases and objects in clusters that come up in order, and go again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from components.inventory import Chart, Manifest
from components.resource import name_of
from components.unknown import Maybe, Unknown, known
from policies.finding import Level
from policies.readers.charts import chart_name
from policies.readers.values import any_of, mapped, texts, word

from .clusters import charts, control_plane
from .rule import Case, Place, Rule, Scope, Verdict, judged

HEAVY = ("gpu-operator", "network-operator", "nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu", "kube-prometheus-stack")
"""Charts whose pods pull or build for longer than Helm waits by default."""
HELM_WAITS_S = 300
OPERATORS: Mapping[str, tuple[str, ...]] = {
    "kueue.x-k8s.io": ("kueue",),
    "jobset.x-k8s.io": ("jobset", "kubeflow-trainer"),
    "trainer.kubeflow.org": ("kubeflow-trainer",),
    "leaderworkerset.x-k8s.io": ("lws",),
    "nvidia.com": ("gpu-operator",),
    "resource.nvidia.com": ("nvidia-dra-driver-gpu", "dra-driver-nvidia-gpu", "gpu-operator"),
    "mellanox.com": ("network-operator",),
    "karpenter.sh": ("karpenter", "karpenter-crd"),
    "karpenter.k8s.aws": ("karpenter", "karpenter-crd"),
    "keda.sh": ("keda",),
    "batch.volcano.sh": ("volcano",),
    "scheduling.volcano.sh": ("volcano",),
    "ray.io": ("kuberay-operator",),
    "serving.kserve.io": ("kserve-resources", "kserve-crd"),
    "monitoring.coreos.com": ("kube-prometheus-stack",),
    "cert-manager.io": ("cert-manager",),
}
"""API groups and the charts that bring their kinds and webhooks."""
LB_CONTROLLER = ("aws-load-balancer-controller",)
PATCH_FORCE = "pulumi.com/patchForce"


def _named(manifest: Manifest) -> str:
    return f"{manifest.kind} {name_of(manifest.urn) if isinstance(manifest.name, Unknown) else manifest.name}"


def _at(manifest: Manifest, prop: str) -> Place:
    return Place(manifest.urn, _named(manifest), manifest.at(prop))


def _impatient(case: Case) -> Iterator[Verdict]:
    least = case.settings.limits.thresholds.chart_timeout_s
    for name in HEAVY:
        for chart in charts(case, name):
            if not chart.waits:
                continue
            text = (
                f"waits {_seconds(chart.timeout_s)} for a chart whose pods pull and build longer than that (thresholds.chart_timeout_s: {least}). The "
                "release fails, and what it left locks the next one: another operation is in progress. Set timeout to 900 or more, with atomic and "
                "cleanupOnFail."
            )
            short = mapped(chart.timeout_s, lambda said: (said or HELM_WAITS_S) < least)
            yield from judged(short, Place(chart.urn, chart.name, "timeout"), text, "it cannot be told whether Helm waits long enough")


def _seconds(said: Maybe[int | None]) -> str:
    return f"{HELM_WAITS_S} seconds, Helm's default," if said is None else f"{said} seconds"


def _out_of_order(case: Case) -> Iterator[Verdict]:
    """H4, G3: the kind is not there before the chart, and its webhook refuses everything until it serves."""
    for manifest in case.inventory.manifests:
        bringing = case.once(_bringing, manifest.group)
        if not bringing or manifest.urn in case.once(_waiting, manifest.group):
            continue
        text = (
            f"does not wait for {bringing[0].name}, which brings its kind and the webhook that checks it. On an empty cluster the kind is unknown, or "
            "the webhook answers 502. Make it depend on the release (depends_on), which waits until its pods are ready."
        )
        yield from judged(True, _at(manifest, "dependsOn"), text, "")


def _bringing(case: Case, group: str) -> Sequence[Chart]:
    """Charts that bring kinds of the API group."""
    by_name = case.once(_by_name)
    return [chart for name in OPERATORS.get(group, ()) for chart in by_name.get(name, ())]


def _waiting(case: Case, group: str) -> frozenset[str]:
    """URNs of what waits for one of them."""
    return frozenset[str]().union(*(chart.dependents for chart in case.once(_bringing, group)))


def _by_name(case: Case) -> Mapping[str, list[Chart]]:
    found: dict[str, list[Chart]] = {}
    for chart in case.inventory.charts:
        if known(chart.chart):
            found.setdefault(chart_name(chart.chart), []).append(chart)
    return found


def _before_controller(case: Case) -> Iterator[Verdict]:
    """K2: a controller that goes first leaves its objects with a finalizer, and the load balancers with a bill."""
    controllers = [chart for name in LB_CONTROLLER for chart in charts(case, name)]
    waiting = frozenset[str]().union(*(chart.dependents for chart in controllers))
    for manifest in case.inventory.manifests if controllers else ():
        if not _makes_load_balancer(manifest) or manifest.urn in waiting:
            continue
        text = (
            f"does not depend on {controllers[0].name}, so that a destroy may remove the controller first. The object then waits on its finalizer for "
            "ever, and its load balancer blocks the network. Make it depend on the controller's release."
        )
        yield from judged(True, _at(manifest, "dependsOn"), text, "")


def _makes_load_balancer(manifest: Manifest) -> bool:
    if (manifest.group, manifest.kind) == ("", "Service"):
        return manifest.read("spec", "type") == "LoadBalancer"
    return manifest.kind == "Ingress" or (manifest.group, manifest.kind) == ("gateway.networking.k8s.io", "Gateway")


def _outlives(case: Case) -> Iterator[Verdict]:
    """H6. Told by no source but the program, previews and state: the engine's policy protocol leaves the option out."""
    for chart in case.inventory.charts:
        if control_plane(case, chart.cluster) is None or isinstance(chart.deleted_with, Unknown) or not chart.waits:
            continue
        text = (
            "is uninstalled by itself before its cluster goes. Where the cluster does not answer any more, the release cannot be deleted and the "
            "destroy stops. Set deleted_with to the cluster, or keep in-cluster resources in a stack of their own."
        )
        yield from judged(chart.deleted_with is None, Place(chart.urn, chart.name, "deletedWith"), text, "")


def _orphans(case: Case) -> Iterator[Verdict]:
    """K1, K3, K4: what owns something in the cloud must be deleted while the cluster can still delete that."""
    for manifest in case.inventory.manifests:
        owned = _owned(manifest)
        if owned is None or not isinstance(manifest.deleted_with, str):
            continue
        text = (
            f"owns {owned}, and is not deleted but forgotten with {name_of(manifest.deleted_with)} (deletedWith). That goes on and bills, and it "
            "blocks the network's deletion. Leave deleted_with out here, so that the object is deleted while the cluster answers."
        )
        yield from judged(True, _at(manifest, "deletedWith"), text, "")


def _owned(manifest: Manifest) -> str | None:
    """What the object makes in the cloud; None for nothing, or nothing of its own."""
    if _makes_load_balancer(manifest):
        return "a load balancer"
    if (manifest.group, manifest.kind) == ("karpenter.sh", "NodePool"):
        return "machines"
    if (manifest.group, manifest.kind) == ("", "PersistentVolumeClaim"):
        static = manifest.read("spec", "volumeName") is not None or manifest.read("spec", "storageClassName") == ""
        return None if static else "a disk"
    return None


def _forced(case: Case) -> Iterator[Verdict]:
    for manifest in case.inventory.manifests:
        found = texts(manifest.read("metadata", "annotations"), "metadata.annotations")
        text = (
            f"{PATCH_FORCE} takes fields away from whoever owns them. An operator or autoscaler that writes them takes them back, and each update "
            "fights it. Ignore changes of those fields instead (ignore_changes)."
        )
        said = mapped(found, lambda held: mapped(held.get(PATCH_FORCE), lambda value: value == "true"))
        yield from judged(said is True, _at(manifest, "metadata.annotations"), text, "")


def _blocked_drain(case: Case) -> Iterator[Verdict]:
    for manifest in case.inventory.manifests:
        if manifest.kind != "PodDisruptionBudget":
            continue
        least, most = (word(manifest.read("spec", key), f"spec.{key}") for key in ("minAvailable", "maxUnavailable"))
        text = (
            "a budget that allows no disruption. Every drain of a node with such a pod ends in PodEvictionFailure after its time-out, at updates and "
            "at the destroy. Allow one pod (maxUnavailable: 1)."
        )
        never = [mapped(least, lambda said: said == "100%"), mapped(most, lambda said: said in ("0", "0%"))]
        so = "it cannot be told whether it allows a drain"
        yield from judged(any_of(never), _at(manifest, "spec"), text, so)


RULES = (
    Rule(
        id="GPU-KUBE-01",
        title="Helm waits long enough for charts that pull drivers",
        failures=("H3",),
        scope=Scope.STACK,
        check=_impatient,
        fix="timeout=1800, atomic=True, cleanup_on_fail=True",
        parameters=("thresholds.chart_timeout_s",),
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-KUBE-02",
        title="Custom resources wait for the chart that brings their kind",
        failures=("H4", "G3"),
        scope=Scope.STACK,
        check=_out_of_order,
        fix="ResourceOptions(depends_on=[release])",
    ),
    Rule(
        id="GPU-KUBE-03",
        title="What needs a controller goes before it",
        failures=("K2",),
        scope=Scope.STACK,
        check=_before_controller,
        fix="ResourceOptions(depends_on=[controller])",
    ),
    Rule(
        id="GPU-KUBE-04",
        title="Releases go with their cluster",
        failures=("H6",),
        scope=Scope.STACK,
        check=_outlives,
        fix="ResourceOptions(deleted_with=cluster)",
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-KUBE-05",
        title="Objects that own cloud resources are deleted, not forgotten",
        failures=("K1", "K3", "K4"),
        scope=Scope.STACK,
        check=_orphans,
        fix="no deleted_with on Services of type LoadBalancer, Ingresses, claims and Karpenter pools",
    ),
    Rule(
        id="GPU-KUBE-06",
        title="No field is taken from its owner by force",
        failures=("H13",),
        scope=Scope.STACK,
        check=_forced,
        fix='ResourceOptions(ignore_changes=["spec.replicas"])',
        level=Level.ADVISORY,
    ),
    Rule(
        id="GPU-KUBE-07",
        title="Disruption budgets allow a drain",
        failures=("K7",),
        scope=Scope.STACK,
        check=_blocked_drain,
        fix="maxUnavailable: 1",
        level=Level.ADVISORY,
    ),
)
