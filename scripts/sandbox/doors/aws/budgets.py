"""AWS Budgets at the AWS door. Nothing is spent in this world: actual and forecast spend are not shown, they are not zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.sandbox import kinds
from scripts.sandbox.doors.aws.call import Call, Handler, page, tag_list
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

_API = "AWS Budgets API reference, errors of the operation"


def _all(call: Call) -> list[Record]:
    if call.given.get("AccountId") != call.world.account("aws"):
        message = f"Account {call.given.get('AccountId')} is not the caller's"
        raise Refusal("AccessDeniedException", message, source=_API)
    return call.world.store.of_kind(t.BUDGET, f"aws/{call.world.account('aws')}/global")


def _find(call: Call) -> Record:
    record = next((r for r in _all(call) if r.state["name"] == call.given.get("BudgetName")), None)
    if record is None:
        raise Refusal("NotFoundException", f"Unable to get budget: {call.given.get('BudgetName')}", source=_API)
    return record


def _show(record: Record) -> dict[str, Any]:
    state = record.state
    return {
        "BudgetName": state["name"],
        "BudgetType": state["budgetType"],
        "TimeUnit": state["timeUnit"],
        "BudgetLimit": {"Amount": str(state["limitAmount"]), "Unit": state["limitUnit"]},
        "CostFilters": {each["name"]: list(each["values"]) for each in state.get("costFilters") or ()},
    }


def _describe(call: Call) -> Mapping[str, Any]:
    found = [(r.id, _show(r)) for r in _all(call)]
    items, token = page(found, call.given.get("NextToken"), call.given.get("MaxResults"))
    return {"Budgets": items, "NextToken": token}


def _alerts(call: Call) -> Mapping[str, Any]:
    names = {"NotificationType": "notificationType", "ComparisonOperator": "comparisonOperator", "ThresholdType": "thresholdType"}
    alerts = _find(call).state.get("notifications") or ()
    return {"Notifications": [{**{n: a[m] for n, m in names.items()}, "Threshold": float(a["threshold"])} for a in alerts]}


def _tags(call: Call) -> Mapping[str, Any]:
    name = str(call.given.get("ResourceARN", "")).partition(":budget/")[2]
    record = next(
        (r for r in call.world.store.of_kind(t.BUDGET, f"aws/{call.world.account('aws')}/global") if r.state["name"] == name), None
    )
    if record is None:
        raise Refusal("NotFoundException", f"Unable to get budget: {name}", source=_API)
    return {"ResourceTags": tag_list(record.tags)}


def _delete(call: Call) -> Mapping[str, Any]:
    call.world.delete(kinds.kind(t.BUDGET), _find(call))
    return {}


HANDLERS: Mapping[str, Handler] = {
    "DescribeBudgets": _describe,
    "DeleteBudget": _delete,
    "ListTagsForResource": _tags,
    "DescribeBudget": lambda call: {"Budget": _show(_find(call))},
    "DescribeNotificationsForBudget": _alerts,
}
