"""Lambda, EventBridge, SNS and SQS at the AWS door: for looking at and for sweeping. Nothing runs, fires or is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors.aws.call import Call, Handler
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record


def _found(call: Call, kind: str, id_: object, what: str) -> Record:
    record = call.get(kind, id_)
    if record is None:
        source = "Lambda, EventBridge and SNS API references, errors of the operation"
        raise Refusal("ResourceNotFoundException", f"{what} {id_} does not exist", source=source, status=404)
    return record


def _function(call: Call) -> Record:
    return _found(call, t.FUNCTION, str(call.given.get("FunctionName")).rsplit(":", 1)[-1], "Function")


def _configuration(call: Call) -> Mapping[str, Any]:
    record = _function(call)
    state = record.state
    return {
        "FunctionName": record.id,
        "FunctionArn": state["arn"],
        "Runtime": state.get("runtime"),
        "Role": state["role"],
        "Handler": state.get("handler"),
        "Timeout": int(state["timeout"]),
        "MemorySize": int(state["memorySize"]),
        "Environment": {"Variables": dict((state.get("environment") or {}).get("variables") or {})},
    }


def _delete_function(call: Call) -> Mapping[str, Any]:
    call.world.delete(kinds.kind(t.FUNCTION), _function(call))
    return {}


def _targets(call: Call) -> list[Record]:
    rule = _found(call, t.EVENT_RULE, call.given.get("Rule") or call.given.get("Name"), "Rule")
    return [record for record in call.records(t.EVENT_TARGET) if record.state.get("rule") == rule.id]


def _list_targets(call: Call) -> Mapping[str, Any]:
    return {"Targets": [{"Id": r.state["targetId"], "Arn": r.state["arn"]} for r in _targets(call)]}


def _remove_targets(call: Call) -> Mapping[str, Any]:
    wanted = set(call.given.get("Ids") or ())
    for record in _targets(call):
        if record.state["targetId"] in wanted:
            call.world.delete(kinds.kind(t.EVENT_TARGET), record)
    return {"FailedEntryCount": 0, "FailedEntries": []}


def _delete_rule(call: Call) -> Mapping[str, Any]:
    call.world.delete(kinds.kind(t.EVENT_RULE), _found(call, t.EVENT_RULE, call.given.get("Name"), "Rule"))
    return {}


def _delete_topic(call: Call) -> Mapping[str, Any]:
    """Deleting one that is gone is no error; its subscriptions go with it (SNS API reference, DeleteTopic)."""
    topic = call.get(t.TOPIC, call.given.get("TopicArn"))
    if topic is not None:
        for record in call.records(t.SUBSCRIPTION):
            if record.state.get("topic") == topic.id:
                call.world.delete(kinds.kind(t.SUBSCRIPTION), record)
        call.world.delete(kinds.kind(t.TOPIC), topic)
    return {}


def _queue(call: Call, named: Callable[[Record], bool]) -> Record:
    found = [record for record in call.records(t.QUEUE) if named(record)]
    if not found:
        source = "SQS API reference, errors of the operation"
        raise Refusal("AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist.", source=source, status=400)
    return found[0]


def _queue_url(call: Call) -> Mapping[str, Any]:
    return {"QueueUrl": _queue(call, lambda record: record.state["name"] == call.given.get("QueueName")).id}


def _delete_queue(call: Call) -> Mapping[str, Any]:
    call.world.delete(kinds.kind(t.QUEUE), _queue(call, lambda record: record.id == call.given.get("QueueUrl")))
    return {}


QUEUES: Mapping[str, Handler] = {"GetQueueUrl": _queue_url, "DeleteQueue": _delete_queue}
FUNCTIONS: Mapping[str, Handler] = {"GetFunctionConfiguration": _configuration, "DeleteFunction": _delete_function}
EVENTS: Mapping[str, Handler] = {"ListTargetsByRule": _list_targets, "RemoveTargets": _remove_targets, "DeleteRule": _delete_rule}
TOPICS: Mapping[str, Handler] = {"DeleteTopic": _delete_topic}
