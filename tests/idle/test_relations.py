"""What must not change a verdict, and what may only make it milder, over worlds of two GPUs that work, rest, spin or are silent."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.idle import record
from scripts.idle.intent import ENDS_NODES, Do, Past, Policy, Strongest, intent
from scripts.idle.signals import Cluster
from scripts.idle.verdict import Status, Verdict, verdict

from .traces import NODE, NOW, REST, STEP, TRAIN, cluster, pod, series

FEW = settings(max_examples=15, deadline=None)
SPIN = {**TRAIN, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda _: 0.0, "DCGM_FI_DEV_POWER_USAGE": lambda _: 120.0}
SPIN["DCGM_FI_PROF_NVLINK_TX_BYTES"] = lambda _: 0.0
SILENT: dict[str, Any] = {name: lambda ago, rest=rest: rest(ago) if ago > 20 else None for name, rest in REST.items()}
LOADED = {**REST, "DCGM_FI_DEV_FB_USED": lambda _: 30000.0}
WORKERS = ["DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"]
WAYS: dict[str, dict[str, Any]] = {"work": TRAIN, "rest": REST, "spin": SPIN, "silent": SILENT, "loaded": LOADED}
RAW: dict[str, Any] = cluster(series=[]).model_dump(mode="json")


def two(first: str, second: str) -> list[dict[str, Any]]:
    of = [each for each in series(WAYS[first], gpus=2) if each["metric"]["gpu"] == "0"]
    return of + [each for each in series(WAYS[second], gpus=2) if each["metric"]["gpu"] == "1"]


PODS: list[list[dict[str, Any]]] = [
    [],
    [],
    [pod()],
    [pod("Pending", pool="a100")],
    [pod(gpus=0)],
    [pod("Succeeded", ended=(NOW - timedelta(hours=3)).isoformat())],
]
worlds = st.builds(
    lambda first, second, pods, expires, requests, workload, keep, market: {
        **RAW,
        "pools": [{**RAW["pools"][0], "gpus_per_node": 2, "market": market}],
        "nodes": [{**RAW["nodes"][0], "gpus": 2, "aliases": ["10.64.0.10"]}],
        "series": two(first, second),
        "pods": pods,
        "expires": expires,
        "requests": requests,
        "workload": workload,
        "tags": keep,
    },
    first=st.sampled_from(["rest", "rest", "rest", *WAYS]),
    second=st.sampled_from(["rest", "rest", "rest", *WAYS]),
    pods=st.sampled_from(PODS),
    expires=st.sampled_from([None, None, "2026-11-30", "2026-11-29"]),
    requests=st.sampled_from([{"count": 0}, {"count": 3, "last": (NOW - timedelta(hours=6)).isoformat()}]),
    workload=st.sampled_from(["training", "inference"]),
    keep=st.sampled_from([{}, {}, {}, {"gpukit-idle": "keep"}]),
    market=st.sampled_from(["on_demand", "on_demand", "spot", "capacity_block"]),
)


def judged(raw: dict[str, Any], now: datetime = NOW) -> Verdict:
    return verdict(Cluster.model_validate(raw), now)


def ends(found: Verdict) -> bool:
    """Whether the strongest that a stack can allow would end something."""
    due = Past(warned_at=found.at - timedelta(days=1))
    return intent(found, Policy(strongest=Strongest.DESTROY), due).do in ENDS_NODES


def core(found: Verdict) -> tuple[Any, ...]:
    """All but its words."""
    return (
        found.status,
        found.resting,
        found.at_stake_usd_per_hour,
        ends(found),
        [(p.pool, p.status, p.resting, p.prepaid) for p in found.pools],
    )


def shuffled(draw: st.DrawFn, raw: dict[str, Any]) -> dict[str, Any]:
    listed = [{**each, "values": draw(st.permutations(each["values"]))} for each in draw(st.permutations(raw["series"]))[:2]]
    rest = [each for each in raw["series"] if all(each["metric"] != other["metric"] for other in listed)]
    others = {name: draw(st.permutations(raw[name])) for name in ("pods", "sources", "counters")}
    return {**raw, **others, "series": [*draw(st.permutations(rest)), *listed]}


@given(data=st.data(), raw=worlds)
@FEW
def test_the_order_of_whatever_is_listed_changes_nothing(data: st.DataObject, raw: dict[str, Any]) -> None:
    mixed = data.draw(st.composite(shuffled)(raw))
    assert core(judged(mixed)) == core(judged(raw))


def named(raw: dict[str, Any], **labels: str | None) -> list[dict[str, Any]]:
    changed = [{**each["metric"], **labels} for each in raw["series"]]
    return [{**each, "metric": {k: v for k, v in m.items() if v is not None}} for each, m in zip(raw["series"], changed, strict=True)]


@given(
    raw=worlds,
    labels=st.sampled_from(
        [
            {"Hostname": None, "instance": "10.64.0.10:9400"},
            {"Hostname": NODE.partition(".")[0].upper()},
            {"Hostname": "exporter-x", "node_name": NODE, "exported_pod": "llm-0"},
            {"UUID": None},
        ]
    ),
)
@FEW
def test_the_names_of_nodes_and_gpus_change_nothing(raw: dict[str, Any], labels: dict[str, str | None]) -> None:
    assert core(judged({**raw, "series": named(raw, **labels)})) == core(judged(raw))


@given(raw=worlds, cut=st.integers(1, 59), again=st.booleans())
@FEW
def test_however_a_series_is_divided_or_doubled_it_is_the_same(raw: dict[str, Any], cut: int, again: bool) -> None:
    first = [{**each, "values": each["values"][:cut]} for each in named(raw, replica="a")]
    second = [{**each, "values": each["values"] if again else each["values"][cut:]} for each in named(raw, replica="b")]
    assert core(judged({**raw, "series": [*first, *second]})) == core(judged(raw))


@given(raw=worlds, hours=st.integers(-12, 14))
@FEW
def test_the_zone_in_which_times_are_written_changes_nothing(raw: dict[str, Any], hours: int) -> None:
    zone = timezone(timedelta(hours=hours))

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: v if k == "series" else moved(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType]
        if isinstance(value, list):
            return [moved(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(value, str) and len(value) > 10 and value[10:11] == "T":
            return datetime.fromisoformat(value).astimezone(zone).isoformat()
        return value

    assert core(judged(moved(raw), NOW.astimezone(zone))) == core(judged(raw))


@given(share=st.floats(0.02, 1.0) | st.just(0.0))
@FEW
def test_percent_and_share_under_their_own_names_are_the_same(share: float) -> None:
    def of(name: str, value: float) -> Status:
        return judged({**RAW, "series": series({name: lambda _: value}), "counters": [name]}).status

    assert of("nvidia_smi_utilization_gpu", 100 * share) is of("nvidia_smi_utilization_gpu_ratio", share)


@given(raw=worlds, uuid=st.sampled_from(["GPU-new", f"GPU-{NODE}-0"]), counter=st.sampled_from(WORKERS))
@FEW
def test_a_gpu_at_work_ends_nothing_whatever_else_is_known(raw: dict[str, Any], uuid: str, counter: str) -> None:
    at = NOW.timestamp() - STEP * 30
    worker = {
        "metric": {"__name__": counter, "Hostname": NODE, "gpu": "0", "UUID": uuid},
        "values": [[at, 97.0 if "DEV" in counter else 0.97]],
    }
    before, after = judged(raw), judged({**raw, "series": [*raw["series"], worker]})
    assert not after.resting
    assert not ends(after)
    assert after.status is not Status.IDLE or before.status is Status.PROTECTED


TAKEN: list[Any] = [
    lambda raw, _: [p.update(node=None) for p in raw["pods"]],
    lambda raw, _: [p.update(pool="another") for p in raw["pods"]],
    lambda raw, _: [p.pop("kind", None) for p in raw["pods"]],
    lambda raw, _: [p.update(ended=None) for p in raw["pods"]],
    lambda raw, n: [e["metric"].pop("Hostname", None) for e in raw["series"][n % 3 :: 3]],
    lambda raw, n: [e["metric"].pop("UUID", None) for e in raw["series"][n % 2 :: 2]],
    lambda raw, n: [v.__setitem__(1, None) for e in raw["series"] for v in e["values"][n:]],
    lambda raw, n: [e.update(values=e["values"][::2]) for e in raw["series"][n % 2 :: 2]],
    lambda raw, _: raw.update(series=[e for e in raw["series"] if "FB_USED" not in e["metric"]["__name__"]]),
    lambda raw, n: raw.update(series=raw["series"][: n % 12]),
    lambda raw, _: [node.update(gpus=0) for node in raw["nodes"]],
    lambda raw, _: [node.update(created=None) for node in raw["nodes"]],
    lambda raw, _: raw["nodes"].clear(),
    lambda raw, _: raw["pools"][0].update(gpus_per_node=None, machine=None),
    lambda raw, _: raw["pools"][0].update(current=None),
    lambda raw, _: raw.update(tags=None),
    lambda raw, _: raw.update(cloud=None),
    lambda raw, _: raw.update(requests=None, workload=None),
    lambda raw, _: raw.update(counters=None),
    lambda raw, n: raw.update(sources=raw["sources"][: n % 2]),
]


@given(raw=worlds, taken=st.lists(st.sampled_from(TAKEN), min_size=1, max_size=2), n=st.integers(0, 59))
@settings(max_examples=50, deadline=None)
def test_what_is_taken_or_garbled_ends_nothing_that_was_not_ended(raw: dict[str, Any], taken: list[Any], n: int) -> None:
    less = json.loads(json.dumps(raw))
    for take in taken:
        take(less, n)
    assert ends(judged(raw)) or not ends(judged(less)), judged(less).reason


def test_these_worlds_hold_rest_that_is_ended_and_work_that_is_not() -> None:
    """Else the relations above would say nothing."""
    rested = {**RAW, "series": series(REST)}
    assert ends(judged(rested))
    assert not ends(judged({**RAW, "series": series(TRAIN)}))
    assert intent(judged(rested), Policy(strongest=Strongest.SCALE_TO_ZERO), Past()).do is Do.WARN


@pytest.mark.parametrize("way", WAYS)
def test_a_record_on_disk_is_judged_as_what_it_was_made_of(tmp_path: Path, way: str) -> None:
    of = Cluster.model_validate({**RAW, "series": series(WAYS[way])})
    record.save(tmp_path / "r.json", record.of(NOW, (of,)))
    again = record.load(tmp_path / "r.json")
    assert core(verdict(again.clusters[0], again.recorded_at)) == core(verdict(of, NOW))
