"""Azure's own budget alarm for one cluster: a second guard, hours behind the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_azure_native import consumption

from components.clock import now

from .budget_outline import ACTUAL_PERCENT, FORECAST_PERCENT, MOST_EMAILS, first_of_month


@dataclass(frozen=True, kw_only=True)
class BudgetArgs:
    """A monthly ceiling in US dollars, and who hears of it."""

    monthly_usd: float
    emails: tuple[str, ...]
    subscription: str
    resource_groups: Sequence[pulumi.Input[str]]
    """Names of all groups whose cost counts, that of AKS's nodes included: most of the bill stands there."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.emails) <= MOST_EMAILS:
            raise ValueError(f"budget.alert_emails: {len(self.emails)} addresses: give 1 to {MOST_EMAILS}")
        if not self.resource_groups:
            raise ValueError("budget: no resource groups are named, and the budget would count the whole subscription")


class Budget(pulumi.ComponentResource):
    """A monthly cost budget over the cluster's resource groups, with alerts by e-mail. Budgets carry no tags."""

    resource: consumption.Budget

    def __init__(self, name: str, args: BudgetArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:azure:Budget", name, {}, opts)
        self.resource = consumption.Budget(
            name,
            scope=f"/subscriptions/{args.subscription}",
            category="Cost",
            time_grain="Monthly",
            amount=args.monthly_usd,
            time_period=consumption.BudgetTimePeriodArgs(start_date=first_of_month(now())),
            filter=consumption.BudgetFilterArgs(
                dimensions=consumption.BudgetComparisonExpressionArgs(
                    name="ResourceGroupName", operator="In", values=list(args.resource_groups)
                )
            ),
            notifications={
                **{f"actual-{percent}": _alert("Actual", percent, args) for percent in ACTUAL_PERCENT},
                **{f"forecast-{percent}": _alert("Forecasted", percent, args) for percent in FORECAST_PERCENT},
            },
            # the month of the first up stays: Azure refuses to move the start of a budget that runs
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["timePeriod"]),
        )
        self.register_outputs({"budget": self.resource.name})


def _alert(kind: str, percent: int, args: BudgetArgs) -> consumption.NotificationArgs:
    return consumption.NotificationArgs(
        enabled=True, operator="GreaterThan", threshold=percent, threshold_type=kind, contact_emails=list(args.emails)
    )
