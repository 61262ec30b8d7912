"""What Azure's own budget alarm takes and sees, as plain values."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from components.refusals import SpecError
from components.spec import Spec

ACTUAL_PERCENT = (50, 80, 100)
FORECAST_PERCENT = (100,)
"""A budget takes five alerts, and each of them fifty addresses. Source: Azure REST reference, Consumption budgets, "Create or update"."""
MOST_EMAILS = 50
BLIND_SPOT = (
    "the Azure budget counts the cluster's resource groups, the one that AKS makes for its nodes included, from the month of the first up "
    "on; a capacity reservation is billed in its own group, and figures come hours to a day late"
)
"""Said by the plan and by `gpukit doctor`."""


def budget_problems(spec: Spec) -> Iterator[SpecError]:
    """Alerts without a sum to alert at, or with more addresses than Azure takes."""
    emails = spec.budget.alert_emails
    if emails and spec.budget.monthly_usd is None:
        yield SpecError(path="budget.alert_emails", value=str(len(emails)), message="alerts need a sum: give budget.monthly_usd")
    if len(emails) > MOST_EMAILS:
        message = f"Azure tells at most {MOST_EMAILS} addresses of one alert: give a group's address"
        yield SpecError(path="budget.alert_emails", value=str(len(emails)), message=message)


def first_of_month(moment: datetime) -> str:
    """Where a monthly budget that is made at `moment` starts: Azure takes the first of a month, and none that is over."""
    return f"{moment:%Y-%m}-01T00:00:00Z"
