"""What AWS's own budget alarm takes and sees, as plain values."""

from __future__ import annotations

from collections.abc import Iterator

from components.naming import tag_key
from components.refusals import SpecError
from components.spec import Spec

ACTUAL_PERCENT = (50, 80, 100)
FORECAST_PERCENT = (100,)
"""A budget takes five alerts, and each of them ten addresses. Source: AWS Budgets API reference, CreateBudget."""
MOST_EMAILS = 10
COST_TAG = tag_key("aws", "cluster")
BLIND_SPOT = (
    f"the AWS budget counts what carries the tag {COST_TAG}, and sees nothing until the account that pays has activated that tag as "
    "cost-allocation tag (Billing, Cost allocation tags; the tag is listed there about a day after its first use)"
)
"""Said by the plan and by `gpukit doctor`. Source: AWS Billing User Guide, "Activating user-defined cost allocation tags"."""


def budget_problems(spec: Spec) -> Iterator[SpecError]:
    """Alerts without a sum to alert at, or with more addresses than AWS takes."""
    emails = spec.budget.alert_emails
    if emails and spec.budget.monthly_usd is None:
        yield SpecError(path="budget.alert_emails", value=str(len(emails)), message="alerts need a sum: give budget.monthly_usd")
    if len(emails) > MOST_EMAILS:
        message = f"AWS tells at most {MOST_EMAILS} addresses of one alert: give a group's address"
        yield SpecError(path="budget.alert_emails", value=str(len(emails)), message=message)
