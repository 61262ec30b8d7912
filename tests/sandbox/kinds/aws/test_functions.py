"""Functions, their schedules and topics: what AWS would refuse about them."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.store import Record
from tests.sandbox.cloud import Cloud
from tests.sandbox.kinds.aws.test_network import refused


def function(cloud: Cloud, **changes: Any) -> Record:
    role = cloud.role(name=f"role-{changes.get('name', 'watch')}")
    given: dict[str, Any] = {"name": "watch", "role": role.state["arn"], "runtime": "python3.13", "handler": "a.b", **changes}
    return cloud.make(t.FUNCTION, **given)


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("InvalidParameterValueException", {"role": "arn:aws:iam::1:role/none"}),
        ("InvalidParameterValueException", {"environment": {"variables": {"A": "x" * 5000}}}),
        ("ValidationException", {"timeout": 901}),
        ("ValidationException", {"memorySize": 64}),
    ],
)
def test_a_function_needs_its_role_and_keeps_to_lambda_s_limits(cloud: Cloud, code: str, changes: dict[str, Any]):
    with refused(code):
        function(cloud, **changes)


def test_functions_are_unique_and_may_be_called_only_where_they_are(cloud: Cloud):
    made = function(cloud)
    with refused("ResourceConflictException"):
        cloud.make(t.FUNCTION, name="watch", role=made.state["role"], runtime="python3.13", handler="a.b")
    grant: dict[str, Any] = {"action": "lambda:InvokeFunction", "principal": "events.amazonaws.com", "statementId": "s"}
    with refused("ResourceNotFoundException"):
        cloud.make(t.FUNCTION_PERMISSION, function="none", **grant)
    cloud.make(t.FUNCTION_PERMISSION, function=made.state["arn"], **grant)


@pytest.mark.parametrize("rate", ["rate(1 minutes)", "rate(15 minute)", "rate(0 minutes)", "rate(often)"])
def test_a_rate_is_written_as_eventbridge_reads_it(cloud: Cloud, rate: str):
    with refused("ValidationException"):
        cloud.make(t.EVENT_RULE, name="r", scheduleExpression=rate)


def test_a_rule_is_not_deleted_under_its_targets(cloud: Cloud):
    rule = cloud.make(t.EVENT_RULE, name="r", scheduleExpression="rate(15 minutes)")
    with refused("ResourceNotFoundException"):
        cloud.make(t.EVENT_TARGET, rule="none", targetId="t", arn="arn")
    target = cloud.make(t.EVENT_TARGET, rule="r", targetId="t", arn="arn")
    with refused("ValidationException"):
        cloud.delete(rule)
    cloud.delete(target)
    cloud.delete(rule)
    assert not cloud.there(rule)


def test_who_hears_of_a_topic_has_to_confirm_it_first(cloud: Cloud):
    with refused("NotFoundException"):
        cloud.make(t.SUBSCRIPTION, topic="arn:none", protocol="email", endpoint="ml-platform@example.com")
    topic = cloud.make(t.TOPIC, name="alerts")
    heard = cloud.make(t.SUBSCRIPTION, topic=topic.id, protocol="email", endpoint="ml-platform@example.com")
    assert heard.state["pendingConfirmation"]
