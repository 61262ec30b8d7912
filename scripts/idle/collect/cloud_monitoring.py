"""Cloud Monitoring: network and duty cycles of GKE nodes, the heartbeat. REST API, projects.timeSeries.list.

GKE's system metrics are sampled every 60 seconds and shown up to four minutes later. Duty cycles exist of containers that hold GPUs, and of
nodes where GPUs are shared; that a node sends none of them says nothing, so they are never counted on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from scripts.engine.gcp_session import Google, NoCredentials, TooMany
from scripts.errors import Failed
from scripts.idle.collect.gcp import Gcp
from scripts.idle.collect.lines import BEAT_SECONDS, BEATS, Line, Span, What
from scripts.idle.collect.pacing import Throttled

PERIOD = 60.0
LATE = 240.0
CUSTOM = "custom.googleapis.com/gpukit/heartbeat"
"""Beginning of the heartbeat's metric types."""
NODE = "kubernetes.io/node"
_NETWORK = (f"{NODE}/network/received_bytes_count", f"{NODE}/network/sent_bytes_count")
_DUTY = ((f"{NODE}/accelerator/duty_cycle", "k8s_node"), ("kubernetes.io/container/accelerator/duty_cycle", "k8s_container"))


@dataclass(frozen=True, kw_only=True)
class _Asked:
    what: What
    metric: str
    resource: str
    aligner: str


def lines(gcp: Gcp, machines: Mapping[str, tuple[str, ...]], span: Span) -> list[Line]:
    """Raises Failed when Google refuses or does not answer."""
    pools = {machine: pool for pool, names in machines.items() for machine in names}
    asked = [
        *(_Asked(what=What.NETWORK, metric=name, resource="k8s_node", aligner="ALIGN_RATE") for name in _NETWORK),
        *(_Asked(what=What.UTILISATION, metric=name, resource=resource, aligner="ALIGN_MAX") for name, resource in _DUTY),
        *(_Asked(what=what, metric=f"{CUSTOM}/{what}", resource="k8s_cluster", aligner="ALIGN_MAX") for what in (*BEATS, What.LAST_ACTIVE)),
        _Asked(what=What.GPUS, metric=f"{CUSTOM}/{What.GPUS}", resource="k8s_cluster", aligner="ALIGN_MIN"),
    ]
    found = [line for each in asked for series in _series(gcp, each, span) if (line := _line(each, series, pools)) is not None]
    return _with_both_ends(found)


def _with_both_ends(lines: list[Line]) -> list[Line]:
    """The lowest and the highest of a series come by two questions, and make one line."""
    joined: dict[tuple[object, ...], Line] = {}
    for at, line in enumerate(lines):
        key = (line.what, line.pool) if line.what in BEATS else (at,)
        before = joined[key].points if key in joined else ()
        joined[key] = replace(line, points=(*before, *line.points))
    return list(joined.values())


def _series(gcp: Gcp, asked: _Asked, span: Span) -> Iterator[Mapping[str, Any]]:
    where = (
        f'metric.type = "{asked.metric}" AND resource.type = "{asked.resource}" AND resource.labels.cluster_name = "{gcp.target.cluster}"'
    )
    query = {
        "filter": where,
        "interval.startTime": _text(span.since),
        "interval.endTime": _text(span.until),
        "aggregation.alignmentPeriod": f"{PERIOD:.0f}s",
        "aggregation.perSeriesAligner": asked.aligner,
        "view": "FULL",
    }
    google, token = Google(gcp.environment), ""
    while True:
        page = _page(gcp, google, {**query, **({"pageToken": token} if token else {})})
        yield from page.get("timeSeries") or ()
        token = str(page.get("nextPageToken") or "")
        if not token:
            return


def _page(gcp: Gcp, google: Google, query: Mapping[str, str]) -> Mapping[str, Any]:
    def once() -> Mapping[str, Any]:
        try:
            return google.get("monitoring", f"/v3/projects/{gcp.target.account}/timeSeries", **query) or {}
        except TooMany as refusal:
            raise Throttled(str(refusal)) from refusal
        except NoCredentials as error:
            raise Failed(f"there are no Google credentials to read the metrics of cluster {gcp.target.cluster}: {error}") from error

    try:
        return gcp.paces.of("monitoring", "gcp", gcp.target.account).call(once)
    except Throttled as refusal:
        raise Failed(f"Google goes on refusing to read metrics: {refusal}") from refusal


def _line(asked: _Asked, series: Mapping[str, Any], pools: Mapping[str, str]) -> Line | None:
    """None for a machine of no GPU pool."""
    points = [(_seconds(point), _number(point)) for point in series.get("points") or ()]
    labels = (series.get("metric") or {}).get("labels") or {}
    if asked.what not in (What.NETWORK, What.UTILISATION):
        return Line(what=asked.what, metric=asked.metric, period=BEAT_SECONDS, late=LATE, pool=labels.get("pool"), points=points)
    machine = ((series.get("resource") or {}).get("labels") or {}).get("node_name")
    if asked.resource == "k8s_node" and machine not in pools:
        return None
    return Line(
        what=asked.what, metric=asked.metric, period=PERIOD, late=LATE, machine=machine, pool=pools.get(str(machine)), points=points
    )


def _seconds(point: Mapping[str, Any]) -> float:
    return datetime.fromisoformat(str(point["interval"]["endTime"])).timestamp()


def _number(point: Mapping[str, Any]) -> float:
    """Whole numbers come as text (API reference, TypedValue)."""
    value = point["value"]
    return float(value["doubleValue"] if "doubleValue" in value else value["int64Value"])


def _text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
