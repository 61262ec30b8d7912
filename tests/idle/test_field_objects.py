"""Pods, pools, tags and leases as people write them: a misspelt name frees no machine, and what is no work keeps none."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from scripts.errors import BadInput
from scripts.idle import files, record
from scripts.idle.intent import Do, Past, Policy, Strongest, intent
from scripts.idle.signals import Cluster
from scripts.idle.verdict import Status, verdict

from .traces import NODE, NOW, REST, TRAIN, cluster, pod, series

BASE: dict[str, Any] = cluster().model_dump(mode="json")
POOL, ONE = BASE["pools"][0], BASE["nodes"][0]


def status(of: Cluster, now: datetime = NOW) -> Status:
    return verdict(of, now).status


@pytest.mark.parametrize(
    "one",
    [
        pod("Pending", pool="A100 pool"),
        pod(node=NODE.upper(), pool="a-100"),
        pod(node="some-node"),
        pod(node=NODE.partition(".")[0], pool="other"),
        pod(gpus=0, kind="MPIJob"),
        pod(gpus=0, kind="MPIJob", node=None),
        pod(gpus=0, kind=""),
        pod(kind="DaemonSet", namespace="serving"),
    ],
    ids=[
        "a pool of another name",
        "a node in capitals",
        "an unknown node",
        "a short node",
        "a launcher without GPUs",
        "one of no known node",
        "a pod without an owner",
        "a serving DaemonSet",
    ],
)
def test_a_pod_that_may_use_the_pool_keeps_it(one: dict[str, Any]) -> None:
    assert status(cluster(pods=[one])) is Status.ACTIVE


@pytest.mark.parametrize(
    "one",
    [
        pod(kind="DaemonSet", namespace="gpu-operator"),
        pod(gpus=0, kind="Job", node="cpu-1"),
        pod(gpus=0, kind="ReplicaSet"),
        pod(gpus=0, kind="", namespace="kube-system"),
        pod("Succeeded", gpus=0, ended=NOW.isoformat()),
    ],
    ids=["a validator of the operator", "a launcher elsewhere", "a controller", "an agent", "a launcher that ended"],
)
def test_a_pod_that_does_no_work_there_keeps_nothing(one: dict[str, Any]) -> None:
    assert status(cluster(pods=[one])) is Status.IDLE


def test_system_nodes_and_their_pool_are_no_matter_of_the_verdict() -> None:
    system = {"name": "system", "machine": "m6i.large", "current": 1, "gpus_per_node": 0, "usd_per_node_hour": 0.1}
    node = {**ONE, "name": "system-1", "pool": "system", "gpus": 0}
    found = verdict(cluster(pools=[POOL, system], nodes=[ONE, node]), NOW)
    assert found.status is Status.IDLE
    assert [pool.pool for pool in found.pools] == ["a100"]
    assert found.at_stake_usd_per_hour == pytest.approx(21.96)
    assert found.usd_per_hour == pytest.approx(22.21)


def test_a_node_that_does_not_say_that_it_has_no_gpus_is_told_what_to_say() -> None:
    found = verdict(cluster(nodes=[ONE, {**ONE, "name": "s", "pool": "system", "gpus": None}]), NOW)
    assert found.status is Status.UNKNOWN
    assert "gpus 0" in found.reason


@pytest.mark.parametrize(
    "pool",
    [{**POOL, "machine": "trn1.32xlarge", "gpus_per_node": 0}, {**POOL, "machine": None, "gpus_per_node": None}],
    ids=["accelerators that are no GPUs", "a machine that is not known"],
)
def test_gpu_machines_that_show_no_gpu_are_never_at_rest(pool: dict[str, Any]) -> None:
    assert status(cluster(pools=[pool], nodes=[{**ONE, "gpus": 0}], series=[])) is Status.UNKNOWN


@pytest.mark.parametrize(
    ("cloud", "tags"),
    [
        ("aws", {"gpukit/idle": "Keep "}),
        ("aws", {"gpukit-idle": "keep"}),
        ("gcp", {"gpukit-idle": "true"}),
        ("azure", {"GpuKit/Idle": ""}),
        (None, {"gpukit/idle": "keep"}),
    ],
)
def test_the_opt_out_tag_protects_however_it_is_spelt(cloud: str | None, tags: dict[str, str]) -> None:
    found = verdict(cluster(cloud=cloud, tags=tags), NOW)
    assert found.status is Status.PROTECTED
    assert next(iter(tags)) in found.reason


def test_other_tags_of_ours_protect_nothing() -> None:
    assert status(cluster(tags={"gpukit/idle-sizes": "min=0", "gpukit/stack": "keep"})) is Status.IDLE


def test_the_tag_of_one_pool_keeps_that_pool_alone() -> None:
    other = {**POOL, "name": "b", "opted_out": True}
    two = cluster(pools=[POOL, other], nodes=[ONE, {**ONE, "name": "n2", "pool": "b"}], series=series(REST) + series(REST, node="n2"))
    found = verdict(two, NOW)
    assert (found.status, found.resting) == (Status.IDLE, False)
    assert intent(found, Policy(strongest=Strongest.DESTROY), Past()).pools == ("a100",)
    assert status(cluster(pools=[{**POOL, "opted_out": True}])) is Status.PROTECTED


@pytest.mark.parametrize("hours", [-12, 0, 13])
def test_a_lease_ends_with_its_day_in_whatever_zone_the_present_is_written(hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    last = cluster(expires="2026-11-30")
    assert status(last, datetime(2026, 11, 30, 12, tzinfo=UTC).astimezone(zone)) is Status.IDLE
    assert verdict(last, datetime(2026, 12, 1, 0, 1, tzinfo=UTC).astimezone(zone)).status is Status.EXPIRED


@pytest.mark.parametrize(
    ("starts", "ends", "stake"),
    [(-9, 9, 0.0), (-9, -1, 21.96), (1, 9, 21.96), (None, None, 0.0)],
    ids=["within", "ended", "not begun", "not known"],
)
def test_a_block_is_paid_for_within_its_time_alone(starts: float | None, ends: float | None, stake: float) -> None:
    def at(hours: float | None) -> str | None:
        return None if hours is None else (NOW + timedelta(hours=hours)).isoformat()

    block = {**POOL, "market": "capacity_block", "window_starts": at(starts), "window_ends": at(ends)}
    found = verdict(cluster(pools=[block]), NOW)
    assert found.at_stake_usd_per_hour == pytest.approx(stake)
    acts = intent(found, Policy(strongest=Strongest.SCALE_TO_ZERO), Past()).do
    assert acts is (Do.WARN if stake else Do.NOTHING)


def written(path: Path, change: Any) -> Path:
    whole = json.loads(record.of(NOW, (cluster(TRAIN),)).model_dump_json(by_alias=True))
    change(whole["clusters"][0])
    path.write_text(json.dumps(whole))
    return path


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: c["nodes"].append(c["nodes"][0]), r"clusters\[0\]\.nodes: .*listed twice"),
        (lambda c: c["pools"].append(c["pools"][0]), r"clusters\[0\]\.pools: .*listed twice"),
        (lambda c: c.update(pod=[]), r"clusters\[0\]\.pod: .*did you mean pods\?"),
        (lambda c: c["nodes"][0].update(zzz=1), r"nodes\[0\]\.zzz: .*known here: aliases, created"),
        (lambda c: c["nodes"][0].update(created="2026-11-30T02:00:00"), r"created: .*write the zone"),
        (lambda c: c.update(expires="end of year"), r"expires: .*give a day such as"),
        (lambda c: c.update(pods=[pod("CrashLoopBackOff")]), r"pods\[0\]\.phase: .*status\.phase"),
        (lambda c: c["series"][0]["values"][0].__setitem__(0, 1796036460000), r"values\[0\]\[0\]: .*divide milliseconds"),
    ],
)
def test_a_wrong_field_is_named_with_what_to_do(tmp_path: Path, change: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        files.load(written(tmp_path / "record.json", change))


@pytest.mark.parametrize("none", [None, float("nan"), float("inf"), "NaN", "+Inf"])
def test_a_sample_that_is_no_number_is_counted_and_refuses_no_file(tmp_path: Path, none: object) -> None:
    path = written(tmp_path / "record.json", lambda c: c["series"][0]["values"][5].__setitem__(1, none))
    loaded = files.load(path)
    found = verdict(loaded.clusters[0], loaded.recorded_at)
    assert (found.status, found.pools[0].dropped) == (Status.ACTIVE, 1)


def test_a_query_with_a_bare_nan_is_read(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    labels = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "Hostname": "n", "gpu": "0"}
    path.write_text(json.dumps({"data": {"result": [{"metric": labels, "values": [[1e9, float("nan")], [1e9 + 60, "98"]]}]}}))
    loaded = files.load(path)
    assert status(loaded.clusters[0], loaded.recorded_at) is Status.ACTIVE


def test_a_name_that_a_function_took_away_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({"data": {"result": [{"metric": {"gpu": "0"}, "values": [[1e9, "0"]]}]}}))
    with pytest.raises(BadInput, match="__name__"):
        files.load(path)


def test_times_in_openmetrics_are_seconds(tmp_path: Path) -> None:
    path = tmp_path / "metrics"
    path.write_text(f'DCGM_FI_DEV_GPU_UTIL{{gpu="0",Hostname="n"}} 98 {NOW.timestamp() + 9e6}\n# EOF\n')
    loaded = files.load(path)
    assert loaded.recorded_at == NOW + timedelta(seconds=9e6)


def test_a_mark_before_the_document_is_no_part_of_it(tmp_path: Path) -> None:
    path = written(tmp_path / "record.json", lambda _: None)
    path.write_text("\ufeff" + path.read_text())
    assert files.load(path).clusters[0].name == "lab"
