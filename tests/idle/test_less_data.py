"""Taking data away never makes a verdict more destructive, whatever is taken, and no hostile value ends the judgement."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.idle.matrix import LATEST
from scripts.idle.signals import Cluster
from scripts.idle.verdict import Status, verdict

from .traces import NODE, NOW, REST, TRAIN, cluster, pod, series, source

DESTRUCTIVE = (Status.IDLE, Status.EXPIRED)

WHOLE_FIELDS = ("tags", "pools", "nodes", "pods", "queues", "requests", "counters", "workload", "expires", "region")
"""Removed as a whole: nobody looked."""

worlds = st.builds(
    lambda busy, rest, pods, queues, expires, requests, workload: cluster(
        series=series(TRAIN, gpus=busy) + [s for s in series(REST) if int(s["metric"]["gpu"]) >= busy][: (8 - rest) * len(REST)],
        pods=pods,
        queues=queues,
        expires=expires,
        requests=requests,
        workload=workload,
    ),
    busy=st.sampled_from([0, 0, 0, 1, 8]),
    rest=st.sampled_from([0, 0, 0, 2]),
    pods=st.sampled_from([[], [pod()], [pod("Pending")], [pod("Succeeded", ended=(NOW - timedelta(hours=3)).isoformat())]]),
    queues=st.sampled_from([[], [{"name": "q", "pending": 1}]]),
    expires=st.sampled_from([None, date(2026, 11, 1)]),
    requests=st.sampled_from([None, {"count": 0}, {"count": 4, "last": (NOW - timedelta(minutes=5)).isoformat()}]),
    workload=st.sampled_from(["training", "inference"]),
)


def destructive(of: Cluster) -> bool:
    """Whether an action that ends nodes could follow."""
    found = verdict(of, NOW)
    return found.status in DESTRUCTIVE and found.resting


@st.composite
def poorer(draw: st.DrawFn, of: Cluster) -> Cluster:
    """`of` with something taken away."""
    raw = of.model_dump(mode="json")
    for name in draw(st.sets(st.sampled_from(WHOLE_FIELDS), max_size=2)):
        raw[name] = None
    kind = draw(st.sampled_from(["nothing", "samples", "series", "gpu", "counter", "source", "node fields", "pool fields"]))
    match kind:
        case "samples":
            keep = draw(st.integers(0, 59))
            raw["series"] = [{**s, "values": s["values"][:keep]} for s in raw["series"]]
        case "series":
            raw["series"] = raw["series"][:: draw(st.integers(2, 5))]
        case "gpu":
            gone = str(draw(st.integers(0, 7)))
            raw["series"] = [s for s in raw["series"] if s["metric"]["gpu"] != gone]
        case "counter":
            gone = draw(st.sampled_from(sorted(REST)))
            raw["series"] = [s for s in raw["series"] if s["metric"]["__name__"] != gone]
        case "source":
            raw["sources"] = raw["sources"][: draw(st.integers(0, 1))]
        case "node fields":
            for field in draw(st.sets(st.sampled_from(["created", "gpus"]))):
                raw["nodes"] = raw["nodes"] and [{**n, field: None} for n in raw["nodes"]]
        case "pool fields":
            for field in draw(st.sets(st.sampled_from(["current", "gpus_per_node", "machine", "market", "usd_per_node_hour"]))):
                raw["pools"] = raw["pools"] and [{**p, field: None} for p in raw["pools"]]
        case _:
            pass
    return Cluster.model_validate(raw)


@given(data=st.data(), world=worlds)
@settings(max_examples=150, deadline=None)
def test_less_data_is_never_more_destructive(data: st.DataObject, world: Cluster) -> None:
    less = data.draw(poorer(world))
    assert destructive(world) or not destructive(less), verdict(less, NOW).reason


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_no_part_of_a_working_job_comes_out_as_idle(data: st.DataObject) -> None:
    gaps = data.draw(st.sets(st.integers(0, 39)))
    paused = {name: lambda ago, full=full, rest=REST[name]: rest(ago) if ago in gaps else full(ago) for name, full in TRAIN.items()}
    job = cluster(paused, pods=data.draw(st.sampled_from([[], [pod()]])))
    less = data.draw(poorer(job))
    assert not destructive(less), verdict(less, NOW).reason


hostile = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=5), st.sampled_from([4294967295.0, -1.0, "NaN", "+Inf", "1e400"])
)


@given(
    values=st.lists(st.tuples(st.floats(0, LATEST), hostile), max_size=5),
    labels=st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=3),
)
@settings(max_examples=60, deadline=None)
def test_hostile_values_and_labels_end_nothing(values: list[Any], labels: dict[str, str]) -> None:
    mad = {"metric": {"__name__": "DCGM_FI_DEV_GPU_UTIL", **labels}, "values": values}
    verdict(cluster(series=[mad], sources=[source("dcgm"), source("kubernetes")], nodes=[{"name": NODE, "pool": "other"}]), NOW)
