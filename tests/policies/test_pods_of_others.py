"""Pods in kinds that have leaders, runtimes or names of their own: what they ask for is judged, or told as unknown."""

from __future__ import annotations

from typing import Any

import pytest

from components.inventory import Workload
from policies import Finding, Status, evaluate
from policies.readers import inventory
from tests.policies.raw import SETTINGS, Raw, said, training

LWS, TRAIN = "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet", "kubernetes:trainer.kubeflow.org/v1alpha1:TrainJob"
ROLLOUT, KYVERNO = "kubernetes:argoproj.io/v1alpha1:Rollout", "kubernetes:kyverno.io/v1:ClusterPolicy"
SHM = {"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}}]}


def template(*, shm: bool, gpus: int = 8) -> dict[str, Any]:
    container: dict[str, Any] = {"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": gpus, "vpc.amazonaws.com/efa": 4}}}
    mounts = {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]} if shm else {}
    return {"spec": {"containers": [container | mounts], **(SHM if shm else {})}}


def program(kind: str, **spec: Any) -> Raw:
    return training().plus(kind, "w", metadata={"name": "w", "namespace": "team"}, spec=spec)


def workload(raw: Raw) -> Workload:
    (found,) = (load for load in inventory(raw.built()).workloads if load.name == "w")
    return found


def found(raw: Raw, rule: str) -> list[Finding]:
    return said(evaluate(raw.built(), SETTINGS), rule)


def served(leader: dict[str, Any] | None) -> Raw:
    own = {} if leader is None else {"leaderTemplate": leader}
    return program(LWS, replicas=2, leaderWorkerTemplate={"size": 4, "workerTemplate": template(shm=True), **own})


@pytest.mark.failure("G5")
def test_the_leader_of_a_group_is_judged_by_its_own_template() -> None:
    assert [f.path for f in found(served(template(shm=False)), "GPU-JOB-01")] == ["spec.leaderWorkerTemplate.leaderTemplate.spec.volumes"]
    assert found(served(template(shm=True)), "GPU-JOB-01") == found(served(None), "GPU-JOB-01") == []


def test_a_group_counts_its_leader_once() -> None:
    assert {pod.role: pod.count for pod in workload(served(template(shm=True))).pods} == {"worker": 6, "leader": 2}
    assert {pod.role: pod.count for pod in workload(served(None)).pods} == {"worker": 8}


@pytest.mark.failure("G5")
@pytest.mark.parametrize(
    ("kind", "spec", "path"),
    [
        (ROLLOUT, {"replicas": 3, "template": template(shm=False)}, "spec.template.spec.volumes"),
        ("kubernetes:serving.knative.dev/v1:Service", {"template": template(shm=False)}, "spec.template.spec.volumes"),
        ("kubernetes:acme.example/v1:Model", {"parts": [{"pods": template(shm=False)}]}, "spec.parts[0].pods.spec.volumes"),
    ],
)
def test_pods_with_gpus_are_found_in_kinds_that_nobody_listed(kind: str, spec: dict[str, Any], path: str) -> None:
    assert [f.path for f in found(program(kind, **spec), "GPU-JOB-01")] == [path]


def test_replicas_of_such_kinds_are_counted() -> None:
    (pod,) = workload(program(ROLLOUT, replicas=3, template=template(shm=True))).pods
    assert pod.count == 3


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        (KYVERNO, {"rules": [{"validate": {"pattern": template(shm=False)}}]}),
        ("kubernetes:acme.example/v1:Model", {"template": {"spec": {"containers": [{"name": "c", "image": "x"}]}}}),
    ],
    ids=["a rule about pods", "no devices"],
)
def test_what_makes_no_pods_with_devices_is_no_workload(kind: str, spec: dict[str, Any]) -> None:
    assert [load for load in inventory(program(kind, **spec).built()).workloads if load.name == "w"] == []


@pytest.mark.failure("A17")
def test_a_train_job_that_replaces_its_runtimes_resources_asks_for_efa_itself() -> None:
    limits = {"nvidia.com/gpu": 8}
    without, beside = (
        program(TRAIN, runtimeRef={"name": "torch"}, trainer={"numNodes": 4, "resourcesPerNode": {"limits": amounts}})
        for amounts in (limits, limits | {"vpc.amazonaws.com/efa": 4})
    )
    assert [f.status for f in found(without, "GPU-EFA-13")] == [Status.VIOLATED]
    assert found(beside, "GPU-EFA-13") == []
    assert workload(beside).pods[0].count == 4


@pytest.mark.failure("H10")
def test_what_stands_in_a_runtime_of_others_is_told() -> None:
    job = program(TRAIN, runtimeRef={"name": "torch"}, trainer={"numNodes": 1, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}})
    (finding,) = found(job, "GPU-JOB-01")
    assert (finding.status, finding.path) == (Status.UNKNOWN, "spec.runtimeRef")
    assert "Let this program make it" in finding.message
