"""CloudWatch Logs and KMS at the AWS door: groups and keys, for looking up and for sweeping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors.aws.call import Call, Handler, page
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record


def _missing(what: str, source: str, code: str = "ResourceNotFoundException") -> Refusal:
    return Refusal(code, f"The specified {what} does not exist.", source=f"{source} API reference, errors of the operation", status=400)


def _groups(call: Call) -> Mapping[str, Any]:
    prefix = str(call.given.get("logGroupNamePrefix") or "")
    shown = [
        (r.id, {"logGroupName": r.id, "arn": f"{r.state['arn']}:*", "storedBytes": 0})
        for r in call.records(t.LOG_GROUP)
        if r.id.startswith(prefix)
    ]
    items, token = page(shown, call.given.get("nextToken"), call.given.get("limit") or 50)
    return {"logGroups": items, "nextToken": token}


def _group(call: Call, name: object) -> Record:
    record = call.get(t.LOG_GROUP, name)
    if record is None:
        raise _missing("log group", "CloudWatch Logs")
    return record


def _group_tags(call: Call) -> Mapping[str, Any]:
    return {"tags": dict(_group(call, str(call.given.get("resourceArn")).split(":log-group:")[-1]).tags)}


def _delete_group(call: Call) -> Mapping[str, Any]:
    call.world.delete(kinds.kind(t.LOG_GROUP), _group(call, call.given.get("logGroupName")))
    return {}


def _key(call: Call) -> Record:
    record = call.get(t.KEY, str(call.given.get("KeyId")).rsplit("/", 1)[-1])
    if record is None:
        raise _missing("key", "KMS", "NotFoundException")
    return record


def _describe_key(call: Call) -> Mapping[str, Any]:
    key = _key(call)
    metadata = {"KeyId": key.id, "Arn": key.state["arn"], "Description": key.state.get("description", ""), "KeyState": "Enabled"}
    return {"KeyMetadata": metadata}


def _aliases(call: Call) -> Mapping[str, Any]:
    wanted = str(call.given.get("KeyId") or "").rsplit("/", 1)[-1]
    shown = [
        (r.id, {"AliasName": r.id, "AliasArn": r.state["arn"], "TargetKeyId": str(r.state["targetKeyArn"]).rsplit("/", 1)[-1]})
        for r in call.records(t.KEY_ALIAS)
    ]
    found = [(id_, item) for id_, item in shown if not wanted or item["TargetKeyId"] == wanted]
    return {"Aliases": [item for _, item in found], "Truncated": False}


def _delete_alias(call: Call) -> Mapping[str, Any]:
    record = call.get(t.KEY_ALIAS, call.given.get("AliasName"))
    if record is None:
        raise _missing("alias", "KMS", "NotFoundException")
    call.world.delete(kinds.kind(t.KEY_ALIAS), record)
    return {}


def _end_key(call: Call) -> Mapping[str, Any]:
    """Simplified: the waiting period is not simulated, the key is gone at once."""
    key = _key(call)
    call.world.delete(kinds.kind(t.KEY), key)
    return {"KeyId": key.state["arn"], "KeyState": "PendingDeletion", "PendingWindowInDays": call.given.get("PendingWindowInDays", 30)}


LOGS: Mapping[str, Handler] = {"DescribeLogGroups": _groups, "ListTagsForResource": _group_tags, "DeleteLogGroup": _delete_group}
KEYS: Mapping[str, Handler] = {
    "DescribeKey": _describe_key,
    "ListAliases": _aliases,
    "DeleteAlias": _delete_alias,
    "ScheduleKeyDeletion": _end_key,
}
