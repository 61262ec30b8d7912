"""Custom resources of workloads, whose operators own pods, services and claims; then the queues that they wait in."""

from __future__ import annotations

from scripts.teardown.model import Seen, Thing
from scripts.teardown.objects import labels
from scripts.teardown.step import Step, delete_all
from scripts.teardown.steps.recreators import QUEUE_NAME

JOBS = (
    "RayJob.ray.io", "RayService.ray.io", "RayCluster.ray.io", "PyTorchJob.kubeflow.org", "MPIJob.kubeflow.org", "TrainJob.trainer.kubeflow.org",
    "JobSet.jobset.x-k8s.io", "LeaderWorkerSet.leaderworkerset.x-k8s.io", "InferenceService.serving.kserve.io",
    "DynamoGraphDeployment.nvidia.com", "Workload.kueue.x-k8s.io",
)  # fmt: skip
QUEUES = ("LocalQueue.kueue.x-k8s.io", "ClusterQueue.kueue.x-k8s.io")


def _touches(seen: Seen) -> tuple[Thing, ...]:
    """G11: a queue with workloads in it keeps its finalizer, so it goes after them. Kueue makes a job's workload anew, so the job goes first."""
    queued = tuple(each for each in seen.of(["Job"]) if QUEUE_NAME in labels(each))
    jobs = (*queued, *(thing for kind in JOBS for thing in seen.of([kind])))
    return jobs or tuple(thing for kind in QUEUES for thing in seen.of([kind]))


STEP = Step(
    id="workloads",
    title="Delete workload resources (Ray, training jobs, Kueue workloads, then their queues)",
    reason="K9, G11: their operators release what they own only while they live",
    needs=frozenset({"Job", *JOBS, *QUEUES}),
    touches=_touches,
    act=delete_all,
    minutes=10,
    in_cluster=True,
)
