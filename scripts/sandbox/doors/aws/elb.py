"""Elastic Load Balancing at the AWS door: both generations, told apart by the version of their API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.sandbox.doors.aws.call import Call, Handler, page, tag_list
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

_ELB = "Elastic Load Balancing API reference, errors of the operation"


def _show(record: Record) -> dict[str, Any]:
    return {
        "LoadBalancerArn": record.id, "LoadBalancerName": record.state["name"], "DNSName": record.state["dnsName"], "VpcId": record.state["vpcId"],
        "Type": record.state["type"], "State": {"Code": "active"}, "CreatedTime": record.created, "SecurityGroups": [record.state["securityGroup"]],
    }  # fmt: skip


def _balancers(call: Call) -> Mapping[str, Any]:
    items, marker = page([(r.id, _show(r)) for r in call.records(t.LOAD_BALANCER)], call.given.get("Marker"), call.given.get("PageSize"))
    return {"LoadBalancers": items, "NextMarker": marker}


def _targets(call: Call) -> Mapping[str, Any]:
    shown = [
        (r.id, {"TargetGroupArn": r.id, "TargetGroupName": r.state["name"], "VpcId": r.state["vpcId"], "LoadBalancerArns": []})
        for r in call.records(t.TARGET_GROUP)
    ]
    items, marker = page(shown, call.given.get("Marker"), call.given.get("PageSize"))
    return {"TargetGroups": items, "NextMarker": marker}


def _tags(call: Call) -> Mapping[str, Any]:
    known = {r.id: r for kind in (t.LOAD_BALANCER, t.TARGET_GROUP) for r in call.records(kind)}
    found = [(arn, known.get(str(arn))) for arn in call.given.get("ResourceArns", ())]
    missing = [arn for arn, record in found if record is None]
    if missing:
        raise Refusal("LoadBalancerNotFound", f"One or more load balancers not found: {missing[0]}", source=_ELB)
    return {"TagDescriptions": [{"ResourceArn": arn, "Tags": tag_list(record.tags)} for arn, record in found if record is not None]}


def _delete(kind: str, argument: str) -> Handler:
    """Deleting what is not there succeeds (API reference, DeleteLoadBalancer, DeleteTargetGroup)."""

    def handler(call: Call) -> Mapping[str, Any]:
        record = call.get(kind, call.given.get(argument))
        if record is not None:
            with call.world.store.transaction():
                call.world.drop_tree(record)
        return {}

    return handler


def _classic(call: Call) -> Mapping[str, Any]:
    shown = [
        (r.id, {"LoadBalancerName": r.id, "DNSName": r.state["dnsName"], "VPCId": r.state["vpcId"], "CreatedTime": r.created})
        for r in call.records(t.CLASSIC_BALANCER)
    ]
    items, marker = page(shown, call.given.get("Marker"), call.given.get("PageSize"))
    return {"LoadBalancerDescriptions": items, "NextMarker": marker}


def _classic_tags(call: Call) -> Mapping[str, Any]:
    known = {r.id: r for r in call.records(t.CLASSIC_BALANCER)}
    names = [str(name) for name in call.given.get("LoadBalancerNames", ())]
    if any(name not in known for name in names):
        raise Refusal("LoadBalancerNotFound", "There is no ACTIVE Load Balancer of that name", source=_ELB)
    return {"TagDescriptions": [{"LoadBalancerName": name, "Tags": tag_list(known[name].tags)} for name in names]}


HANDLERS: Mapping[str, Handler] = {
    "DescribeLoadBalancers": _balancers,
    "DescribeTargetGroups": _targets,
    "DescribeTags": _tags,
    "DeleteLoadBalancer": _delete(t.LOAD_BALANCER, "LoadBalancerArn"),
    "DeleteTargetGroup": _delete(t.TARGET_GROUP, "TargetGroupArn"),
}
CLASSIC: Mapping[str, Handler] = {
    "DescribeLoadBalancers": _classic,
    "DescribeTags": _classic_tags,
    "DeleteLoadBalancer": _delete(t.CLASSIC_BALANCER, "LoadBalancerName"),
}
CLASSIC_VERSION = "2012-06-01"
"""The version that the first generation's clients send (botocore, elb/2012-06-01)."""
