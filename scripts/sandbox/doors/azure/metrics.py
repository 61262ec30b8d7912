"""Azure Monitor: network of the simulated scale sets, split by machine, and custom metrics as they were sent to the regional endpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from scripts.sandbox.doors import metering
from scripts.sandbox.doors.http import Request, Response
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.simulation import Simulation

STEP = 60.0
NETWORK = ("network in total", "network out total")
ASKED = re.compile(r"(?P<resource>/subscriptions/.+)/providers/Microsoft\.Insights/(?P<what>metrics|metricNamespaces)", re.IGNORECASE)
SENT = re.compile(r"(?P<resource>/subscriptions/.+/providers/(?!Microsoft\.Insights).+)/metrics", re.IGNORECASE)
_SPLIT = re.compile(r"(\w+) eq '\*'")


def answer(world: Simulation, request: Request, path: str) -> Response | None:
    """None for what is not about metrics."""
    sent = SENT.fullmatch(path) if request.method == "POST" else None
    if sent is not None:
        _keep(world, sent["resource"].lower(), json.loads(request.body))
        return Response(200)
    asked = ASKED.fullmatch(path) if request.method == "GET" else None
    if asked is None:
        return None
    resource = asked["resource"].lower()
    return Response.of_json(_spaces(world, resource) if asked["what"].lower() == "metricnamespaces" else _metrics(world, resource, request))


def _spaces(world: Simulation, resource: str) -> dict[str, Any]:
    names = sorted({each.scope.split("|")[1] for each in _all_sent(world, resource)})
    return {"value": [{"name": name, "properties": {"metricNamespaceName": name}, "classification": "Custom"} for name in names]}


def _all_sent(world: Simulation, resource: str) -> Iterator[metering.Sent]:
    for name in world.store.meta("metrics", []):
        if str(name["scope"]).startswith(f"{resource}|"):
            yield metering.Sent(**name)


def _metrics(world: Simulation, resource: str, request: Request) -> dict[str, Any]:
    split = _SPLIT.fullmatch(request.one("$filter") or "")
    start, end = (metering.seconds(part) for part in (request.one("timespan") or "").split("/"))
    if split is None or request.one("interval") != "PT1M":
        message = "the simulated Azure Monitor answers metrics of PT1M, split by one dimension"
        raise Refusal("BadRequest", message, source="this world's own rule: nothing is made up")
    kind, space = (request.one("aggregation") or "Total").lower(), (request.one("metricnamespace") or "").lower()
    value: list[dict[str, Any]] = []
    for name in (request.one("metricnames") or "").split(","):
        network = not space and name.lower() in NETWORK
        series = _network(world, resource, (start, end)) if network else _kept(world, f"{resource}|{space}", name, split[1], (start, end))
        shown = [_series(split[1], mark, kind, points) for mark, points in series]
        value.append(
            {"id": f"{resource}/{name}", "type": "Microsoft.Insights/metrics", "unit": "Bytes", "name": {"value": name, "localizedValue": name}, "timeseries": shown[: int(request.one("top") or 10)]}
        )  # fmt: skip
    return {"timespan": request.one("timespan"), "interval": "PT1M", "value": value}


def _series(dimension: str, mark: str, kind: str, points: list[tuple[float, float]]) -> dict[str, Any]:
    shown = [{"timeStamp": datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), kind: value} for at, value in points]
    return {"metadatavalues": [{"name": {"value": dimension.lower(), "localizedValue": dimension.lower()}, "value": mark}], "data": shown}


def _network(world: Simulation, resource: str, span: tuple[float, float]) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    for machine in metering.machines(world, "azure"):
        if machine.record.id.lower().startswith(f"{resource}/"):
            times = metering.periods(world, max(span[0], machine.since), span[1], STEP)
            yield machine.node, [(start, machine.bytes_per_second(start, end) * (end - start)) for start, end in times]


def _kept(
    world: Simulation, scope: str, name: str, dimension: str, span: tuple[float, float]
) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for each in metering.sent(world, scope, name):
        if dimension in each.dimensions and span[0] <= each.at <= span[1]:
            found.setdefault(each.dimensions[dimension], []).append((each.at, each.value))
    yield from sorted(found.items())


def _keep(world: Simulation, resource: str, body: Mapping[str, Any]) -> None:
    base = body["data"]["baseData"]
    values = [
        metering.Sent(
            scope=f"{resource}|{base['namespace'].lower()}",
            name=base["metric"],
            dimensions=dict(zip(base.get("dimNames") or (), series.get("dimValues") or (), strict=True)),
            at=metering.seconds(body["time"]),
            value=float(series["max"]),
        )
        for series in base["series"]
    ]
    metering.keep(world, values)
