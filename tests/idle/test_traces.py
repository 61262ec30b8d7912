"""Each situation of the field and the verdict that it must have. No working job ever comes out as idle."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from scripts.idle.signals import Cluster
from scripts.idle.verdict import Status, verdict

from .traces import NODE, NOW, REST, TRAIN, cluster, pod, series, source


def status(of: Cluster) -> Status:
    return verdict(of, NOW).status


def reason(of: Cluster) -> str:
    return verdict(of, NOW).reason


def with_counter(base: dict[str, Any], **counters: Any) -> dict[str, Any]:
    return {**base, **{f"DCGM_FI_{name}": value for name, value in counters.items()}}


def inference(**changes: Any) -> Cluster:
    asked = {"count": 0, "last": None, "basis": "no model server in the cluster"}
    return cluster(**{"workload": "inference", "requests": asked, **changes})


def test_a_node_that_nothing_used_for_an_hour_is_idle_and_says_what_it_costs() -> None:
    found = verdict(cluster(), NOW)
    assert found.status is Status.IDLE
    assert found.at_stake_usd_per_hour == pytest.approx(21.96)
    assert found.usd_per_hour == pytest.approx(22.11)
    assert {fact.signal for fact in found.pools[0].facts} >= {"engine active", "utilisation", "power"}


def test_a_working_job_is_active() -> None:
    assert status(cluster(TRAIN, pods=[pod()])) is Status.ACTIVE


def test_a_job_outside_of_kubernetes_is_active_too() -> None:
    assert status(cluster(TRAIN, pods=[])) is Status.ACTIVE


def test_work_on_one_gpu_of_eight_is_work() -> None:
    one = [s for s in series(TRAIN) if s["metric"]["gpu"] == "3"]
    rest = [s for s in series(REST) if s["metric"]["gpu"] != "3"]
    assert status(cluster(series=one + rest)) is Status.ACTIVE


def test_a_gap_while_data_is_loaded_is_active() -> None:
    loading = {name: lambda ago, full=full, rest=REST[name]: full(ago) if ago % 10 == 0 else rest(ago) for name, full in TRAIN.items()}
    assert status(cluster(loading, pods=[])) is Status.ACTIVE


@pytest.mark.failure("K12")
def test_a_checkpoint_of_forty_minutes_is_active_with_its_pod_and_without() -> None:
    paused = {name: lambda ago, full=full, rest=REST[name]: rest(ago) if ago < 40 else full(ago) for name, full in TRAIN.items()}
    assert status(cluster(paused, pods=[pod()])) is Status.ACTIVE
    assert status(cluster(paused, pods=[])) is Status.ACTIVE


HUNG = with_counter(
    TRAIN,
    DEV_POWER_USAGE=lambda ago: 118.0 + ago % 3,
    PROF_PIPE_TENSOR_ACTIVE=lambda _: 0.0,
    PROF_NVLINK_TX_BYTES=lambda _: 1200.0,
)


def test_ranks_that_spin_in_a_collective_are_hung_and_never_acted_upon() -> None:
    found = verdict(cluster(HUNG, pods=[pod()]), NOW)
    assert found.status is Status.HUNG
    assert not found.resting
    assert {fact.signal for fact in found.pools[0].facts} == {"utilisation", "power", "traffic"}


@pytest.mark.parametrize(
    "back",
    [
        {"DEV_POWER_USAGE": lambda _: 340.0},
        {"DEV_POWER_USAGE": lambda ago: 110.0 + 8 * (ago % 10)},
        {"PROF_NVLINK_TX_BYTES": lambda _: 5e9},
        {"PROF_PIPE_TENSOR_ACTIVE": lambda _: 0.2},
        {"DEV_GPU_UTIL": lambda ago: 100.0 if ago % 7 else 60.0},
    ],
    ids=["full power", "moving power", "traffic", "tensor cores", "pauses"],
)
def test_one_sign_of_progress_is_no_hang(back: dict[str, Any]) -> None:
    assert status(cluster(with_counter(HUNG, **back), pods=[pod()])) is Status.ACTIVE


def test_a_hang_that_traffic_cannot_show_is_called_active() -> None:
    blind = {name: value for name, value in HUNG.items() if "NVLINK" not in name}
    assert status(cluster(blind, pods=[pod()], counters=sorted(blind))) is Status.ACTIVE


@pytest.mark.failure("I4")
def test_an_exporter_that_stopped_half_an_hour_ago_leaves_the_verdict_unknown() -> None:
    stopped = {name: lambda ago, rest=rest: rest(ago) if ago > 30 else None for name, rest in REST.items()}
    assert status(cluster(stopped)) is Status.UNKNOWN
    assert "samples" in reason(cluster(stopped))


def test_an_exporter_that_stopped_a_moment_ago_is_unknown_though_most_of_the_window_is_there() -> None:
    stopped = {name: lambda ago, rest=rest: rest(ago) if ago > 11 else None for name, rest in REST.items()}
    assert status(cluster(stopped)) is Status.UNKNOWN


def test_without_any_metrics_nothing_is_idle() -> None:
    assert status(cluster(series=[])) is Status.UNKNOWN
    assert status(cluster(series=[], counters=[])) is Status.UNKNOWN
    assert status(cluster(sources=[source("kubernetes"), source("dcgm", error="connection refused")])) is Status.UNKNOWN
    assert status(cluster(sources=[source("kubernetes")])) is Status.UNKNOWN


@pytest.mark.failure("I4")
def test_zeros_on_one_counter_while_another_is_full_are_unknown() -> None:
    broken = with_counter(REST, DEV_GPU_UTIL=lambda _: 100.0)
    assert status(cluster(broken)) is Status.UNKNOWN
    assert "contradict" in reason(cluster(broken))


@pytest.mark.failure("I4")
def test_the_same_zeros_at_full_power_are_work() -> None:
    broken = with_counter(REST, DEV_GPU_UTIL=lambda _: 100.0, DEV_POWER_USAGE=lambda _: 350.0)
    assert status(cluster(broken)) is Status.ACTIVE


def mig(instances: int, counters: dict[str, Any], *, power: bool = True) -> list[dict[str, Any]]:
    """A GPU split in instances: no utilisation (it does not exist there), power of the whole."""
    profiled = {name: value for name, value in counters.items() if "PROF" in name}
    split = [s for i in range(instances) for s in series(profiled, GPU_I_ID=str(i + 1), GPU_I_PROFILE="1g.5gb")]
    whole = series({"DCGM_FI_DEV_POWER_USAGE": counters["DCGM_FI_DEV_POWER_USAGE"]}) if power else []
    return split + whole


MIG_COUNTERS = ["DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_UTIL"]


def test_mig_instances_that_all_rest_are_idle() -> None:
    assert status(cluster(series=mig(7, REST), counters=MIG_COUNTERS)) is Status.IDLE


def test_one_mig_instance_at_work_is_active() -> None:
    busy = series({"DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda _: 0.3}, gpus=1, GPU_I_ID="1")
    assert status(cluster(series=[*mig(7, REST), *busy], counters=MIG_COUNTERS)) is Status.ACTIVE


def test_a_mig_instance_with_a_gap_is_unknown() -> None:
    gap = {"DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda ago: 0.0 if ago > 25 else None}
    assert status(cluster(series=[*mig(6, REST), *series(gap, gpus=1, GPU_I_ID="9")], counters=MIG_COUNTERS)) is Status.UNKNOWN


def test_mig_without_the_power_of_the_gpu_could_hide_an_instance() -> None:
    assert status(cluster(series=mig(7, REST, power=False), counters=MIG_COUNTERS)) is Status.UNKNOWN


def test_a_gpu_that_nothing_speaks_of_is_unknown() -> None:
    seven = [s for s in series(REST) if s["metric"]["gpu"] != "7"]
    assert status(cluster(series=seven)) is Status.UNKNOWN
    assert "1 of 8 GPUs" in reason(cluster(series=seven))


@pytest.mark.parametrize("absurd", [4294967295.0, 5.0, -1.0, "NaN", "no data"])
def test_impossible_values_are_dropped_and_counted(absurd: float | str) -> None:
    few = with_counter(REST, PROF_GR_ENGINE_ACTIVE=lambda ago: absurd if ago % 20 == 3 else 0.0)
    found = verdict(cluster(few), NOW)
    assert found.status is Status.IDLE
    assert found.pools[0].dropped == 3 * 8
    many = with_counter(REST, PROF_GR_ENGINE_ACTIVE=lambda ago: absurd if ago % 5 == 3 else 0.0)
    assert status(cluster(many)) is Status.UNKNOWN
    assert "impossible values" in reason(cluster(many))


def test_a_parked_model_is_active_because_its_pod_holds_the_gpus_and_that_is_said() -> None:
    parked = with_counter(REST, DEV_FB_USED=lambda _: 30000.0)
    found = verdict(inference(series=series(parked), pods=[pod(kind="Deployment")]), NOW)
    assert found.status is Status.ACTIVE
    assert "a model in memory" in found.reason
    assert found.pools[0].parked


def scaled_to_zero(**requests: Any) -> Cluster:
    pools = [{"name": "a10g", "machine": "g5.2xlarge", "gpus_per_node": 1, "current": 0, "usd_per_node_hour": 1.2}]
    return inference(pools=pools, nodes=[], series=[], requests=requests or None)


def test_inference_scaled_to_zero_with_rare_requests_is_a_cluster_in_use() -> None:
    rare = scaled_to_zero(count=2, last=(NOW - timedelta(hours=7)).isoformat())
    assert status(rare) is Status.ACTIVE
    assert verdict(rare, NOW).at_stake_usd_per_hour == 0
    assert status(scaled_to_zero(count=0)) is Status.IDLE
    assert status(scaled_to_zero()) is Status.UNKNOWN


def test_healthy_inference_at_night_is_active_while_it_is_asked_now_and_then() -> None:
    quiet = inference(requests={"count": 3, "last": (NOW - timedelta(minutes=20)).isoformat()})
    assert status(quiet) is Status.ACTIVE


def test_a_node_that_has_just_booted_is_not_idle() -> None:
    young = [{"name": NODE, "pool": "a100", "created": (NOW - timedelta(minutes=12)).isoformat(), "gpus": 8}]
    assert status(cluster(nodes=young)) is Status.ACTIVE
    assert "12 minutes old" in reason(cluster(nodes=young))


def test_the_grace_of_inference_is_shorter() -> None:
    young = [{"name": NODE, "pool": "a100", "created": (NOW - timedelta(minutes=20)).isoformat(), "gpus": 8}]
    assert status(cluster(nodes=young)) is Status.ACTIVE
    assert status(inference(nodes=young)) is Status.IDLE


@pytest.mark.parametrize(
    "changes",
    [
        {"sources": [source("kubernetes", minutes_ago=-30), source("dcgm")]},
        {"nodes": [{"name": NODE, "pool": "a100", "created": (NOW + timedelta(hours=1)).isoformat(), "gpus": 8}]},
        {"series": [{**s, "values": [[t + 1800, v] for t, v in s["values"]]} for s in series(REST)]},
    ],
    ids=["source", "node", "samples"],
)
def test_a_clock_that_is_ahead_is_unknown(changes: dict[str, Any]) -> None:
    assert status(cluster(**changes)) is Status.UNKNOWN
    assert "clock" in reason(cluster(**changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pods": None}, "GPU pods"),
        ({"nodes": None}, "nodes"),
        ({"queues": None}, "queue"),
        ({"tags": None}, "tags"),
        ({"pools": None}, "pools"),
        ({"counters": None}, "counters"),
        ({"pools": [{"name": "a100", "current": 2, "gpus_per_node": 8}]}, "2 machines bill and 1"),
        ({"pools": [{"name": "a100", "gpus_per_node": 8}]}, "how many machines"),
        ({"nodes": [{"name": NODE, "pool": "a100", "gpus": 8}]}, "age of node"),
        ({"sources": [source("kubernetes", minutes_ago=40), source("dcgm")]}, "40 minutes old"),
        ({"sources": [source("kubernetes", error="Unauthorized"), source("dcgm")]}, "Unauthorized"),
        ({"pods": [pod("Succeeded")]}, "when GPU pods ended"),
    ],
)
def test_what_is_not_known_is_named_and_never_idle(changes: dict[str, Any], words: str) -> None:
    found = verdict(cluster(**changes), NOW)
    assert found.status is Status.UNKNOWN
    assert words in found.reason
    assert not (found.pools and found.resting)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"pods": [pod("Pending")]}, "waits for GPUs"),
        ({"pods": [pod("Succeeded", ended=(NOW - timedelta(minutes=10)).isoformat())]}, "ended within"),
        ({"queues": [{"name": "research", "pending": 2}]}, "queue research has 2 waiting"),
        ({"pods": [pod("Unknown")]}, "holds its GPUs"),
    ],
)
def test_what_waits_or_has_just_ended_keeps_the_pool(changes: dict[str, Any], words: str) -> None:
    found = verdict(cluster(**changes), NOW)
    assert found.status is Status.ACTIVE
    assert words in found.reason


def test_pods_of_another_pool_keep_only_theirs() -> None:
    other = "ip-10-64-0-99.ec2.internal"
    two = cluster(
        pools=[
            {"name": "a100", "machine": "p4d.24xlarge", "current": 1, "gpus_per_node": 8, "usd_per_node_hour": 20},
            {"name": "h100", "machine": "p5.48xlarge", "current": 1, "gpus_per_node": 8, "usd_per_node_hour": 50},
        ],
        nodes=[
            {"name": n, "pool": p, "created": (NOW - timedelta(hours=9)).isoformat(), "gpus": 8}
            for n, p in ((NODE, "a100"), (other, "h100"))
        ],
        pods=[pod(node=other)],
        series=series(REST) + series(TRAIN, node=other),
    )
    found = verdict(two, NOW)
    assert found.status is Status.ACTIVE
    assert {p.pool: p.status for p in found.pools} == {"a100": Status.IDLE, "h100": Status.ACTIVE}


@pytest.mark.parametrize("stray", [{"nodes": [{"name": NODE, "pool": "h100", "gpus": 8}]}, {"pods": [pod("Pending")], "nodes": []}])
def test_a_gpu_node_or_pod_of_no_known_pool_leaves_the_cluster_unknown(stray: dict[str, Any]) -> None:
    found = verdict(cluster(**{"pools": [], **stray}), NOW)
    assert found.status is Status.UNKNOWN
    assert not found.resting


def test_an_ended_lease_says_whether_something_still_runs() -> None:
    over = date(2026, 11, 29)
    assert verdict(cluster(expires=over), NOW).status is Status.EXPIRED
    assert verdict(cluster(expires=over), NOW).resting
    busy = verdict(cluster(TRAIN, pods=[pod()], expires=over), NOW)
    assert busy.status is Status.EXPIRED
    assert not busy.resting
    assert verdict(cluster(expires=date(2026, 11, 30)), NOW).status is Status.IDLE


def test_protection_wins_over_everything() -> None:
    kept = {"gpukit/idle": "keep"}
    assert status(cluster(tags=kept)) is Status.PROTECTED
    assert status(cluster(tags=kept, expires=date(2026, 1, 1))) is Status.PROTECTED
    assert status(cluster(opted_out=True)) is Status.PROTECTED


def test_a_capacity_block_has_been_paid_for_and_nothing_is_at_stake() -> None:
    block = [
        {"name": "a100", "machine": "p4d.24xlarge", "market": "capacity_block", "current": 1, "gpus_per_node": 8, "usd_per_node_hour": 11}
    ]
    assert verdict(cluster(pools=block), NOW).at_stake_usd_per_hour == 0


def test_a_machine_without_a_price_leaves_the_sum_unknown_and_not_zero() -> None:
    unpriced = [{"name": "a100", "machine": "p4d.24xlarge", "current": 1, "gpus_per_node": 8}]
    assert verdict(cluster(pools=unpriced), NOW).usd_per_hour is None
