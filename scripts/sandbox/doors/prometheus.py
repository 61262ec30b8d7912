"""A Prometheus-compatible door at `/prometheus`: DCGM's counters of the simulated GPUs, made from the load that was put on them.

Simplified: a GPU is exactly as busy as its load says, on all GPUs of a node alike, sampled every 30 s since its node was there. Every series
carries `simulated="true"`. Only where the GPU Operator's exporter (or Google's own) runs. Of the query language, a selector of one name with exact
matchers is answered, and its highest or lowest value over a time.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from components import catalog
from scripts.sandbox import clouds
from scripts.sandbox.doors.http import Request, Response
from scripts.sandbox.passing import catch_up
from scripts.sandbox.place import Place
from scripts.sandbox.plugins import installed
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

SCRAPE_SECONDS = 30.0
LOOKBACK_SECONDS = 300.0
"""How long Prometheus shows a last sample for."""
_MOST_POINTS = 11_000
"""Prometheus refuses range queries of more points a series."""
_SELECTOR = r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(?P<match>[^}]*)\})?"
_QUERY = re.compile(
    rf"\s*(?:(?P<function>max|min)_over_time\(\s*{_SELECTOR}\s*\[(?P<range>\d+)s\]\s*\)|{_SELECTOR.replace('<name>', '<bare>').replace('<match>', '<bare_match>')})\s*"
)
_MATCHER = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"([^"]*)"\s*,?')

Counter = Callable[[float, float], float]
"""From the busy share and the GPU's thermal design power (W)."""
COUNTERS: Mapping[str, Counter] = {
    "DCGM_FI_DEV_GPU_UTIL": lambda busy, _: round(100 * busy),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda busy, _: round(0.98 * busy, 4),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda busy, _: round(0.45 * busy, 4),
    "DCGM_FI_DEV_POWER_USAGE": lambda busy, tdp: round(tdp * (0.14 + 0.76 * busy), 1),
    "DCGM_FI_DEV_FB_USED": lambda busy, _: 38000.0 if busy else 4.0,
    "DCGM_FI_PROF_PCIE_TX_BYTES": lambda busy, _: round(4e9 * busy),
    "DCGM_FI_PROF_NVLINK_TX_BYTES": lambda busy, _: round(2e10 * busy),
}


@dataclass(frozen=True)
class Gpu:
    """One simulated GPU with its labels and its load over time."""

    labels: Mapping[str, str]
    tdp: float
    since: float
    history: tuple[tuple[float, float], ...]
    """(seconds since 1970, busy share), oldest first."""

    def busy(self, at: float) -> float:
        return next((share for moment, share in reversed(self.history) if moment <= at), 0.0)


def door(world: Simulation) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        catch_up(world)
        given = {name: values[-1] for name, values in request.query.items()}
        if request.method == "POST":
            from urllib.parse import parse_qsl

            given |= dict(parse_qsl(request.body.decode(errors="replace")))
        match request.path:
            case "/api/v1/label/__name__/values":
                matchers = _matchers((given.get("match[]") or "").strip().strip("{}"))
                there = any(True for _ in _gpus(world, matchers or {}))
                return _data(sorted(COUNTERS) if there else [])
            case "/api/v1/query_range":
                return _range(world, given)
            case _:
                return _error(404, "not_found", f"the simulated Prometheus has nothing at {request.path}")

    return answer


def _data(data: Any) -> Response:
    return Response.of_json({"status": "success", "data": data})


def _error(status: int, kind: str, text: str) -> Response:
    return Response.of_json({"status": "error", "errorType": kind, "error": text}, status)


def _matchers(text: str) -> dict[str, str] | None:
    """Exact matchers; None for any other."""
    found = _MATCHER.findall(text)
    return dict(found) if "".join(_MATCHER.sub("", text).split()) == "" else None


def _range(world: Simulation, given: Mapping[str, str]) -> Response:
    query = _QUERY.fullmatch(given.get("query", ""))
    try:
        start, end, step = (float(given[name]) for name in ("start", "end", "step"))
    except (KeyError, ValueError):
        return _error(400, "bad_data", "start, end and step are seconds")
    if query is None or (matchers := _matchers(query["match"] or query["bare_match"] or "")) is None:
        return _error(400, "bad_data", 'the simulated Prometheus answers NAME{label="value"}, and max_over_time and min_over_time of it')
    if not (step > 0 and (end - start) / step <= _MOST_POINTS):
        return _error(400, "bad_data", f"exceeded maximum resolution of {_MOST_POINTS} points per timeseries")
    counter = COUNTERS.get(query["name"] or query["bare"])
    if counter is None:
        return _data({"resultType": "matrix", "result": []})
    last, result = world.clock.now().timestamp(), list[dict[str, Any]]()
    for gpu in _gpus(world, matchers):
        values = [[at, f"{value:g}"] for at, value in _points(gpu, counter, (start, min(end, last), step), query)]
        if values:
            named = {} if query["function"] else {"__name__": query["bare"]}
            result.append({"metric": {**named, **gpu.labels}, "values": values})
    return _data({"resultType": "matrix", "result": result})


def _points(gpu: Gpu, counter: Counter, span: tuple[float, float, float], query: re.Match[str]) -> Iterator[tuple[float, float]]:
    start, end, step = span
    reach = float(query["range"] or LOOKBACK_SECONDS)
    choose = min if query["function"] == "min" else max
    for at in (start + n * step for n in range(int((end - start) // step) + 1)):
        moments = [moment for moment in _scrapes(at - reach, at) if moment >= gpu.since]
        if moments:
            yield at, choose(counter(gpu.busy(moment), gpu.tdp) for moment in (moments if query["function"] else moments[-1:]))


def _scrapes(after: float, until: float) -> list[float]:
    """Moments of scrapes in a time that is open on the left."""
    first = math.floor(after / SCRAPE_SECONDS) + 1
    return [n * SCRAPE_SECONDS for n in range(first, math.floor(until / SCRAPE_SECONDS) + 1)]


def _gpus(world: Simulation, matchers: Mapping[str, str]) -> Iterator[Gpu]:
    for cloud in clouds.used(world):
        for pool in cloud.pools(world):
            if pool.cluster_key and _exported(world, cloud, pool.cluster_key):
                for instance in pool.instances():
                    yield from _of_instance(cloud, instance, Place.of(pool.cluster_key).cluster, matchers)


def _exported(world: Simulation, cloud: clouds.Cloud, key: str) -> bool:
    """By the GPU Operator's exporter, or Google's own (GKE, monitoringConfig: the component DCGM)."""
    cluster = cloud.find_cluster(world, Place.of(key))
    components = (((cluster.state if cluster else {}).get("monitoringConfig") or {}).get("enableComponents")) or ()
    return "DCGM" in components or installed(world, key).operator_runs("dcgmExporter")


def _of_instance(cloud: clouds.Cloud, instance: Record, cluster: str, matchers: Mapping[str, str]) -> Iterator[Gpu]:
    machine = catalog.find_machine(cloud.name, cloud.machine(instance))
    if machine is None or machine.gpu_model is None or machine.vendor != "NVIDIA":
        return
    try:
        tdp = catalog.gpus.gpu(machine.gpu_model).tdp_w
    except catalog.UnknownName:
        tdp = None
    history = tuple((_seconds(at), float(share)) for at, share in instance.state.get("gpuBusyHistory", ()))
    for index in range(max(int(machine.gpu_count), 1)):
        labels = {
            "cluster": cluster,
            "Hostname": cloud.node_name(instance),
            "gpu": str(index),
            "UUID": f"GPU-simulated-{instance.id.rsplit('/', 1)[-1]}-{index}",
            "modelName": machine.gpu_model,
            "job": "dcgm-exporter",
            "simulated": "true",
        }
        if all(labels.get(name) == value for name, value in matchers.items()):
            yield Gpu(labels, tdp or 300.0, _seconds(instance.created), history)


def _seconds(text: object) -> float:
    """Seconds since 1970."""
    return datetime.fromisoformat(str(text)).timestamp()
