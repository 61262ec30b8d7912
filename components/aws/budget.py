"""AWS's own budget alarm for one cluster: a second guard, hours behind the first."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_aws import budgets

from components.naming import Identity

from .budget_outline import ACTUAL_PERCENT, COST_TAG, FORECAST_PERCENT, MOST_EMAILS


@dataclass(frozen=True, kw_only=True)
class BudgetArgs:
    """A monthly ceiling in US dollars, and who hears of it."""

    monthly_usd: float
    emails: tuple[str, ...]
    identity: Identity

    def __post_init__(self) -> None:
        if not 1 <= len(self.emails) <= MOST_EMAILS:
            raise ValueError(f"budget.alert_emails: {len(self.emails)} addresses: give 1 to {MOST_EMAILS}")


class Budget(pulumi.ComponentResource):
    """A monthly cost budget of everything that carries the cluster's identity tag, with alerts by e-mail."""

    resource: budgets.Budget

    def __init__(self, name: str, args: BudgetArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:Budget", name, {}, opts)
        self.resource = budgets.Budget(
            name,
            budget_type="COST",
            time_unit="MONTHLY",
            limit_amount=f"{args.monthly_usd:.2f}",
            limit_unit="USD",
            cost_filters=[budgets.BudgetCostFilterArgs(name="TagKeyValue", values=[f"user:{COST_TAG}${args.identity.cluster}"])],
            notifications=[
                *(_alert("ACTUAL", percent, args) for percent in ACTUAL_PERCENT),
                *(_alert("FORECASTED", percent, args) for percent in FORECAST_PERCENT),
            ],
            tags=args.identity.tags(name),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({"budget": self.resource.name})


def _alert(kind: str, percent: int, args: BudgetArgs) -> budgets.BudgetNotificationArgs:
    return budgets.BudgetNotificationArgs(
        notification_type=kind,
        comparison_operator="GREATER_THAN",
        threshold=percent,
        threshold_type="PERCENTAGE",
        subscriber_email_addresses=list(args.emails),
    )
