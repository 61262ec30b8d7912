"""Telemetry as it comes in the field: whatever exporters and scraping make of names, units, gaps and duplicates, the verdict is the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scripts.idle.signals import Cluster
from scripts.idle.verdict import Status, verdict

from .traces import NODE, NOW, REST, STEP, TRAIN, cluster, pod, series

Label = str | Callable[[str], str] | None


def found(of: Cluster) -> tuple[Status, str]:
    told = verdict(of, NOW)
    assert not told.resting or told.status is Status.IDLE
    return told.status, told.reason


def relabelled(listed: list[dict[str, Any]], **labels: Label) -> list[dict[str, Any]]:
    """Each series with other labels; None takes one away, a function gets the number of the GPU."""

    def changed(metric: dict[str, str]) -> dict[str, str]:
        new = {name: text(metric["gpu"]) if callable(text) else text for name, text in labels.items()}
        return {name: text for name, text in {**metric, **new}.items() if text is not None}

    return [{**each, "metric": changed(each["metric"])} for each in listed]


def between(first: float, last: float, value: Any) -> Any:
    return lambda ago: value(ago) if first <= ago < last else None


def part(counters: dict[str, Any], first: float, last: float, **labels: Label) -> list[dict[str, Any]]:
    return relabelled(series({name: between(first, last, value) for name, value in counters.items()}), **labels)


SHORT = NODE.partition(".")[0]
NAMINGS: dict[str, dict[str, Label]] = {
    "as dcgm-exporter sends it": {},
    "host name is the exporter's pod": {"Hostname": "nvidia-dcgm-exporter-x7abc", "node": NODE},
    "host name is localhost": {"Hostname": "localhost", "kubernetes_node": NODE},
    "without its domain": {"Hostname": SHORT},
    "in capitals": {"Hostname": NODE.upper()},
    "by the target's label alone": {"Hostname": None, "instance": f"{NODE}:9400"},
    "by GKE's label": {"Hostname": None, "node_name": NODE},
    "by index alone": {"UUID": None},
    "by an alias": {"Hostname": None, "instance": "10.64.0.10:9400"},
}


@pytest.mark.parametrize("labels", NAMINGS.values(), ids=NAMINGS)
def test_a_gpu_is_found_under_whatever_name_its_node_has(labels: dict[str, Label]) -> None:
    nodes = [{**cluster().model_dump(mode="json")["nodes"][0], "aliases": ["10.64.0.10"]}]
    assert found(cluster(series=relabelled(series(REST), **labels), nodes=nodes))[0] is Status.IDLE
    assert found(cluster(series=relabelled(series(TRAIN), **labels), nodes=nodes))[0] is Status.ACTIVE


def test_a_name_that_may_mean_two_nodes_means_none() -> None:
    nodes = [{**cluster().model_dump(mode="json")["nodes"][0], "name": f"{SHORT}.{zone}"} for zone in ("east", "west")]
    pools = [{**cluster().model_dump(mode="json")["pools"][0], "current": 2}]
    one = relabelled(series(REST), Hostname=SHORT)
    assert found(cluster(series=one, nodes=nodes, pools=pools)) == (
        Status.UNKNOWN,
        f"pool a100: 8 of 8 GPUs of node {SHORT}.east sent no sample",
    )


@pytest.mark.parametrize(
    "telemetry",
    [
        part(REST, 30, 60, exported_pod="old") + part(REST, 0, 30),
        part(REST, 20, 60, instance="10.0.0.1:9400") + part(REST, 0, 20, instance="10.0.0.9:9400"),
        relabelled(series(REST), prometheus_replica="a") + part(REST, 0, 60, prometheus_replica="b"),
        series(REST) + relabelled(series(REST), job="standalone"),
        series(REST) + relabelled(series({"nvidia_smi_utilization_gpu": REST["DCGM_FI_DEV_GPU_UTIL"]}), UUID=None, gpu=None, index=str),
    ],
    ids=["a pod came and went", "the exporter started anew", "two replicas", "two exporters", "another exporter's names"],
)
def test_series_of_one_gpu_are_one_however_they_are_divided(telemetry: list[dict[str, Any]]) -> None:
    served = sorted({each["metric"]["__name__"] for each in telemetry})
    assert found(cluster(series=telemetry, counters=served))[0] is Status.IDLE


def test_a_gap_that_both_replicas_have_is_a_gap() -> None:
    halves = part(REST, 30, 60, replica="a") + part(REST, 0, 20, replica="b")
    assert found(cluster(series=halves))[0] is Status.UNKNOWN


def test_four_gpus_under_two_namings_are_not_eight() -> None:
    few = [each for each in series(REST) if int(each["metric"]["gpu"]) < 4]
    assert "4 of 8 GPUs" in found(cluster(series=few + relabelled(few, UUID=None)))[1]


def test_an_exporter_that_served_and_is_silent_on_one_node_is_missed_there() -> None:
    status, reason = found(cluster(counters=[*REST, "nvidia_smi_utilization_gpu"]))
    assert status is Status.UNKNOWN
    assert "nvidia_smi" in reason


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("DCGM_FI_DEV_GPU_UTIL", 0.97, Status.UNKNOWN),
        ("DCGM_FI_DEV_GPU_UTIL", 1.0, Status.UNKNOWN),
        ("DCGM_FI_DEV_GPU_UTIL", 2.0, Status.IDLE),
        ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 97.0, Status.UNKNOWN),
        ("nvidia_smi_utilization_gpu_ratio", 0.97, Status.ACTIVE),
        ("nvidia_smi_utilization_gpu_ratio", 0.01, Status.IDLE),
        ("dcgm_gpu_utilization", 97.0, Status.ACTIVE),
        ("kubernetes_io:node_accelerator_duty_cycle", 85.0, Status.ACTIVE),
    ],
)
def test_a_share_where_percent_are_expected_is_never_rest(name: str, value: float, status: Status) -> None:
    told, reason = found(cluster(series=series({name: lambda _: value}), counters=[name]))
    assert told is status, reason


def test_one_percent_beside_an_engine_at_rest_is_rest() -> None:
    assert found(cluster({**REST, "DCGM_FI_DEV_GPU_UTIL": lambda _: 1.0}))[0] is Status.IDLE


def test_power_in_milliwatts_is_named_with_its_value() -> None:
    status, reason = found(cluster({**REST, "DCGM_FI_DEV_POWER_USAGE": lambda _: 55200.0}))
    assert status is Status.UNKNOWN
    assert "such as 55200.0" in reason


def test_seldom_samples_are_told_apart_from_gaps() -> None:
    seldom = series({name: lambda ago, rest=rest: rest(ago) if ago % 5 == 0 else None for name, rest in REST.items()})
    assert "--step 300" in found(cluster(series=seldom))[1]
    assert found(cluster(series=seldom, step_seconds=300))[0] is Status.IDLE
    gap = {name: lambda ago, rest=rest: rest(ago) if ago > 30 else None for name, rest in REST.items()}
    assert "--step" not in found(cluster(gap))[1]


SPIN = {
    "DCGM_FI_DEV_GPU_UTIL": lambda _: 100.0,
    "DCGM_FI_DEV_POWER_USAGE": lambda _: 120.0,
    "DCGM_FI_PROF_PCIE_TX_BYTES": lambda _: 1000.0,
    "DCGM_FI_DEV_MEM_COPY_UTIL": lambda _: 0.0,
}


def test_ranks_that_leave_their_memory_alone_are_hung() -> None:
    assert found(cluster(SPIN, pods=[pod()], counters=sorted(SPIN)))[0] is Status.HUNG


@pytest.mark.parametrize(
    "changes",
    [
        {"DCGM_FI_DEV_MEM_COPY_UTIL": lambda _: 62.0},
        {"DCGM_FI_PROF_DRAM_ACTIVE": lambda _: 0.6},
        {"DCGM_FI_DEV_POWER_USAGE": lambda _: 0.0},
        {"DCGM_FI_DEV_MEM_COPY_UTIL": lambda _: None},
    ],
    ids=["memory is copied", "memory is active", "power is not measured", "nothing shows progress or none"],
)
def test_work_that_exchanges_nothing_is_not_called_hung(changes: dict[str, Any]) -> None:
    counters = {**SPIN, **changes}
    assert found(cluster(counters, pods=[pod()], counters=sorted(counters)))[0] is Status.ACTIVE


def test_each_mig_instance_shows_the_power_of_its_gpu() -> None:
    names = ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_POWER_USAGE")
    split = [each for i in range(7) for each in series({name: REST[name] for name in names}, GPU_I_ID=str(i), GPU_I_PROFILE="1g.5gb")]
    assert found(cluster(series=split, counters=[*names, "DCGM_FI_DEV_GPU_UTIL"]))[0] is Status.IDLE
    working = [{**each, "values": [[NOW.timestamp() - STEP, 250.0]]} if "POWER" in each["metric"]["__name__"] else each for each in split]
    assert found(cluster(series=working, counters=list(names)))[0] is Status.ACTIVE


def test_memory_that_no_pod_holds_may_be_somebodys_work() -> None:
    status, reason = found(cluster({**REST, "DCGM_FI_DEV_FB_USED": lambda _: 36000.0}))
    assert status is Status.UNKNOWN
    assert "36,000 MiB" in reason
    without = [each for each in series(REST) if each["metric"]["__name__"] != "DCGM_FI_DEV_FB_USED"]
    assert found(cluster(series=without))[0] is Status.UNKNOWN
