"""Auto Scaling at the AWS door: the groups behind node groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.sandbox.doors.aws.call import Call, Handler, matches, page
from scripts.sandbox.kinds.aws import scaling
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

_API = "Auto Scaling API reference, errors of the operation"


def _group(call: Call) -> Record:
    name = call.given.get("AutoScalingGroupName")
    group = call.get(t.SCALING_GROUP, name)
    if group is None:
        raise Refusal("ValidationError", f"AutoScalingGroup name not found - {name}", source=_API)
    return group


def _show(call: Call, group: Record) -> dict[str, Any]:
    running = scaling.instances(call.world, group)
    tags = [
        {
            "ResourceId": group.id,
            "ResourceType": "auto-scaling-group",
            "Key": k,
            "Value": v,
            "PropagateAtLaunch": bool(group.state.get("propagated", {}).get(k)),
        }
        for k, v in sorted(group.tags.items())
    ]
    return {
        "AutoScalingGroupName": group.id,
        "AutoScalingGroupARN": f"arn:aws:autoscaling:{call.region}:{call.world.account('aws')}:autoScalingGroup:*:autoScalingGroupName/{group.id}",
        "MinSize": group.state["minSize"],
        "MaxSize": group.state["maxSize"],
        "DesiredCapacity": group.state["desiredCapacity"],
        "DefaultCooldown": 300,
        "AvailabilityZones": sorted({str(s.state["availabilityZone"]) for s in call.records(t.SUBNET) if s.id in group.state["subnetIds"]}),
        "HealthCheckType": "EC2",
        "CreatedTime": group.created,
        "VPCZoneIdentifier": ",".join(group.state["subnetIds"]),
        "SuspendedProcesses": [{"ProcessName": name, "SuspensionReason": "user"} for name in group.state.get("suspended", ())],
        "Instances": [
            {
                "InstanceId": i.id, "InstanceType": i.state["instanceType"], "AvailabilityZone": i.state["availabilityZone"],
                "LifecycleState": "InService", "HealthStatus": "Healthy", "ProtectedFromScaleIn": False,
            }
            for i in running
        ],
        "Tags": tags,
    }  # fmt: skip


def _describe(call: Call) -> Mapping[str, Any]:
    wanted = call.given.get("AutoScalingGroupNames")
    shown = [(g.id, _show(call, g)) for g in call.records(t.SCALING_GROUP) if not wanted or g.id in wanted]
    found = [(id_, item) for id_, item in shown if matches(item, call.given.get("Filters", ()), {"tag-value": "Tags[].Value"})]
    items, token = page(found, call.given.get("NextToken"), call.given.get("MaxRecords") or 50)
    return {"AutoScalingGroups": items, "NextToken": token}


def _set_desired(call: Call) -> Mapping[str, Any]:
    group = _group(call)
    with call.world.store.transaction():
        scaling.set_desired(call.world, group, int(call.given["DesiredCapacity"]))
    return {}


def _update(call: Call) -> Mapping[str, Any]:
    group = _group(call)
    with call.world.store.transaction():
        sizes = {n: int(call.given[m]) for n, m in (("minSize", "MinSize"), ("maxSize", "MaxSize")) if m in call.given}
        changed = call.world.store.put(group.with_state(**sizes))
        desired = int(
            call.given.get(
                "DesiredCapacity", min(max(changed.state["desiredCapacity"], changed.state["minSize"]), changed.state["maxSize"])
            )
        )
        scaling.set_desired(call.world, changed, desired)
    return {}


def _activities(call: Call) -> Mapping[str, Any]:
    group = _group(call)
    shown = [
        {
            "ActivityId": f"{group.id}-{at}", "AutoScalingGroupName": group.id, "StatusCode": entry["status"], "StatusMessage": entry["message"],
            "StartTime": entry["at"], "Cause": "a difference between desired and actual capacity", "Progress": 100,
        }
        for at, entry in enumerate(group.state.get("activities", ()))
    ]  # fmt: skip
    items, token = page([(f"{at:04}", item) for at, item in enumerate(shown)], call.given.get("NextToken"), call.given.get("MaxRecords"))
    return {"Activities": items, "NextToken": token}


def _suspend(call: Call) -> Mapping[str, Any]:
    group = _group(call)
    with call.world.store.transaction():
        named = call.given.get("ScalingProcesses") or ["Launch", "Terminate", "AZRebalance", "ReplaceUnhealthy", "ScheduledActions"]
        call.world.store.put(group.with_state(suspended=sorted({*group.state.get("suspended", ()), *named})))
    return {}


HANDLERS: Mapping[str, Handler] = {
    "DescribeAutoScalingGroups": _describe,
    "DescribeScalingActivities": _activities,
    "SetDesiredCapacity": _set_desired,
    "UpdateAutoScalingGroup": _update,
    "SuspendProcesses": _suspend,
}
