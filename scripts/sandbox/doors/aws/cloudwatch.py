"""CloudWatch: network of the simulated machines, custom metrics as they were put (by their statistic, no expressions), and the end of alarms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors import metering
from scripts.sandbox.doors.aws.call import Call, Handler
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal

_NETWORK = ("NetworkIn", "NetworkOut")
_STATISTICS = {"Minimum": min, "Maximum": max, "Sum": sum, "Average": lambda values: sum(values) / len(values)}


def _scope(call: Call, namespace: str) -> str:
    return f"aws/{call.region}/{namespace}".lower()


def _data(call: Call) -> Mapping[str, Any]:
    start, end = (_moment(call.given[name]) for name in ("StartTime", "EndTime"))
    results: list[dict[str, Any]] = []
    for query in call.given["MetricDataQueries"]:
        stat = query.get("MetricStat")
        if stat is None:
            raise Refusal(
                "ValidationError",
                "the simulated CloudWatch answers MetricStat and no Expression",
                source="this world's own rule: nothing is made up",
            )
        found = sorted(_values(call, stat, (start, end)), reverse=True)
        results.append(
            {
                "Id": query["Id"],
                "Label": stat["Metric"]["MetricName"],
                "Timestamps": [datetime.fromtimestamp(at, UTC).isoformat() for at, _ in found],
                "Values": [value for _, value in found],
                "StatusCode": "Complete",
            }
        )
    return {"MetricDataResults": results}


def _values(call: Call, stat: Mapping[str, Any], span: tuple[float, float]) -> Iterator[tuple[float, float]]:
    metric, period = stat["Metric"], float(stat["Period"])
    dimensions = {each["Name"]: each["Value"] for each in metric.get("Dimensions") or ()}
    if metric["Namespace"] == "AWS/EC2" and metric["MetricName"] in _NETWORK:
        for machine in metering.machines(call.world, "aws"):
            if machine.record.id == dimensions.get("InstanceId") and machine.record.key == call.key:
                for start, end in metering.periods(call.world, max(span[0], machine.since), span[1], period):
                    yield start, machine.bytes_per_second(start, end) * (end - start)
        return
    kept = metering.sent(call.world, _scope(call, metric["Namespace"]), metric["MetricName"])
    by_period: dict[float, list[float]] = {}
    for each in kept:
        if dict(each.dimensions) == dimensions and span[0] <= each.at < span[1]:
            by_period.setdefault(each.at // period * period, []).append(each.value)
    yield from ((at, float(_STATISTICS[stat["Stat"]](values))) for at, values in by_period.items())


def _list(call: Call) -> Mapping[str, Any]:
    wanted = {each["Name"]: each.get("Value") for each in call.given.get("Dimensions") or ()}
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for each in metering.sent(call.world, _scope(call, call.given.get("Namespace") or ""), call.given.get("MetricName")):
        if all(name in each.dimensions and value in (None, each.dimensions[name]) for name, value in wanted.items()):
            shown = [{"Name": name, "Value": value} for name, value in sorted(each.dimensions.items())]
            found[(each.name, str(shown))] = {"Namespace": call.given["Namespace"], "MetricName": each.name, "Dimensions": shown}
    return {"Metrics": [found[key] for key in sorted(found)]}


def _put(call: Call) -> Mapping[str, Any]:
    now = call.world.clock.now().timestamp()
    values = [
        metering.Sent(
            scope=_scope(call, call.given["Namespace"]),
            name=each["MetricName"],
            dimensions={d["Name"]: d["Value"] for d in each.get("Dimensions") or ()},
            at=_moment(each["Timestamp"]) if "Timestamp" in each else now,
            value=float(each["Value"]),
        )
        for each in call.given["MetricData"]
    ]
    metering.keep(call.world, values)
    return {}


def _moment(value: object) -> float:
    """Seconds since 1970, of a number or of text (both are in use, by protocol)."""
    return float(value) if isinstance(value, int | float) else datetime.fromisoformat(str(value)).timestamp()


def _delete_alarms(call: Call) -> Mapping[str, Any]:
    """Wrong names are passed over (CloudWatch API reference, DeleteAlarms)."""
    for name in call.given.get("AlarmNames") or ():
        record = call.get(t.METRIC_ALARM, name)
        if record is not None:
            call.world.delete(kinds.kind(t.METRIC_ALARM), record)
    return {}


HANDLERS: Mapping[str, Handler] = {"GetMetricData": _data, "ListMetrics": _list, "PutMetricData": _put, "DeleteAlarms": _delete_alarms}
