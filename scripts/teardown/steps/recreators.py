"""What would make again what the next steps delete: GitOps, autoscalers, scheduled jobs, Karpenter's growth."""

from __future__ import annotations

from scripts.teardown.model import Seen, Thing
from scripts.teardown.objects import body, labels, replicas
from scripts.teardown.step import Scene, Step

CONTROLLERS = frozenset(
    {
        "argocd-application-controller", "argocd-applicationset-controller", "kustomize-controller", "helm-controller", "cluster-autoscaler",
        "aws-cluster-autoscaler", "keda-operator",
    }
)  # fmt: skip
"""By name, or by the label `app.kubernetes.io/name`, as their charts and manifests set them (Argo CD, Flux, Cluster Autoscaler, KEDA)."""
NODE_POOL = "NodePool.karpenter.sh"
_DEPLOYED = ("Deployment", "StatefulSet")
_NO_GROWTH = {"cpu": "0"}


def _touches(seen: Seen) -> tuple[Thing, ...]:
    controllers = (each for each in seen.of(_DEPLOYED) if replicas(each) and _controls(each))
    schedules = (each for each in seen.of(["CronJob"]) if not (body(each).get("spec") or {}).get("suspend"))
    pools = (each for each in seen.of([NODE_POOL]) if not _leaving(each) and _limit(each) != "0")
    return (*controllers, *schedules, *pools)


def _controls(thing: Thing) -> bool:
    return bool({thing.name, labels(thing).get("app.kubernetes.io/name", "")} & CONTROLLERS)


def _limit(pool: Thing) -> str:
    return str(((body(pool).get("spec") or {}).get("limits") or {}).get("cpu", ""))


def _leaving(thing: Thing) -> bool:
    return "deletionTimestamp" in body(thing)["metadata"]


def _act(scene: Scene, things: tuple[Thing, ...]) -> None:
    """Karpenter itself has to live: its finalizer ends its machines (K4). A limit of no processor keeps it from starting any."""
    if scene.cluster is None:
        return
    for thing in things:
        if thing.kind in _DEPLOYED:
            scene.cluster.change(thing, {"spec": {"replicas": 0}})
        elif thing.kind == "CronJob":
            scene.cluster.change(thing, {"spec": {"suspend": True}})
        else:
            scene.cluster.change(thing, {"spec": {"limits": _NO_GROWTH}})


STEP = Step(
    id="re-creators",
    title="Stop what re-creates things (GitOps, autoscalers, schedules, Karpenter's growth)",
    reason="K1: a controller would make again what the next steps delete",
    needs=frozenset({*_DEPLOYED, "CronJob", NODE_POOL}),
    touches=_touches,
    act=_act,
    minutes=5,
    in_cluster=True,
)
