"""Nodes, GPU pods, queues and servers of models, read from a real API server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scripts.errors import Failed
from scripts.idle.collect import kubernetes
from scripts.idle.collect.found import Endpoint
from tests.real.control_plane import ADMIN, ControlPlane

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("real-api-server")]

NODES = "/api/v1/nodes"
GPUS = {"limits": {"nvidia.com/gpu": "8"}}


@pytest.fixture
def plane(control_plane: ControlPlane) -> Iterator[ControlPlane]:
    """With the namespace `research`, and without what a test leaves."""
    if control_plane.get("/api/v1/namespaces/research") is None:
        control_plane.namespace("research")
    yield control_plane
    for each in control_plane.items("/api/v1/namespaces/research/pods"):
        control_plane.delete(f"/api/v1/namespaces/research/pods/{each['metadata']['name']}", gracePeriodSeconds=0)
    for name in ("gpu-node", "cpu-node"):
        if control_plane.get(f"{NODES}/{name}") is not None:
            control_plane.delete(f"{NODES}/{name}")


def seen(plane: ControlPlane, token: Callable[[], str] = lambda: ADMIN) -> kubernetes.Seen:
    endpoint = Endpoint(url=plane.url, authority=plane.authority, token=token)
    return kubernetes.look(endpoint, "lab", "aws", {"lab-a100": "a100"}, datetime(2026, 1, 1, tzinfo=UTC))


def node(plane: ControlPlane, name: str, machine: str, **capacity: str) -> None:
    labels = {"eks.amazonaws.com/nodegroup": "lab-a100", "node.kubernetes.io/instance-type": machine}
    held = {"cpu": "8", "memory": "64Gi", "pods": "58", **{key.replace("_", "/"): count for key, count in capacity.items()}}
    status = {"capacity": held, "allocatable": held, "conditions": [{"type": "Ready", "status": "True"}]}
    plane.make(NODES, {"metadata": {"name": name, "labels": labels}, "status": status})


def pod(plane: ControlPlane, name: str, **spec: Any) -> None:
    body = {"containers": [{"name": "work", "image": "simulated.invalid/work", "resources": GPUS}], **spec}
    plane.make("/api/v1/namespaces/research/pods", {"metadata": {"name": name}, "spec": body})


def test_nodes_have_their_pool_their_gpus_and_their_age(plane: ControlPlane) -> None:
    node(plane, "gpu-node", "p4d.24xlarge", **{"nvidia.com_gpu": "8"})
    node(plane, "cpu-node", "m7i.2xlarge")
    found = {each.name: each for each in seen(plane).nodes}
    gpu, cpu = found["gpu-node"], found["cpu-node"]
    assert (gpu.pool, gpu.ready, gpu.gpus) == ("a100", True, None)
    assert cpu.gpus == 0
    assert gpu.created is not None
    assert timedelta(minutes=-1) < datetime.now(UTC) - gpu.created < timedelta(minutes=5)


def test_pods_that_hold_or_await_gpus_are_told_with_their_phase_and_others_are_not(plane: ControlPlane) -> None:
    node(plane, "gpu-node", "p4d.24xlarge", **{"nvidia.com_gpu": "8"})
    pod(plane, "works", nodeName="gpu-node")
    plane.change("/api/v1/namespaces/research/pods/works/status", {"status": {"phase": "Running", "startTime": "2026-11-30T11:00:00Z"}})
    pod(plane, "waits", nodeSelector={"eks.amazonaws.com/nodegroup": "lab-a100"})
    pod(plane, "plain", containers=[{"name": "web", "image": "simulated.invalid/web"}])
    found = {each.name: each for each in seen(plane).pods if each.namespace == "research"}
    assert set(found) == {"works", "waits"}
    assert (found["works"].phase, found["works"].node, found["works"].gpus) == ("Running", "gpu-node", 8)
    assert found["works"].since == datetime(2026, 11, 30, 11, tzinfo=UTC)
    assert (found["waits"].phase, found["waits"].node, found["waits"].pool) == ("Pending", None, "a100")


def test_a_deployment_serves_when_its_pods_ask_for_gpus(plane: ControlPlane) -> None:
    assert seen(plane).serves is None
    path, labels = "/apis/apps/v1/namespaces/research/deployments", {"app": "llm"}
    container = {"name": "vllm", "image": "simulated.invalid/vllm", "resources": GPUS}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    plane.make(path, {"metadata": {"name": "llm"}, "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}})
    assert seen(plane).serves == "Deployment research/llm"
    plane.delete(f"{path}/llm")


def test_kueue_is_asked_where_its_kinds_are_served_and_only_there(plane: ControlPlane) -> None:
    assert seen(plane).queues == ()
    plane.definition("kueue.x-k8s.io", "ClusterQueue", "clusterqueues", "Cluster")
    queues = "/apis/kueue.x-k8s.io/v1/clusterqueues"
    body = {"apiVersion": "kueue.x-k8s.io/v1", "kind": "ClusterQueue", "metadata": {"name": "gpus"}, "status": {"pendingWorkloads": 2}}
    plane.make(queues, body)
    (queue,) = seen(plane).queues
    assert (queue.name, queue.pending) == ("gpus", 2)
    plane.delete(f"{queues}/gpus")


def test_the_clock_is_the_servers_own(plane: ControlPlane) -> None:
    assert abs(datetime.now(UTC) - seen(plane).read_at) < timedelta(minutes=5)


def test_a_token_that_is_refused_is_a_failure_that_does_not_show_it(plane: ControlPlane) -> None:
    with pytest.raises(Failed, match="401") as raised:
        seen(plane, lambda: "canary-token")
    assert "canary" not in str(raised.value)
