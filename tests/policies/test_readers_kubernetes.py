"""Kubernetes objects in every form, pods of every kind of job, Karpenter's pools, charts with value files."""

from __future__ import annotations

from typing import Any

import pytest

from components.inventory import Inventory, Market, NodePool, Workload
from components.resource import Secret
from components.unknown import Unknown, known
from policies.readers import inventory, types
from tests.policies.raw import Raw, training

POD = {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": 8}}}]}
KARPENTER = "kubernetes:karpenter.sh/v1:NodePool"
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"


def read(program: Raw) -> Inventory:
    return inventory(program.built())


def workload(type_: str, **inputs: Any) -> Workload:
    (found,) = read(Raw().add(type_, "it", metadata={"name": "it"}, **inputs)).workloads
    return found


def template(count: int | None = None) -> dict[str, Any]:
    return {"template": {"spec": POD}} | ({} if count is None else {"replicas": count})


@pytest.mark.parametrize(
    ("type_", "spec", "roles"),
    [
        ("kubernetes:batch/v1:Job", {"parallelism": 3, **template()}, {"Job": 3}),
        ("kubernetes:batch/v1:CronJob", {"jobTemplate": {"spec": template()}}, {"CronJob": 1}),
        ("kubernetes:apps/v1:Deployment", template(2), {"Deployment": 2}),
        ("kubernetes:apps/v1:DaemonSet", template(), {"DaemonSet": 1}),
        (
            "kubernetes:kubeflow.org/v2beta1:MPIJob",
            {"mpiReplicaSpecs": {"Launcher": template(1), "Worker": template(4)}},
            {"launcher": 1, "worker": 4},
        ),
        (
            "kubernetes:kubeflow.org/v1:PyTorchJob",
            {"pytorchReplicaSpecs": {"Master": template(), "Worker": template(3)}},
            {"master": 1, "worker": 3},
        ),
        (
            "kubernetes:jobset.x-k8s.io/v1alpha2:JobSet",
            {"replicatedJobs": [{"name": "w", "replicas": 2, "template": {"spec": {"parallelism": 4, **template()}}}]},
            {"w": 8},
        ),
        (
            "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet",
            {"replicas": 2, "leaderWorkerTemplate": {"size": 4, "workerTemplate": {"spec": POD}}},
            {"worker": 8},
        ),
        ("kubernetes:batch.volcano.sh/v1alpha1:Job", {"tasks": [{"name": "t", **template(5)}]}, {"t": 5}),
        (
            "kubernetes:ray.io/v1:RayCluster",
            {"headGroupSpec": template(), "workerGroupSpecs": [{"maxReplicas": 6, **template()}]},
            {"head": 1, "RayCluster": 6},
        ),
    ],
)
def test_pods_of_every_kind_of_job_are_counted(type_: str, spec: dict[str, Any], roles: dict[str, int]) -> None:
    assert {pod.role: pod.count for pod in workload(type_, spec=spec).pods} == roles


def test_a_pod_tells_its_volumes_tolerations_and_environment() -> None:
    spec = {
        "containers": [
            {
                "name": "main",
                "command": ["train"],
                "args": ["--out", "s3://bucket"],
                "env": [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {}}],
                "volumeMounts": [{"mountPath": "/dev/shm", "name": "shm"}],
            }
        ],
        "volumes": [
            {"name": "shm", "emptyDir": {"medium": "Memory"}},
            {"name": "ib", "hostPath": {"path": "/dev/infiniband"}},
            {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        ],
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
        "nodeSelector": {"topology.kubernetes.io/zone": "a"},
    }
    (pod,) = workload("kubernetes:batch/v1:Job", spec={"template": {"spec": spec}}).pods
    (container,) = pod.containers if known(pod.containers) else ()
    assert (container.arguments, container.env, container.mounts) == ("train --out s3://bucket", {"A": "1", "B": None}, {"/dev/shm": "shm"})
    assert (pod.memory_volumes, pod.host_paths, pod.claims) == ({"shm"}, {"ib": "/dev/infiniband"}, {"data"})
    assert (pod.tolerations, pod.bound_to_zone) == (({"key": "nvidia.com/gpu", "operator": "Exists"},), True)


TEXT = """
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec: {template: {spec: {containers: [{name: main}]}}}
---
apiVersion: v1
kind: List
items: [{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: LoadBalancer}}]
"""


def test_yaml_text_is_read_object_by_object() -> None:
    found = read(Raw().add("kubernetes:yaml/v2:ConfigGroup", "all", yaml=TEXT))
    assert [(m.group, m.kind, m.name) for m in found.manifests] == [("batch", "Job", "train"), ("", "Service", "web")]
    assert [load.kind for load in found.workloads] == ["Job"]
    assert found.lost == ()


def test_plain_objects_of_a_group_are_read_too() -> None:
    objects = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu"}}]
    assert [m.name for m in read(Raw().add("kubernetes:yaml/v2:ConfigGroup", "all", objs=objects)).manifests] == ["gpu"]


@pytest.mark.parametrize(
    "inputs",
    [
        {"files": ["x.yaml"]},
        {"file": "x.yaml"},
        {"yaml": Unknown("yaml")},
        {"yaml": "{"},
        {"yaml": "- 1"},
        {"yaml": 3},
        {"objs": [1]},
        {"objs": Unknown("o")},
        {},
        {"yaml": "kind: x"},
    ],
)
def test_manifests_that_are_not_seen_may_start_machines(inputs: dict[str, Any]) -> None:
    (lost,) = read(Raw().add("kubernetes:yaml/v2:ConfigFile", "all", **inputs)).lost
    assert "manifests which are not seen here" in lost.reason


@pytest.mark.parametrize("type_", types.UNSEEN)
def test_components_that_open_files_are_no_silence(type_: str) -> None:
    (lost,) = read(Raw().add(type_, "all")).lost
    assert "not seen here" in lost.reason


def test_an_object_whose_controller_makes_machines_has_no_bound() -> None:
    (lost,) = read(Raw().add("kubernetes:infrastructure.cluster.x-k8s.io/v1beta1:AWSMachinePool", "pool")).lost
    assert "may make machines" in lost.reason


def karpenter(requirements: dict[str, list[str]], **spec: Any) -> NodePool:
    listed = [{"key": key, "operator": "In", "values": values} for key, values in requirements.items()]
    program = training().plus(KARPENTER, "k", metadata={"name": "k"}, spec={"template": {"spec": {"requirements": listed}}, **spec})
    return next(pool for pool in read(program).pools if pool.name == "k")


TYPE, SPOT = "node.kubernetes.io/instance-type", "karpenter.sh/capacity-type"


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        ({"nvidia.com/gpu": "32"}, 4),
        ({"cpu": "400"}, 3),
        ({"nvidia.com/gpu": 16, "cpu": "10000"}, 2),
        ({"memory": "4096Gi"}, 2),
        ({"nodes": "7"}, 7),
    ],
)
def test_karpenters_limits_bound_its_nodes(limits: dict[str, Any], most: int) -> None:
    pool = karpenter({TYPE: ["p5.48xlarge"]}, limits=limits)
    assert (pool.machines, pool.nodes.minimum, pool.nodes.maximum) == (("p5.48xlarge",), 0, most)
    assert pool.region == "us-east-1"


@pytest.mark.parametrize("limits", [None, {}, {"pods": "100"}, Unknown("limits"), {"nvidia.com/gpu": "many"}])
def test_a_karpenter_pool_without_limits_has_no_bound(limits: Any) -> None:
    assert isinstance(karpenter({TYPE: ["p5.48xlarge"]}, limits=limits).nodes.maximum, Unknown)


def test_families_and_gpu_names_are_looked_up() -> None:
    machines = karpenter(
        {"karpenter.k8s.aws/instance-family": ["p5"], "karpenter.k8s.aws/instance-gpu-count": ["8"]}, limits={"nodes": "1"}
    ).machines
    assert machines == ("p5.48xlarge",)
    assert isinstance(karpenter({"karpenter.k8s.aws/instance-category": ["g"]}).machines, Unknown)


@pytest.mark.parametrize(
    ("words", "market"), [(["spot"], Market.SPOT), (["spot", "on-demand"], Market.ON_DEMAND), (["reserved"], Market.RESERVATION)]
)
def test_on_demand_counts_wherever_it_is_allowed(words: list[str], market: Market) -> None:
    assert karpenter({TYPE: ["g5.xlarge"], SPOT: words}).market is market
    assert karpenter({TYPE: ["g5.xlarge"]}).market is Market.ON_DEMAND


def test_a_node_class_gives_image_and_disk() -> None:
    spec = {
        "amiSelectorTerms": [{"alias": "al2023@v20260728"}],
        "blockDeviceMappings": [{"ebs": {"volumeSize": "500Gi"}}],
    }
    program = training().plus(NODE_CLASS, "c", metadata={"name": "c"}, spec=spec)
    wanted = [{"key": TYPE, "operator": "In", "values": ["p5.48xlarge"]}]
    inner = {"requirements": wanted, "nodeClassRef": {"name": "c"}, "taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]}
    program = program.plus(KARPENTER, "k", metadata={"name": "k"}, spec={"template": {"spec": inner}, "limits": {"nodes": 2}})
    pool = next(pool for pool in read(program).pools if pool.name == "k")
    assert pool.image is not None
    assert (pool.image.kind, pool.image.driver, pool.root_disk_gib, pool.taints) == (
        "AL2023_x86_64_NVIDIA",
        True,
        500,
        ("nvidia.com/gpu=:NoSchedule",),
    )


def values(release: dict[str, Any]) -> Any:
    return read(Raw().add(types.RELEASE, "r", chart="gpu-operator", **release)).charts[0].values


def test_value_files_that_are_text_are_merged_under_the_values() -> None:
    files = [{"text": "driver: {enabled: true, version: '580'}"}, {"text": "driver: {version: '590'}\ntoolkit: {env: [1]}"}]
    assert values({"valueYamlFiles": files, "values": {"driver": {"enabled": False}}}) == {
        "driver": {"enabled": False, "version": "590"},
        "toolkit": {"env": [1]},
    }


@pytest.mark.parametrize("files", [[{"path": "values.yaml"}], [{"text": "{"}], Unknown("valueYamlFiles"), [Secret("x")]])
def test_value_files_that_cannot_be_read_leave_the_values_unknown(files: Any) -> None:
    assert isinstance(values({"valueYamlFiles": files}), Unknown)


def test_a_release_knows_what_waits_for_it() -> None:
    program = Raw().add(types.RELEASE, "kueue", chart="kueue").add("kubernetes:core/v1:ConfigMap", "a", metadata={"name": "@kueue"})
    program.add("kubernetes:kueue.x-k8s.io/v1beta2:ClusterQueue", "b", metadata={"name": "@a"})
    (chart,) = read(program).charts
    assert chart.dependents == {program.urn("a"), program.urn("b")}
