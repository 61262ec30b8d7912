from __future__ import annotations

from dataclasses import replace

from components.aws.stack import build
from components.handle import ClusterHandle
from components.ownership import NO_GPU
from components.spec import TrainingSpec

from .aws.specs import built, only, recorded, training


def handle_of(spec: TrainingSpec) -> ClusterHandle:
    kept: list[ClusterHandle] = []
    recorded(lambda: kept.append(build(spec, region="us-east-1", stack="aws-test")))
    return kept[0]


def test_the_handle_tells_workloads_what_a_node_offers_and_asks() -> None:
    handle = handle_of(training())
    [pool] = handle.pools
    assert (pool.name, pool.machine, pool.gpus_per_node, pool.fabric_devices, pool.most_nodes) == ("a100", "p4d.24xlarge", 8, 4, 4)
    assert pool.labels["gpukit/pool"] == "a100"
    assert handle.taints == ("nvidia.com/gpu",)


def test_taints_of_several_pools_are_named_once() -> None:
    handle = handle_of(training())
    pool = handle.pools[0]
    many = replace(handle, pools=(pool, pool, replace(pool, taints=("other",))))
    assert many.taints == ("nvidia.com/gpu", "other")


def test_the_system_pool_of_the_handle_is_nobodys_gpu_pool() -> None:
    system = handle_of(training()).system
    assert (system.taints, system.ownership, system.gpus_per_node) == ((), NO_GPU, 0)


def test_what_hangs_on_the_handle_goes_with_the_cluster_and_waits_for_its_nodes() -> None:
    made = built(training())
    namespace = only(made, "kubernetes:core/v1:Namespace", "gpu-operator")
    assert namespace.options.deleted_with == only(made, "aws:eks/cluster:Cluster").urn
    assert only(made, "aws:eks/nodeGroup:NodeGroup", "system").urn in namespace.dependencies
