"""What Google's own budget alarm takes and sees, as plain values.

Source: Cloud Billing documentation, "Create, edit, or delete budgets and budget alerts"; the limits are the API's (five channels).
"""

from __future__ import annotations

from collections.abc import Iterator

from components.naming import tag_key
from components.refusals import SpecError
from components.spec import Spec

ACTUAL_SHARES = (0.5, 0.8, 1.0)
FORECAST_SHARES = (1.0,)
MOST_CHANNELS = 5
COST_LABEL = tag_key("gcp", "cluster")
BLIND_SPOT = (
    f"Google's budget counts what carries the label {COST_LABEL} and hears of it hours later; networks and addresses carry no labels and "
    "are not in it"
)
NO_ACCOUNT = (
    "Google's budget alarm needs the account that pays: without billing_account none is built, and only the guardrails watch the cost"
)


def budget_problems(spec: Spec) -> Iterator[SpecError]:
    """Alerts without a sum or without the account that pays, or to more addresses than Google takes."""
    emails = spec.budget.alert_emails
    if emails and spec.billing_account is None:
        message = "a budget on GCP belongs to a billing account: give billing_account, or leave the addresses out"
        yield SpecError(path="budget.alert_emails", value=str(len(emails)), message=message)
    elif (emails or spec.billing_account) and spec.budget.monthly_usd is None:
        path = "budget.alert_emails" if emails else "billing_account"
        yield SpecError(path=path, message="a budget needs a sum: give budget.monthly_usd")
    if len(emails) > MOST_CHANNELS:
        message = f"Google tells at most {MOST_CHANNELS} channels of one budget: give a group's address"
        yield SpecError(path="budget.alert_emails", value=str(len(emails)), message=message)
