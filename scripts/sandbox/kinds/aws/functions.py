"""Lambda functions, EventBridge rules, CloudWatch alarms, SNS topics and SQS queues. They are checked and kept: nothing runs, fires, alarms or is sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_LAMBDA = "Lambda API reference, CreateFunction"
_QUOTAS = "Lambda Developer Guide, quotas"
_EVENTS = "EventBridge API reference, errors of the operation"
_ALARM = "CloudWatch API reference, PutMetricAlarm"
_SNS = "SNS API reference, errors of the operation"
_ENVIRONMENT_BYTES = 4096
_RATE = re.compile(r"rate\((1 (minute|hour|day)|([2-9]|[1-9]\d+) (minutes|hours|days))\)")


def _unique(code: str, source: str) -> Callable[[Order], None]:
    def admit(order: Order) -> None:
        if any(other.state.get("name") == order.text("name") for other in order.peers()):
            raise Refusal(code, f"{order.text('name')} already exists", source=source, status=409)

    return admit


def _admit_function(order: Order) -> None:
    _unique("ResourceConflictException", _LAMBDA)(order)
    role = order.text("role")
    roles = order.world.store.of_kind(t.ROLE, f"aws/{order.account}/global")
    if not any(record.state.get("arn") == role for record in roles):
        raise Refusal("InvalidParameterValueException", f"The role defined for the function cannot be assumed: {role}", source=_LAMBDA)
    if not 1 <= int(order.inputs.get("timeout", 3)) <= 900:
        raise Refusal("ValidationException", f"timeout {order.inputs.get('timeout')} is not within 1 and 900 seconds", source=_QUOTAS)
    if not 128 <= int(order.inputs.get("memorySize", 128)) <= 10240:
        raise Refusal("ValidationException", f"memorySize {order.inputs.get('memorySize')} is not within 128 and 10240", source=_QUOTAS)
    variables = (order.inputs.get("environment") or {}).get("variables") or {}
    size = sum(len(str(name)) + len(str(value)) for name, value in variables.items())
    if size > _ENVIRONMENT_BYTES:
        message = f"the environment has {size} bytes, {_ENVIRONMENT_BYTES} are allowed"
        raise Refusal("InvalidParameterValueException", message, source=_QUOTAS)


def _function_outputs(order: Order, id_: str) -> dict[str, Any]:
    arn = order.arn("lambda", f"function:{id_}")
    return {
        "arn": arn,
        "qualifiedArn": f"{arn}:$LATEST",
        "invokeArn": f"arn:aws:apigateway:{order.region}:lambda:path/2015-03-31/functions/{arn}/invocations",
        "version": "$LATEST",
        "lastModified": order.world.clock.text(),
        "timeout": order.inputs.get("timeout", 3),
        "memorySize": order.inputs.get("memorySize", 128),
        "packageType": order.text("packageType", "Zip"),
    }


def _admit_permission(order: Order) -> None:
    function = order.text("function").rsplit(":", 1)[-1]
    if order.get(t.FUNCTION, function) is None:
        raise Refusal(
            "ResourceNotFoundException", f"Function not found: {function}", source="Lambda API reference, AddPermission", status=404
        )


def _admit_rule(order: Order) -> None:
    rate, pattern = order.text("scheduleExpression"), order.inputs.get("eventPattern")
    if not rate and not pattern:
        raise Refusal("ValidationException", "a rule needs a schedule or a pattern", source="EventBridge API reference, PutRule")
    if rate.startswith("rate(") and not _RATE.fullmatch(rate):
        raise Refusal(
            "ValidationException", "Parameter ScheduleExpression is not valid.", source='EventBridge User Guide, "rate expressions"'
        )


def _admit_alarm(order: Order) -> None:
    period, periods = int(order.inputs.get("period", 0)), int(order.inputs.get("evaluationPeriods", 0))
    if period not in {10, 20, 30} and (period < 60 or period % 60):
        raise Refusal("ValidationError", f"Period {period} must be 10, 20, 30 or a multiple of 60", source=_ALARM)
    if periods < 1:
        raise Refusal("ValidationError", f"EvaluationPeriods {periods} must be at least 1", source=_ALARM)


def _rule_releases(world: Simulation, rule: Record) -> None:
    if any(target.state.get("rule") == rule.id for target in world.store.of_kind(t.EVENT_TARGET, rule.key)):
        raise Refusal("ValidationException", "Rule can't be deleted since it has targets.", source=_EVENTS)


def _admit_target(order: Order) -> None:
    if order.get(t.EVENT_RULE, order.text("rule")) is None:
        message = f"Rule {order.text('rule')} does not exist on EventBus default."
        raise Refusal("ResourceNotFoundException", message, source=_EVENTS, status=404)


def _admit_subscription(order: Order) -> None:
    if order.get(t.TOPIC, order.text("topic")) is None:
        raise Refusal("NotFoundException", "Topic does not exist", source=_SNS, status=404)


KINDS = (
    Kind(
        token=t.FUNCTION,
        replace=frozenset({"name", "packageType"}),
        auto_name="name",
        name_limit=64,
        identify=lambda order: order.text("name"),
        admit=_admit_function,
        outputs=_function_outputs,
        moving=frozenset({"lastModified"}),
        closed_sets={"runtime": ("lambda", "Runtime"), "loggingConfig.logFormat": ("lambda", "LogFormat")},
    ),
    Kind(
        token=t.FUNCTION_PERMISSION,
        replace=frozenset({"action", "function", "principal", "sourceArn", "statementId", "qualifier"}),
        auto_name="statementId",
        identify=lambda order: order.text("statementId"),
        admit=_admit_permission,
    ),
    Kind(
        token=t.EVENT_RULE,
        replace=frozenset({"name", "namePrefix", "eventBusName"}),
        auto_name="name",
        name_limit=64,
        identify=lambda order: order.text("name"),
        admit=_admit_rule,
        outputs=lambda order, id_: {"arn": order.arn("events", f"rule/{id_}"), "eventBusName": order.text("eventBusName", "default")},
        releases=_rule_releases,
    ),
    Kind(
        token=t.METRIC_ALARM,
        replace=frozenset({"name"}),
        auto_name="name",
        name_limit=255,
        identify=lambda order: order.text("name"),
        admit=_admit_alarm,
        outputs=lambda order, id_: {"arn": order.arn("cloudwatch", f"alarm:{id_}")},
        closed_sets={"comparisonOperator": ("cloudwatch", "ComparisonOperator"), "statistic": ("cloudwatch", "Statistic")},
    ),
    Kind(
        token=t.EVENT_TARGET,
        replace=frozenset({"rule", "targetId", "eventBusName"}),
        auto_name="targetId",
        identify=lambda order: f"{order.text('rule')}-{order.text('targetId')}",
        admit=_admit_target,
    ),
    Kind(
        token=t.TOPIC,
        replace=frozenset({"name", "namePrefix", "fifoTopic"}),
        auto_name="name",
        name_limit=256,
        identify=lambda order: order.arn("sns", order.text("name")),
        admit=_unique("InvalidParameter", _SNS),
        outputs=lambda order, id_: {"arn": id_, "owner": order.account},
    ),
    Kind(
        token=t.QUEUE,
        replace=frozenset({"name", "namePrefix", "fifoQueue"}),
        auto_name="name",
        name_limit=80,
        identify=lambda order: f"https://sqs.{order.region}.amazonaws.com/{order.account}/{order.text('name')}",
        admit=_unique("QueueNameExists", "SQS API reference, CreateQueue"),
        outputs=lambda order, id_: {"arn": order.arn("sqs", order.text("name")), "url": id_},
    ),
    Kind(
        token=t.SUBSCRIPTION,
        replace=frozenset({"topic", "protocol", "endpoint"}),
        identify=lambda order: order.before.id if order.before else f"{order.text('topic')}:{order.world.new_id('', 32)}",
        admit=_admit_subscription,
        outputs=lambda order, id_: {
            "arn": id_,
            "ownerId": order.account,
            "pendingConfirmation": order.text("protocol").startswith("email"),
            "confirmationWasAuthenticated": False,
        },
    ),
)
