"""The sources asked through the clients that the clouds give: boto3, the Kubernetes client, Prometheus' HTTP API."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from scripts.idle.collect import together
from scripts.idle.signals import Cluster
from scripts.idle.verdict import Status, verdict

from .lab import Lab


def test_nodes_that_nothing_uses_are_idle_and_priced(lab: Lab) -> None:
    found = lab.rested(2).verdict()
    assert found.status is Status.IDLE
    assert found.resting
    assert (found.pools[0].pool, found.pools[0].nodes) == ("a100", 2)
    assert found.at_stake_usd_per_hour is not None
    assert found.at_stake_usd_per_hour > 0


def test_pods_that_hold_gpus_keep_a_pool_whatever_its_gpus_do(lab: Lab) -> None:
    lab.nodes(2, pods=2, busy=0.0)
    lab.advance("3h")
    assert lab.verdict().status is Status.ACTIVE


def test_gpus_that_work_without_a_pod_keep_a_pool(lab: Lab) -> None:
    lab.nodes(2, pods=1, busy=0.7)
    lab.advance("3h")
    (pod,) = lab.cloud.world.store.of_kind("kubernetes:core/v1:Pod", lab.key)
    with lab.cloud.world.store.transaction():
        lab.cloud.world.store.drop(pod)
    found = lab.verdict()
    assert found.status is Status.ACTIVE
    assert "engine active" in found.reason


def test_work_that_ended_within_the_window_is_seen_in_the_counters(lab: Lab) -> None:
    lab.nodes(1, pods=1, busy=0.9)
    lab.advance("3h")
    lab.nodes(1, pods=0)
    lab.advance("50m")
    assert lab.verdict().status is Status.ACTIVE
    lab.advance("20m")
    assert lab.verdict().status is Status.IDLE


def test_a_node_just_booted_is_active(lab: Lab) -> None:
    lab.nodes(1)
    lab.advance("10m")
    assert lab.verdict().status is Status.ACTIVE


def test_the_same_signals_from_a_record_give_the_same_verdict(lab: Lab) -> None:
    looked = lab.rested().look()
    again = Cluster.model_validate_json(looked.cluster.model_dump_json())
    now = lab.asking.now
    assert verdict(again, now) == verdict(looked.cluster, now)


def test_a_waiting_job_in_a_queue_keeps_the_cluster(lab: Lab) -> None:
    lab.queue(pendingWorkloads=1)
    found = lab.rested().verdict()
    assert found.status is Status.ACTIVE
    assert "queue gpus" in found.reason


def test_an_unadmitted_workload_counts_though_no_queue_has_a_status(lab: Lab) -> None:
    lab.put(
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "Workload",
            "metadata": {"name": "w", "namespace": "default"},
            "spec": {"queueName": "team"},
        }
    )
    found = lab.rested().verdict()
    assert found.status is Status.ACTIVE
    assert "default/team" in found.reason


@pytest.mark.parametrize("resource", ["nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb", "google.com/tpu"])
def test_a_pending_pod_counts_under_every_name_of_a_gpu(lab: Lab, resource: str) -> None:
    container = {"name": "c", "image": "i", "resources": {"limits": {resource: "1"}}}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"}, "spec": {"containers": [container]}}
    lab.put({**body, "status": {"phase": "Pending"}})
    assert lab.rested().verdict().status is Status.ACTIVE


def test_an_inference_cluster_in_which_nothing_serves_is_idle(lab: Lab) -> None:
    lab.rested()
    assert lab.verdict(workload="inference").status is Status.IDLE


def test_a_model_server_whose_requests_nobody_counts_is_unknown(lab: Lab) -> None:
    template = {"spec": {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}
    lab.put(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "llm", "namespace": "default"},
            "spec": {"replicas": 0, "template": template},
        }
    )
    lab.rested()
    assert lab.verdict(workload="inference").status is Status.UNKNOWN


def test_an_unreachable_cluster_is_unknown_and_the_run_says_so(lab: Lab) -> None:
    lab.rested()
    lab.cloud.world.faults.add("api_unreachable", {"cluster": "lab"})
    looked = lab.look()
    assert verdict(looked.cluster, lab.asking.now).status is Status.UNKNOWN
    assert len(looked.errors) == 1


def test_without_an_endpoint_for_metrics_rest_is_not_proven(lab: Lab) -> None:
    lab.rested()
    asking = replace(lab.asking, metering=lambda _: None)
    found = verdict(together.of(lab.target(), asking).cluster, asking.now)
    assert found.status is Status.UNKNOWN
    assert "dcgm was not asked" in found.reason


def test_a_cluster_without_the_exporter_is_unknown(lab: Lab) -> None:
    from scripts.sandbox.kinds import tokens as t

    (operator,) = lab.cloud.world.store.of_kind(t.RELEASE, lab.key)
    lab.cloud.delete(operator)
    lab.rested()
    assert lab.verdict().status is Status.UNKNOWN


def test_a_cluster_that_does_not_exist_is_an_answer(lab: Lab) -> None:
    looked = lab.look(cluster="other")
    assert not looked.there
    assert not looked.errors


def test_the_opt_out_tag_protects(lab: Lab) -> None:
    lab.rested()
    with lab.cloud.world.store.transaction():
        record = lab.cloud.now(lab.cluster)
        lab.cloud.world.store.put(replace(record, tags={**record.tags, "gpukit/idle": "keep"}))
    assert lab.verdict().status is Status.PROTECTED


def test_a_throttled_cloud_is_asked_again(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.idle.collect.pacing.FIRST_WAIT", 0.01)
    lab.rested()
    lab.cloud.world.faults.add("throttle", {"service": "eks", "times": "3"})
    assert not lab.look().errors


def test_two_clusters_are_asked_at_once_and_come_back_in_order(lab: Lab) -> None:
    lab.rested()
    wanted = [lab.target(stack=f"s{at}", cluster="lab" if at % 2 else "none") for at in range(6)]
    assert [each.target.stack for each in together.look(wanted, lab.asking)] == [f"s{at}" for at in range(6)]


def test_looking_changes_nothing(lab: Lab) -> None:
    lab.rested()
    lab.calls.clear()
    lab.look()
    allowed = {("POST", "/api/v1/query_range")}
    assert {call for call in lab.calls if call[0] != "GET" and call not in allowed and call[1] != "/"} == set()


def test_old_nodes_say_so(lab: Lab) -> None:
    looked = lab.rested().look()
    assert all(node.created is not None and lab.asking.now - node.created > timedelta(hours=2) for node in looked.cluster.nodes or ())


def test_the_opt_out_tag_of_a_node_group_keeps_that_pool(lab: Lab) -> None:
    lab.rested()
    with lab.cloud.world.store.transaction():
        record = lab.cloud.now(lab.group)
        lab.cloud.world.store.put(replace(record, tags={**record.tags, "gpukit/idle": "keep"}))
    found = lab.verdict()
    assert (found.status, found.resting) == (Status.PROTECTED, False)
