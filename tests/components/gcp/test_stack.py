from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from components.gcp.stack import build
from components.resource import ResourceSet
from scripts.plan.recorder import record

from .specs import NETWORK, POOL, PROJECT, REGION, STACK, built, inference, only, recorded, training

RELEASE, QUOTA, DAEMON_SET = "kubernetes:helm.sh/v3:Release", "kubernetes:core/v1:ResourceQuota", "kubernetes:apps/v1:DaemonSet"
ENDED = {"mode": "calendar", "id": "r", "starts": "2020-01-01T00:00Z", "ends": "2020-02-01T00:00Z"}


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training())


def test_the_stack_has_one_provider_for_the_project(made: ResourceSet) -> None:
    assert only(made, "pulumi:providers:gcp").inputs["project"] == PROJECT
    assert only(made, "pulumi:providers:gcp").inputs["region"] == REGION


def test_every_resource_lies_in_a_component(made: ResourceSet) -> None:
    roots = [r for r in made if r.custom and not r.type.startswith("pulumi:") and "gpukit:gcp:TrainingCluster" not in r.urn]
    assert roots == []


def test_gkes_own_stack_needs_no_operator(made: ResourceSet) -> None:
    assert made.of_type(RELEASE) == ()
    assert made.of_type(QUOTA) == ()


@pytest.mark.failure("C4")
def test_the_operator_comes_after_leave_for_its_critical_pods() -> None:
    resources = built(inference({"pools": {"image": "ubuntu"}}))
    release, quota = only(resources, RELEASE), only(resources, QUOTA)
    assert quota.inputs["metadata"]["namespace"] == release.inputs["namespace"]
    [scope] = quota.inputs["spec"]["scopeSelector"]["matchExpressions"]
    assert set(scope["values"]) == {"system-node-critical", "system-cluster-critical"}
    assert quota.urn in release.dependencies


@pytest.mark.failure("C6")
def test_on_gke_the_operator_reads_the_runtimes_settings_from_its_file() -> None:
    values = only(built(inference({"pools": {"image": "ubuntu"}})), RELEASE).inputs["values"]
    assert values["toolkit"]["env"] == [{"name": "RUNTIME_CONFIG_SOURCE", "value": "file"}]
    assert values["driver"]["enabled"] is True


def test_a_pool_whose_window_ended_is_taken_down_and_its_networks_stay() -> None:
    resources = built(training({"pools": {"capacity": ENDED}}))
    assert [pool.name for pool in resources.of_type(POOL)] == ["lab-system"]
    assert len([n for n in resources.of_type(NETWORK) if "gpu-nic" in n.name]) == 8


def test_it_is_said_that_a_pool_is_down() -> None:
    spec = training({"pools": {"capacity": ENDED}})
    recording = record(
        lambda: build(spec, region=REGION, stack=STACK) and None, project="gpukit", stack=STACK, config={}, directory=Path(__file__).parent
    )
    assert any("is taken down" in text for _, text in recording.logs)


def test_the_handle_tells_the_kubernetes_layer_of_every_pool() -> None:
    handles: list[Any] = []
    recorded(lambda: handles.append(build(training(), region=REGION, stack=STACK)))
    [handle] = handles
    assert (handle.cloud, [pool.name for pool in handle.pools], handle.pools[0].fabric_devices) == ("gcp", ["h100"], 8)
    assert handle.taints == ("nvidia.com/gpu",)


def test_logs_are_kept_longer_in_a_bucket_of_the_clusters_own() -> None:
    bucket, sink = "gcp:logging/projectBucketConfig:ProjectBucketConfig", "gcp:logging/projectSink:ProjectSink"
    assert built(training({"monitoring": {"log_retention_days": 30}})).of_type(bucket) == ()
    resources = built(training({"monitoring": {"log_retention_days": 90}}))
    assert only(resources, bucket).inputs["retentionDays"] == 90
    assert 'cluster_name="lab"' in only(resources, sink).inputs["filter"]


def test_no_two_resources_of_a_kind_share_a_name(made: ResourceSet) -> None:
    doubles = [urn for urn, count in Counter(r.urn for r in made).items() if count > 1]
    assert doubles == []
