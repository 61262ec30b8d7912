"""What would make again what the next steps delete: GitOps, autoscalers, schedules, jobs, queues that admit, Karpenter's growth."""

from __future__ import annotations

from scripts.teardown.model import Seen, Thing
from scripts.teardown.objects import body, labels, replicas
from scripts.teardown.step import Scene, Step

CONTROLLERS = frozenset(
    {
        "argocd-application-controller", "argocd-applicationset-controller", "kustomize-controller", "helm-controller", "cluster-autoscaler",
        "aws-cluster-autoscaler", "keda-operator", "workflow-controller", "argo-workflows-workflow-controller", "fleet-agent",
    }
)  # fmt: skip
"""By name, or by the label `app.kubernetes.io/name`, as their charts and manifests set them (Argo CD and Workflows, Flux, Cluster Autoscaler, KEDA,
Fleet; Fleet's is unverified)."""
NODE_POOL = "NodePool.karpenter.sh"
_DEPLOYED = ("Deployment", "StatefulSet")
_SUSPENDED = ("CronJob", "Job")
_CLUSTER_QUEUE = "ClusterQueue.kueue.x-k8s.io"
_DRAINED = "HoldAndDrain"
"""Admits nothing and gives admitted work back (Kueue, ClusterQueue, stopPolicy)."""
_ENDED = ("Complete", "Failed")
QUEUE_NAME = "kueue.x-k8s.io/queue-name"
_NO_GROWTH = {"cpu": "0"}


def _touches(seen: Seen) -> tuple[Thing, ...]:
    controllers = (each for each in seen.of(_DEPLOYED) if replicas(each) and _controls(each))
    schedules = (each for each in seen.of(_SUSPENDED) if not (body(each).get("spec") or {}).get("suspend") and _is_ours_to_suspend(each))
    queues = (each for each in seen.of([_CLUSTER_QUEUE]) if not _leaving(each) and _stop_policy(each) != _DRAINED)
    pools = (each for each in seen.of([NODE_POOL]) if not _leaving(each) and _limit(each) != "0")
    return (*controllers, *queues, *schedules, *pools)


def _controls(thing: Thing) -> bool:
    return bool({thing.name, labels(thing).get("app.kubernetes.io/name", "")} & CONTROLLERS)


def _stop_policy(queue: Thing) -> str:
    return str((body(queue).get("spec") or {}).get("stopPolicy") or "None")


def _is_ours_to_suspend(thing: Thing) -> bool:
    """Schedules, and jobs that go on. Of a job in a queue Kueue alone sets `suspend`, of another's part its maker: those go with the workloads."""
    if thing.kind == "CronJob":
        return True
    conditions = (body(thing).get("status") or {}).get("conditions") or ()
    ended = any(each.get("type") in _ENDED and each.get("status") == "True" for each in conditions)
    makers = body(thing)["metadata"].get("ownerReferences") or ()
    return not ended and QUEUE_NAME not in labels(thing) and all(each.get("kind") == "CronJob" for each in makers)


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
        elif thing.kind == _CLUSTER_QUEUE:
            scene.cluster.change(thing, {"spec": {"stopPolicy": _DRAINED}})
        elif thing.kind in _SUSPENDED:
            scene.cluster.change(thing, {"spec": {"suspend": True}})
        else:
            scene.cluster.change(thing, {"spec": {"limits": _NO_GROWTH}})


STEP = Step(
    id="re-creators",
    title="Stop what re-creates things (GitOps, autoscalers, queues, schedules, jobs, Karpenter's growth)",
    reason="K1: a controller would make again what the next steps delete",
    needs=frozenset({*_DEPLOYED, *_SUSPENDED, _CLUSTER_QUEUE, NODE_POOL}),
    touches=_touches,
    act=_act,
    minutes=5,
    in_cluster=True,
)
