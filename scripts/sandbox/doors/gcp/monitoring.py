"""Cloud Monitoring: network of the simulated GKE nodes, and custom metrics as they were sent. One filter: metric, resource, cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from scripts.sandbox.doors import metering
from scripts.sandbox.doors.gcp.call import Call, get, post
from scripts.sandbox.refusal import Refusal

_FILTER = re.compile(r'\s*([\w.]+)\s*=\s*"([^"]*)"\s*(?:AND\b)?')
_KNOWN = {"metric.type", "resource.type", "resource.labels.cluster_name"}
_NETWORK = re.compile(r"kubernetes\.io/node/network/(received|sent)_bytes_count")


def _list(call: Call) -> dict[str, Any]:
    wanted = dict(_FILTER.findall(call.one("filter")))
    if set(wanted) != _KNOWN or _FILTER.sub("", call.one("filter")).strip():
        raise Refusal(
            "badRequest",
            f"the simulated Cloud Monitoring answers filters of {', '.join(sorted(_KNOWN))}",
            source="this world's own rule: nothing is made up",
        )
    start, end = (metering.seconds(call.one(f"interval.{name}Time")) for name in ("start", "end"))
    step = float((call.one("aggregation.alignmentPeriod") or "60s").removesuffix("s"))
    found = [*_network(call, wanted, (start, end, step)), *_sent(call, wanted, (start, end))]
    return {"timeSeries": found} if found else {}


def _network(call: Call, wanted: dict[str, str], span: tuple[float, float, float]) -> Iterator[dict[str, Any]]:
    if not _NETWORK.fullmatch(wanted["metric.type"]) or wanted["resource.type"] != "k8s_node":
        return
    for machine in metering.machines(call.world, "gcp"):
        if machine.cluster != wanted["resource.labels.cluster_name"]:
            continue
        times = metering.periods(call.world, max(span[0], machine.since), span[1], span[2])
        points = [_point(end, {"doubleValue": machine.bytes_per_second(start, end)}) for start, end in times]
        if points:
            yield _series(call, wanted, {}, machine.node, points)


def _sent(call: Call, wanted: dict[str, str], span: tuple[float, float]) -> Iterator[dict[str, Any]]:
    by_labels: dict[tuple[tuple[str, str], ...], list[dict[str, Any]]] = {}
    for each in metering.sent(call.world, f"gcp/{call.project}/{wanted['resource.labels.cluster_name']}", wanted["metric.type"]):
        if span[0] <= each.at <= span[1]:
            by_labels.setdefault(tuple(sorted(each.dimensions.items())), []).append(_point(each.at, {"doubleValue": each.value}))
    yield from (_series(call, wanted, dict(labels), None, points) for labels, points in sorted(by_labels.items()))


def _series(call: Call, wanted: dict[str, str], labels: dict[str, str], node: str | None, points: list[dict[str, Any]]) -> dict[str, Any]:
    place = {"project_id": call.project, "cluster_name": wanted["resource.labels.cluster_name"], **({"node_name": node} if node else {})}
    return {
        "metric": {"type": wanted["metric.type"], "labels": labels},
        "resource": {"type": wanted["resource.type"], "labels": place},
        "points": list(reversed(points)),
    }


def _point(at: float, value: dict[str, Any]) -> dict[str, Any]:
    text = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"interval": {"startTime": text, "endTime": text}, "value": value}


def _create(call: Call) -> dict[str, Any]:
    values = [
        metering.Sent(
            scope=f"gcp/{call.project}/{series['resource']['labels']['cluster_name']}".lower(),
            name=series["metric"]["type"],
            dimensions=series["metric"].get("labels") or {},
            at=metering.seconds(point["interval"]["endTime"]),
            value=float(next(iter(point["value"].values()))),
        )
        for series in call.body.get("timeSeries") or ()
        for point in series["points"]
    ]
    metering.keep(call.world, values)
    return {}


ROUTES = (get("/v3/projects/{project}/timeSeries", _list), post("/v3/projects/{project}/timeSeries", _create))
