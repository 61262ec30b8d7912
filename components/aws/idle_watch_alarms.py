"""Who watches the idle watch: alarms on runs that end in an error, and on runs that do not come.

Sources: Lambda Developer Guide, "Types of metrics for Lambda functions" (`Invocations` counts runs whether they succeed or fail and leaves out
throttled ones; neither it nor `Errors` has a value where nothing ran); CloudWatch API reference, PutMetricAlarm, and User Guide, "Configuring
how CloudWatch alarms treat missing data".
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_aws import cloudwatch

from components.naming import Identity

NAMESPACE = "AWS/Lambda"
FAILED_LOOKS = 2
"""In a row, before somebody is told: Lambda itself runs a failed look again (Developer Guide, "Asynchronous invocation")."""
MISSED_LOOKS = 3


@dataclass(frozen=True, kw_only=True)
class AlarmsArgs:
    """Whose runs are counted, and which topic hears of them."""

    function: pulumi.Input[str]
    topic: pulumi.Input[str]
    schedule_minutes: int
    identity: Identity
    after: pulumi.Resource
    """What starts the function: an alarm on silence that is older than it would tell of nothing but that."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """When an alarm begins: `comparison` of the metric's sum with 1 in each of `periods` schedules in a row."""

    metric: str
    periods: int
    comparison: str
    missing: str
    """What a period without any value counts as."""
    means: str


FAILING = Condition(
    metric="Errors",
    periods=FAILED_LOOKS,
    comparison="GreaterThanOrEqualToThreshold",
    missing="notBreaching",  # nothing ran: the other alarm's matter
    means="Looks of the idle watch end in errors: its log names the pools that it could not judge, and those are not scaled.",
)
SILENT = Condition(
    metric="Invocations",
    periods=MISSED_LOOKS,
    comparison="LessThanThreshold",
    missing="breaching",  # silence is the very thing to be told of
    means="The idle watch has not run: nobody looks for idle pools of this cluster.",
)


def alarms(name: str, args: AlarmsArgs, parent: pulumi.Resource) -> None:
    """`NAME-failing` and `NAME-silent`. Each tells its topic when it begins and when it is over."""
    opts = pulumi.ResourceOptions(parent=parent, depends_on=[args.after])
    for suffix, condition in (("failing", FAILING), ("silent", SILENT)):
        _alarm(f"{name}-{suffix}", condition, args, opts)


def _alarm(name: str, condition: Condition, args: AlarmsArgs, opts: pulumi.ResourceOptions) -> None:
    cloudwatch.MetricAlarm(
        name,
        alarm_description=condition.means,
        namespace=NAMESPACE,
        metric_name=condition.metric,
        dimensions={"FunctionName": args.function},
        statistic="Sum",
        period=args.schedule_minutes * 60,
        evaluation_periods=condition.periods,
        threshold=1,
        comparison_operator=condition.comparison,
        treat_missing_data=condition.missing,
        alarm_actions=[args.topic],
        ok_actions=[args.topic],
        tags=args.identity.tags(name),
        opts=opts,
    )
