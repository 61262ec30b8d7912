"""Flow logs of a network: who talked to whom, kept for a time in CloudWatch.

Source: Amazon VPC User Guide, "Publish flow logs to CloudWatch Logs" (trust policy and permissions of the role).
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import pulumi
from pulumi_aws import cloudwatch, ec2

from components.naming import Identity

from .roles import RoleArgs, service_role

WRITES = ("logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogGroups", "logs:DescribeLogStreams")


@dataclass(frozen=True, kw_only=True)
class FlowLogsArgs:
    region: str
    vpc_id: pulumi.Input[str]
    days: int
    identity: Identity


def flow_logs(name: str, args: FlowLogsArgs, parent: pulumi.Resource) -> ec2.FlowLog:
    """All traffic, accepted and refused, written by a role that may write to this one log group."""
    own = pulumi.ResourceOptions(parent=parent)
    group = cloudwatch.LogGroup(name, retention_in_days=args.days, tags=args.identity.tags(name), opts=own)
    role = RoleArgs(
        service="vpc-flow-logs.amazonaws.com",
        policies=(),
        region=args.region,
        identity=args.identity,
        own_policy=group.arn.apply(_may_write),
    )
    return ec2.FlowLog(
        name,
        vpc_id=args.vpc_id,
        traffic_type="ALL",
        log_destination_type="cloud-watch-logs",
        log_destination=group.arn,
        iam_role_arn=service_role(name, role, parent),
        tags=args.identity.tags(name),
        opts=own,
    )


def _may_write(group: str) -> str:
    statement = {"Effect": "Allow", "Action": list(WRITES), "Resource": [group, f"{group}:*"]}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})
