"""AWS Budgets: global in an account. No cost accrues in this world, so no alert is ever sent."""

from __future__ import annotations

from typing import Any

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.kind import Kind, Order
from scripts.sandbox.refusal import Refusal

_API = "AWS Budgets API reference, CreateBudget"
_MOST_ALERTS = 10
"""botocore's model of the API: NotificationWithSubscribersList. The CDK reference says five."""
_MOST_EMAILS = 10


def _admit(order: Order) -> None:
    name = order.text("name")
    if any(other.state.get("name") == name for other in order.peers()):
        raise Refusal("DuplicateRecordException", f"Error creating budget: {name} - the budget already exists.", source=_API)
    alerts = order.inputs.get("notifications") or ()
    if len(alerts) > _MOST_ALERTS:
        raise Refusal("CreationLimitExceededException", f"a budget takes {_MOST_ALERTS} notifications, not {len(alerts)}", source=_API)
    seen: set[tuple[object, ...]] = set()
    for alert in alerts:
        told = len(alert.get("subscriberEmailAddresses") or ())
        if told > _MOST_EMAILS:
            raise Refusal("CreationLimitExceededException", f"a notification takes {_MOST_EMAILS} addresses, not {told}", source=_API)
        if not told and not alert.get("subscriberSnsTopicArns"):
            raise Refusal("InvalidParameterException", "a notification needs a subscriber", source="botocore: Subscribers, at least 1")
        same = tuple(alert.get(part) for part in ("notificationType", "comparisonOperator", "threshold", "thresholdType"))
        if same in seen:
            raise Refusal("DuplicateRecordException", f"the notification {same} is given twice", source=_API)
        seen.add(same)


def _outputs(order: Order, _: str) -> dict[str, Any]:
    return {
        "arn": order.arn("budgets", f"budget/{order.text('name')}", region=""),
        "accountId": order.account,
        "timePeriodStart": order.text("timePeriodStart") or (order.before.state["timePeriodStart"] if order.before else _month(order)),
        "timePeriodEnd": order.text("timePeriodEnd", "2087-06-15_00:00"),
    }


def _month(order: Order) -> str:
    return order.world.clock.now().strftime("%Y-%m-01_00:00")


KINDS = (
    Kind(
        token=t.BUDGET,
        replace=frozenset({"accountId", "name", "namePrefix", "billingViewArn"}),
        auto_name="name",
        name_limit=100,
        everywhere=True,
        identify=lambda order: f"{order.account}:{order.text('name')}",
        admit=_admit,
        outputs=_outputs,
        closed_sets={
            "budgetType": ("budgets", "BudgetType"),
            "timeUnit": ("budgets", "TimeUnit"),
            "notifications[].notificationType": ("budgets", "NotificationType"),
            "notifications[].comparisonOperator": ("budgets", "ComparisonOperator"),
            "notifications[].thresholdType": ("budgets", "ThresholdType"),
        },
    ),
)
