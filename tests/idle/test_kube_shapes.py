"""Objects of clusters in the field: which of them are work, which none, and by what other names a node goes."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.idle.collect import kube_shapes as shapes
from scripts.idle.signals import Node

GPU = {"resources": {"limits": {"nvidia.com/gpu": "8"}}}


def pod(name: str = "p", *, owner: str = "Job", node: str | None = "n", phase: str = "Running", **other: Any) -> dict[str, Any]:
    spec = {"containers": [other.pop("container", {})], **({"nodeName": node} if node else {}), **other}
    meta = {"name": name, "namespace": "ml", "ownerReferences": [{"kind": owner}]}
    return {"metadata": meta, "spec": spec, "status": {"phase": phase, "podIP": "10.0.0.9"}}


@pytest.mark.parametrize(
    ("item", "kept"),
    [
        (pod(), True),
        (pod(node="cpu"), False),
        (pod(phase="Succeeded"), False),
        (pod(owner="DaemonSet"), False),
        (pod(owner="ReplicaSet"), False),
        (pod(container=GPU, node="cpu"), True),
        (pod(container={"resources": {"limits": {"volcano.sh/vgpu-number": 1}}}, owner="ReplicaSet"), True),
    ],
)
def test_a_pod_without_gpus_counts_when_a_job_runs_it_on_a_gpu_node(item: dict[str, Any], kept: bool) -> None:
    found = shapes.pod(item, {}, {"n"})
    assert (found is not None) is kept


def test_a_node_is_known_by_its_addresses_and_by_its_exporter() -> None:
    item = {"metadata": {"name": "n"}, "status": {"addresses": [{"type": "InternalIP", "address": "10.1.0.4"}, {"address": "n"}]}}
    node = shapes.node(item, "aws", {})
    assert node.aliases == ("10.1.0.4",)
    exporter = shapes.exporter(pod("nvidia-dcgm-exporter-x7abc", owner="DaemonSet"))
    assert exporter is not None
    other = shapes.exporter(pod("llm-0"))
    assert other is None
    (known, plain) = shapes.with_aliases([node, Node(name="m", pool="p")], [exporter])
    assert known.aliases == ("10.0.0.9", "10.1.0.4", "nvidia-dcgm-exporter-x7abc")
    assert plain.aliases == ()


def test_an_exporter_on_the_network_of_its_node_adds_no_name() -> None:
    assert shapes.exporter(pod("dcgm-exporter-1", hostNetwork=True)) is None


def workload(*, gpus: bool, active: bool = True, holder: str | None = None) -> dict[str, Any]:
    template = {"spec": {"containers": [GPU if gpus else {"resources": {"requests": {"cpu": "2"}}}]}}
    spec = {"queueName": "team", "active": active, "podSets": [{"template": template}]}
    return {"metadata": {"name": "w", "namespace": "ml"}, "spec": spec, "status": {"admission": {"clusterQueue": holder}} if holder else {}}


def queue(name: str, *resources: str, **status: int) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"resourceGroups": [{"coveredResources": list(resources)}]}, "status": status}


def counts(queues: list[dict[str, Any]], *workloads: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {each.name: (each.pending, each.admitted) for each in shapes.kueue(queues, workloads)}


def test_a_queue_of_processors_keeps_no_gpu() -> None:
    assert counts([queue("cpu", "cpu", "memory", pendingWorkloads=4)]) == {}
    assert counts([queue("gpu", "cpu", "nvidia.com/gpu", pendingWorkloads=4)]) == {"gpu": (4, 0)}
    assert counts([{"metadata": {"name": "any"}, "status": {"pendingWorkloads": 1}}]) == {"any": (1, 0)}


def test_a_workload_counts_by_what_it_asks_for_wherever_it_waits() -> None:
    assert counts([], workload(gpus=True)) == {"ml/team": (1, 0)}
    assert counts([], workload(gpus=False)) == {}
    assert counts([queue("cpu", "cpu")], workload(gpus=True, holder="cpu")) == {"cpu": (0, 1)}
    assert counts([], {"metadata": {"name": "w"}, "spec": {}}) == {"default/no queue": (1, 0)}


def test_a_workload_that_was_deactivated_waits_for_nothing() -> None:
    assert counts([], workload(gpus=True, active=False)) == {}
    assert counts([], workload(gpus=True, active=False, holder="q")) == {"q": (0, 1)}
