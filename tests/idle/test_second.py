"""The second source in the verdict: it finds use or doubt, and rest by it alone ends nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.idle.intent import Do, Past, Policy, Strongest, intent
from scripts.idle.signals import Cluster
from scripts.idle.verdict import Status, Verdict, verdict

from .traces import NOW, TRAIN, cluster, source
from .traces import series as counters_of

MACHINE = "i-0123456789abcdef0"
SOURCES = [source("kubernetes"), source("dcgm"), source("cloud")]
CUT_OFF: dict[str, Any] = {
    "sources": [source("kubernetes", error="its API did not answer"), source("cloud")],
    "nodes": None, "pods": None, "queues": None, "counters": None, "series": [],
}  # fmt: skip


def figure(highest: float = 2e4, **changes: Any) -> dict[str, Any]:
    plain = {
        "what": "network", "metric": "AWS/EC2 NetworkIn", "machine": MACHINE, "pool": "a100", "highest": highest,
        "samples": 10, "expected": 10, "last_at": (NOW - timedelta(minutes=10)).isoformat(),
    }  # fmt: skip
    return {**plain, **changes}


def beat(**changes: Any) -> dict[str, Any]:
    plain = {
        "pool": "a100", "source": "CloudWatch", "gpus_least": 8, "gpus_most": 8, "busy_gpus": 0, "pods": 0, "queued": 0,
        "samples": 57, "expected": 57, "last_at": (NOW - timedelta(minutes=2)).isoformat(),
    }  # fmt: skip
    return {**plain, **changes}


def seconded(*figures: dict[str, Any], **changes: Any) -> Cluster:
    return cluster(figures=list(figures), **{"sources": SOURCES, **changes})


def cut_off(*beats: dict[str, Any], **changes: Any) -> Verdict:
    return verdict(cluster(figures=[figure()], heartbeats=list(beats), **{**CUT_OFF, **changes}), NOW)


def test_quiet_machines_bear_out_that_nothing_uses_a_pool() -> None:
    found = verdict(seconded(figure()), NOW)
    assert found.status is Status.IDLE
    assert found.resting


def test_traffic_without_work_is_unknown() -> None:
    found = verdict(seconded(figure(2e8)), NOW)
    assert found.status is Status.UNKNOWN
    assert "200 MB/s" in found.reason


def test_utilisation_that_the_cloud_saw_is_use() -> None:
    seen = figure(80.0, what="utilisation", metric="kubernetes.io/node/accelerator/duty_cycle")
    assert verdict(seconded(figure(), seen), NOW).status is Status.ACTIVE


def test_utilisation_from_before_the_window_is_past() -> None:
    old = figure(80.0, what="utilisation", last_at=(NOW - timedelta(hours=2)).isoformat())
    assert verdict(seconded(figure(), old), NOW).status is Status.IDLE


@pytest.mark.parametrize(
    "figures",
    [[], [figure(samples=5)], [figure(pool="other")], [figure(machine=None)]],
    ids=["none", "half of the samples", "another pool", "no machine"],
)
def test_metrics_that_were_asked_and_miss_a_machine_leave_the_pool_unknown(figures: list[dict[str, Any]]) -> None:
    assert verdict(seconded(*figures), NOW).status is Status.UNKNOWN


def test_traffic_shows_that_what_looks_like_a_hang_is_none() -> None:
    hung = {**TRAIN, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda _: 0.0, "DCGM_FI_PROF_NVLINK_TX_BYTES": lambda _: 0.0}
    series = counters_of({**hung, "DCGM_FI_DEV_POWER_USAGE": lambda _: 120.0})
    assert verdict(seconded(figure(), series=series), NOW).status is Status.HUNG
    assert verdict(seconded(figure(3e8), series=series), NOW).status is Status.UNKNOWN


def test_a_cluster_that_cannot_be_reached_is_idle_by_its_heartbeat_and_nobody_ends_it() -> None:
    found = cut_off(beat())
    assert found.status is Status.IDLE
    assert not found.resting
    step = intent(found, Policy(strongest=Strongest.DESTROY), Past(warned_at=NOW - timedelta(days=1)))
    assert step.do is Do.TELL


@pytest.mark.parametrize("sign", [{"busy_gpus": 1}, {"pods": 1}, {"queued": 1}], ids=str)
def test_a_heartbeat_that_tells_of_use_is_use(sign: dict[str, int]) -> None:
    assert cut_off(beat(**sign)).status is Status.ACTIVE
    assert verdict(seconded(figure(), heartbeats=[beat(**sign)]), NOW).status is Status.ACTIVE


@pytest.mark.parametrize(
    "beats",
    [
        [],
        [beat(samples=40)],
        [beat(last_at=(NOW - timedelta(minutes=30)).isoformat())],
        [beat(last_at=(NOW + timedelta(minutes=30)).isoformat())],
        [beat(gpus_least=7)],
        [beat(gpus_least=16, gpus_most=16)],
        [beat(pool="other")],
    ],
    ids=["none", "gaps", "silent", "ahead", "a GPU without counters", "more GPUs than bill", "another pool"],
)
def test_half_a_heartbeat_shows_nothing(beats: list[dict[str, Any]]) -> None:
    assert cut_off(*beats).status is Status.UNKNOWN


def test_traffic_is_doubt_about_a_quiet_heartbeat() -> None:
    loud = cluster(figures=[figure(5e8)], heartbeats=[beat()], **CUT_OFF)
    assert verdict(loud, NOW).status is Status.UNKNOWN


def test_a_heartbeat_replaces_no_cluster_that_answers() -> None:
    asked = seconded(figure(), heartbeats=[beat()], pods=None)
    assert verdict(asked, NOW).status is Status.UNKNOWN


def test_requests_of_an_inference_cluster_are_not_in_its_heartbeat() -> None:
    assert cut_off(beat(), workload="inference").status is Status.UNKNOWN


def test_tags_that_were_not_read_may_keep_it() -> None:
    assert cut_off(beat(), tags=None).status is Status.UNKNOWN


figures = st.builds(
    figure,
    st.sampled_from([0.0, 2e4, 2e8]),
    samples=st.integers(0, 10),
    machine=st.sampled_from([MACHINE, "i-other", None]),
    pool=st.sampled_from(["a100", "other", None]),
    what=st.sampled_from(["network", "utilisation"]),
)
beats = st.builds(
    beat,
    busy_gpus=st.integers(0, 1),
    pods=st.integers(0, 1),
    gpus_least=st.sampled_from([0, 8]),
    samples=st.sampled_from([0, 57]),
    pool=st.sampled_from(["a100", "other"]),
)


@given(
    figures=st.lists(figures, max_size=3),
    beats=st.lists(beats, max_size=2),
    base=st.sampled_from([{}, CUT_OFF, {"pods": None}, {"tags": None}, {"queues": [{"name": "q", "pending": 1}]}]),
)
@settings(max_examples=100, deadline=None)
def test_whatever_a_second_source_says_no_more_is_ended_than_without_it(
    figures: list[dict[str, Any]], beats: list[dict[str, Any]], base: dict[str, Any]
) -> None:
    alone = cluster(**{"sources": SOURCES, **base})
    both = alone.model_copy(update={"figures": cluster(figures=figures).figures, "heartbeats": cluster(heartbeats=beats).heartbeats})
    assert verdict(both, NOW).resting <= verdict(alone, NOW).resting


def test_use_of_a_pool_that_nobody_knows_may_be_use_of_any_and_rest_of_it_proves_nothing() -> None:
    busy = figure(80.0, what="utilisation", pool="A100 pool")
    assert verdict(seconded(figure(), busy), NOW).status is Status.ACTIVE
    assert verdict(seconded(figure(), figure(2e8, pool="A100 pool")), NOW).status is Status.UNKNOWN
    assert verdict(seconded(figure(), heartbeats=[beat(pool="A100 pool", busy_gpus=1)]), NOW).status is Status.ACTIVE
    assert verdict(seconded(figure(pool="A100 pool")), NOW).status is Status.UNKNOWN
    assert cut_off(beat(pool="A100 pool")).status is Status.UNKNOWN
