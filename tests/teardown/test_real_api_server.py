"""The steps inside a cluster against a real API server with real controllers: finalizers, budgets, claims, re-creators, operators."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from scripts.errors import Failed
from scripts.teardown import preflight
from scripts.teardown.clouds.cloud import ClusterFacts
from scripts.teardown.journal import Journal
from scripts.teardown.kube_cluster import KubeCluster, connect
from scripts.teardown.looking import look
from scripts.teardown.model import Scope, Target, Thing
from scripts.teardown.running import Done, Pace, Runner
from scripts.teardown.step import Choices, Scene, Step
from scripts.teardown.steps import balancers, budgets, claims, finalizers, operators, recreators, workloads
from tests.real.control_plane import ADMIN, ControlPlane, until
from tests.real.process import free_ports

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("real-api-server")]

RAY = "/apis/ray.io/v1"
_names = count()


class NoCloud:
    """A cloud in which the cluster has nothing."""

    def find(self, *_: object) -> tuple[Thing, ...]:
        return ()

    def __getattr__(self, asked: str) -> Any:
        raise AssertionError(f"the cloud was asked to {asked}")


@dataclass
class Bench:
    """Steps of a teardown on one cluster. A step's minutes pass by looking: four looks a minute, each after what `beside` does."""

    plane: ControlPlane
    home: Path
    cluster: KubeCluster
    said: list[str] = field(default_factory=list[str])

    def scene(self, **choices: Any) -> Scene:
        target = Target(cloud="aws", account="123456789012", region="us-east-1", cluster="lab", world="sandbox")
        cloud: Any = NoCloud()
        return Scene(target=target, cloud=cloud, cluster=self.cluster, engine=None, choices=Choices(**choices))

    def reconnect(self) -> None:
        """Kinds that have come since are seen by a new connection."""
        found = connect(facts(self.plane), {}, direct=True)
        assert found is not None
        self.cluster = found

    def run(self, step: Step, *, minutes: float = 5, beside: Callable[[], None] = lambda: None) -> Done:
        seconds = [0.0]

        def sleep(passed: float) -> None:
            seconds[0] += passed
            beside()
            time.sleep(0.25)

        pace = Pace(look_seconds=15, now=lambda: seconds[0], sleep=sleep)
        journal = Journal(self.home / "journal.jsonl")
        scene = self.scene(minutes={step.id: minutes})
        (done,) = Runner(scene=scene, journal=journal, scope=Scope(), say=self.said.append, pace=pace).run([step])
        return done

    def judged(self) -> preflight.Preflight:
        seen = look(self.scene(), preflight.NEEDS, Scope())
        return preflight.judge(seen, preflight.Standing(exists=True, protected=False, reachable=True), Choices())


def facts(plane: ControlPlane, *, token: str = ADMIN, endpoint: str = "") -> ClusterFacts:
    credential = f'print(\'{{"status": {{"token": "{token}"}}}}\')'
    return ClusterFacts(
        name="lab", ready=True, protected=False, endpoint=endpoint or plane.url, authority=plane.authority,
        token_command=(sys.executable, "-c", credential),
    )  # fmt: skip


@pytest.fixture
def bench(control_plane: ControlPlane, tmp_path: Path) -> Bench:
    cluster = connect(facts(control_plane), {}, direct=True)
    assert cluster is not None
    return Bench(control_plane, tmp_path, cluster)


@pytest.fixture
def space(control_plane: ControlPlane) -> Iterator[str]:
    """The path of a namespace of its own; what a test leaves in it has no finalizers, and goes with it."""
    path = control_plane.namespace(f"t{next(_names)}")
    yield path
    if control_plane.get(path) is not None:
        control_plane.delete(path)


def pod_spec(**changes: Any) -> dict[str, Any]:
    return {"containers": [{"name": "work", "image": "simulated.invalid/work"}], "terminationGracePeriodSeconds": 0, **changes}


def running_pod(plane: ControlPlane, space: str, name: str, **spec: Any) -> str:
    """A pod whose kubelet says that it runs; returns its path."""
    if plane.get("/api/v1/nodes/by-hand") is None:  # pods of a node that is not there are collected
        plane.make("/api/v1/nodes", {"metadata": {"name": "by-hand"}})
    body = {"metadata": {"name": name, "labels": {"app": "serving"}}, "spec": pod_spec(nodeName="by-hand", **spec)}
    plane.make(f"{space}/pods", body)
    path = f"{space}/pods/{name}"
    says_running(plane, path)
    return path


def says_running(plane: ControlPlane, path: str) -> None:
    ready = [{"type": "Ready", "status": "True"}]
    plane.change(f"{path}/status", {"status": {"phase": "Running", "conditions": ready}})


def evicted(plane: ControlPlane, path: str) -> int:
    """HTTP status of an eviction, as a drain asks for it."""
    name = path.rsplit("/", 1)[-1]
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}, "deleteOptions": {"gracePeriodSeconds": 0}}
    return plane.status_of_post(f"{path}/eviction", body)


def apps(space: str, plural: str, group: str = "apps") -> str:
    return f"/apis/{group}/v1/namespaces/{space.rsplit('/', 1)[-1]}/{plural}"


def deployment(name: str, replicas: int = 1, **spec: Any) -> dict[str, Any]:
    labels = {"name": name}
    template = {"metadata": {"labels": labels}, "spec": pod_spec(**spec)}
    return {"metadata": {"name": name}, "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}}


# The way in


def test_a_token_that_the_server_refuses_is_a_failure_and_no_absence(control_plane: ControlPlane) -> None:
    with pytest.raises(Failed, match="401"):
        connect(facts(control_plane, token="somebody-else"), {}, direct=True)


def test_a_server_that_is_not_there_is_an_absence(control_plane: ControlPlane) -> None:
    (port,) = free_ports(1)
    assert connect(facts(control_plane, endpoint=f"https://127.0.0.1:{port}"), {}, direct=True) is None


def test_lists_longer_than_a_page_are_read_to_their_end(bench: Bench, space: str) -> None:
    for number in range(520):
        bench.plane.make(f"{space}/configmaps", {"metadata": {"name": f"c{number}"}})
    mine = [thing for thing in bench.cluster.find({"ConfigMap"}) if thing.id.startswith(f"{space.rsplit('/', 1)[-1]}/c")]
    assert len({thing.id for thing in mine}) == 520


# Finalizers


@pytest.mark.failure("K9")
def test_a_finalizer_without_its_controller_holds_its_namespace_until_it_is_taken_off(bench: Bench, space: str) -> None:
    plane, name = bench.plane, space.rsplit("/", 1)[-1]
    if plane.get(f"{RAY}/rayclusters") is None:
        plane.definition("ray.io", "RayCluster", "rayclusters")
    held = f"{RAY}/namespaces/{name}/rayclusters"
    body = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "spec": {}}
    plane.make(held, {**body, "metadata": {"name": "held", "finalizers": ["ray.io/gcs-ft-redis-cleanup-finalizer"]}})
    plane.make(held, {**body, "metadata": {"name": "free"}})
    bench.reconnect()
    assert any(f"RayCluster.ray.io {name}/held" in warning and "no controller" in warning for warning in bench.judged().warnings)

    done = bench.run(workloads.STEP, minutes=1)
    assert [thing.id for thing in done.left] == [f"{name}/held"]
    assert plane.get(f"{held}/free") is None
    plane.delete(space)
    until(lambda: phase_of(plane, space) == "Terminating", "the end of the namespace")
    assert plane.get(f"{held}/held") is not None

    assert bench.run(finalizers.STEP).left == ()
    until(lambda: plane.get(space) is None, "the end of the namespace after its last object")


def test_a_balancer_service_waits_for_its_finalizer_and_other_services_stay(bench: Bench, space: str) -> None:
    name = space.rsplit("/", 1)[-1]
    ports = {"ports": [{"port": 80}], "selector": {"app": "web"}}
    held = {"name": "outer", "finalizers": ["service.k8s.aws/resources"]}
    bench.plane.make(f"{space}/services", {"metadata": held, "spec": {"type": "LoadBalancer", **ports}})
    bench.plane.make(f"{space}/services", {"metadata": {"name": "inner"}, "spec": ports})
    done = bench.run(balancers.BY_OWNER, minutes=1)
    assert [thing.id for thing in done.left] == [f"{name}/outer"]
    bench.run(finalizers.STEP)
    assert bench.plane.get(f"{space}/services/outer") is None
    assert bench.plane.get(f"{space}/services/inner") is not None


def phase_of(plane: ControlPlane, path: str) -> str:
    return str(((plane.get(path) or {}).get("status") or {}).get("phase"))


# Budgets


@pytest.mark.failure("K7")
def test_budgets_that_block_every_eviction_go_and_the_drain_goes_on(bench: Bench, space: str) -> None:
    plane, policy = bench.plane, apps(space, "poddisruptionbudgets", "policy")
    by_rule, spare = running_pod(plane, space, "a"), running_pod(plane, space, "b")
    selected = {"selector": {"matchLabels": {"app": "serving"}}}
    plane.make(policy, {"metadata": {"name": "never"}, "spec": {"maxUnavailable": 0, **selected}})
    until(lambda: counted(plane, f"{policy}/never") is not None, "the count of the budget")
    assert evicted(plane, by_rule) == 429
    done = bench.run(budgets.STEP)
    assert [thing.name for thing in done.touched] == ["never"]
    assert done.left == ()
    assert evicted(plane, by_rule) == 201
    assert plane.get(spare) is not None


@pytest.mark.failure("K7")
def test_a_budget_blocks_by_what_the_controller_counts_and_one_with_room_stays(bench: Bench, space: str) -> None:
    plane, policy = bench.plane, apps(space, "poddisruptionbudgets", "policy")
    path = running_pod(plane, space, "a")
    selected = {"selector": {"matchLabels": {"app": "serving"}}}
    plane.make(policy, {"metadata": {"name": "one"}, "spec": {"minAvailable": 1, **selected}})
    plane.make(policy, {"metadata": {"name": "room"}, "spec": {"minAvailable": 0, **selected}})
    until(lambda: counted(plane, f"{policy}/one") == 1 == counted(plane, f"{policy}/room"), "the counts of the budgets")
    assert [thing.name for thing in bench.run(budgets.STEP).touched] == ["one"]
    assert [each["metadata"]["name"] for each in plane.items(policy)] == ["room"]
    assert evicted(plane, path) == 201


def counted(plane: ControlPlane, path: str) -> int | None:
    """Pods that the controller expects; None before it has looked."""
    status = (plane.get(path) or {}).get("status") or {}
    return status.get("expectedPods") if status.get("observedGeneration") else None


# Claims


def claim(volume: str, storage: str = "100Gi") -> dict[str, Any]:
    return {
        "accessModes": ["ReadWriteOnce"], "storageClassName": "", "volumeName": volume, "resources": {"requests": {"storage": storage}},
    }  # fmt: skip


def volume(plane: ControlPlane, name: str, policy: str, space: str, claimed: str) -> str:
    reference = {"namespace": space.rsplit("/", 1)[-1], "name": claimed}
    spec = {
        "capacity": {"storage": "100Gi"}, "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": policy, "claimRef": reference,
        "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": f"vol-{name}"},
    }  # fmt: skip
    plane.make("/api/v1/persistentvolumes", {"metadata": {"name": name}, "spec": spec})
    return f"/api/v1/persistentvolumes/{name}"


@pytest.mark.failure("K3")
def test_a_mounted_claim_goes_after_its_owner_and_a_retained_one_stays(bench: Bench, space: str) -> None:
    plane, name = bench.plane, space.rsplit("/", 1)[-1]
    going, kept = volume(plane, f"{name}-going", "Delete", space, "data-store-0"), volume(plane, f"{name}-kept", "Retain", space, "vault")
    plane.make(f"{space}/persistentvolumeclaims", {"metadata": {"name": "vault"}, "spec": claim(f"{name}-kept")})
    template = {"metadata": {"name": "data"}, "spec": claim(f"{name}-going")}
    store = deployment("store", terminationGracePeriodSeconds=30)
    store["spec"] |= {"serviceName": "store", "volumeClaimTemplates": [template]}
    plane.make(apps(space, "statefulsets"), store)
    pod, mounted = f"{space}/pods/store-0", f"{space}/persistentvolumeclaims/data-store-0"
    until(lambda: plane.get(pod) is not None, "the pod of the StatefulSet")
    plane.make(f"{pod}/binding", {"metadata": {"name": "store-0"}, "target": {"kind": "Node", "name": "by-hand"}})
    says_running(plane, pod)
    until(lambda: phase_of(plane, mounted) == "Bound", "the binding of the claim")
    until(
        lambda: phase_of(plane, f"{space}/persistentvolumeclaims/vault") == phase_of(plane, kept) == "Bound",
        "the binding of the kept claim",
    )

    # Deleted on its own the claim would wait for its pod: that is what the API server protects.
    plane.delete(mounted)
    time.sleep(1)
    assert "kubernetes.io/pvc-protection" in (plane.get(mounted) or {})["metadata"]["finalizers"]

    def kubelet_and_driver() -> None:
        """The pod that was asked to go has gone, and so has the disk of a volume that nobody claims any more."""
        if "deletionTimestamp" in (plane.get(pod) or {"metadata": {}})["metadata"]:
            plane.delete(pod, gracePeriodSeconds=0)
        if phase_of(plane, going) in ("Released", "Failed"):
            plane.delete(going)

    done = bench.run(claims.STEP, beside=kubelet_and_driver)
    assert done.left == ()
    assert {thing.label for thing in done.touched} == {
        f"StatefulSet {name}/store (store)", f"PersistentVolumeClaim {name}/data-store-0 (data-store-0)", f"PersistentVolume {name}-going",
    }  # fmt: skip
    assert plane.get(mounted) is None
    assert plane.get(going) is None
    assert phase_of(plane, f"{space}/persistentvolumeclaims/vault") == phase_of(plane, kept) == "Bound"
    assert any("policy Retain" in warning for warning in bench.judged().warnings)
    plane.delete(f"{space}/persistentvolumeclaims/vault")
    plane.delete(kept)


# What makes things again


@pytest.mark.failure("K1")
def test_what_makes_things_again_is_stopped_and_what_it_made_does_not_come_back(bench: Bench, space: str) -> None:
    plane = bench.plane
    plane.make(apps(space, "deployments"), deployment("kustomize-controller"))
    plane.make(apps(space, "deployments"), deployment("web", replicas=2))
    job = {"template": {"spec": pod_spec(restartPolicy="Never")}}
    batch = apps(space, "jobs", "batch")
    plane.make(
        apps(space, "cronjobs", "batch"), {"metadata": {"name": "nightly"}, "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job}}}
    )
    plane.make(batch, {"metadata": {"name": "train"}, "spec": job})
    until(lambda: len(plane.items(f"{space}/pods")) >= 4, "the pods of the deployments and of the job")

    done = bench.run(recreators.STEP)
    assert {thing.name for thing in done.touched} >= {"kustomize-controller", "nightly", "train"}
    assert done.left == ()
    assert (plane.get(f"{apps(space, 'cronjobs', 'batch')}/nightly") or {})["spec"]["suspend"] is True
    assert all(each["spec"]["suspend"] for each in plane.items(batch))
    until(lambda: sorted(labelled(plane, space)) == ["web", "web"], "the end of what was stopped, and of nothing else")


def labelled(plane: ControlPlane, space: str) -> list[str]:
    return [each["metadata"]["labels"].get("name", "of a job") for each in plane.items(f"{space}/pods")]


# Operators


@pytest.mark.failure("K9")
def test_device_claims_go_before_the_operators_resources_and_definitions_stay(bench: Bench, space: str) -> None:
    plane = bench.plane
    plane.definition("nvidia.com", "ClusterPolicy", "clusterpolicies", "Cluster")
    policy = "/apis/nvidia.com/v1/clusterpolicies/policy"
    plane.make(
        policy.rsplit("/", 1)[0], {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {"name": "policy"}, "spec": {}}
    )
    requests = [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]
    device = {"metadata": {"name": "gpu", "finalizers": ["example.com/held"]}, "spec": {"devices": {"requests": requests}}}
    devices = apps(space, "resourceclaims", "resource.k8s.io")
    plane.make(devices, device)
    bench.reconnect()

    assert [thing.kind for thing in bench.run(operators.STEP, minutes=1).left] == ["ResourceClaim"]
    assert "deletionTimestamp" not in (plane.get(policy) or {})["metadata"]
    plane.change(f"{devices}/gpu", {"metadata": {"finalizers": None}})
    assert bench.run(operators.STEP).left == ()
    assert plane.get(policy) is None
    assert plane.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusterpolicies.nvidia.com") is not None


# Preflight


@pytest.mark.failure("K11")
def test_a_pod_that_runs_with_gpus_holds_the_teardown_up_and_a_waiting_one_does_not(bench: Bench, space: str) -> None:
    name = space.rsplit("/", 1)[-1]
    gpus = {"containers": [{"name": "c", "image": "simulated.invalid/work", "resources": {"limits": {"nvidia.com/gpu": "8"}}}]}
    bench.plane.make(f"{space}/pods", {"metadata": {"name": "waits"}, "spec": pod_spec(**gpus)})
    assert bench.judged().blockers == ()
    running_pod(bench.plane, space, "works", **gpus)
    (blocker,) = bench.judged().blockers
    assert f"{name}/works" in blocker
    bench.plane.delete(f"{space}/pods/works", gracePeriodSeconds=0)
