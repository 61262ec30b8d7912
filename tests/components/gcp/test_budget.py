from __future__ import annotations

from typing import Any

import pytest

from components.gcp.budget import BudgetArgs
from components.naming import Identity
from components.resource import ResourceSet

from .specs import built, only, training

BUDGET, CHANNEL = "gcp:billing/budget:Budget", "gcp:monitoring/notificationChannel:NotificationChannel"
ACCOUNT = "012345-6789AB-CDEF01"


def made(budget: dict[str, Any], account: str | None = ACCOUNT) -> ResourceSet:
    return built(training({"budget": budget, "billing_account": account}))


@pytest.fixture(scope="module")
def with_emails() -> ResourceSet:
    return made({"monthly_usd": 9000.4, "alert_emails": ["a@example.com", "b@example.com"]})


def test_the_budget_counts_what_carries_the_clusters_label(with_emails: ResourceSet) -> None:
    budget = only(with_emails, BUDGET).inputs
    assert budget["billingAccount"] == ACCOUNT
    assert budget["budgetFilter"]["labels"] == {"gpukit-cluster": "lab"}
    assert budget["amount"] == {"specifiedAmount": {"currencyCode": "USD", "units": "9000"}}


def test_it_tells_of_money_spent_and_of_money_to_come(with_emails: ResourceSet) -> None:
    rules = only(with_emails, BUDGET).inputs["thresholdRules"]
    assert {(rule["thresholdPercent"], rule["spendBasis"]) for rule in rules} == {
        (0.5, "CURRENT_SPEND"),
        (0.8, "CURRENT_SPEND"),
        (1, "CURRENT_SPEND"),
        (1, "FORECASTED_SPEND"),
    }


def test_each_address_is_a_channel_of_it(with_emails: ResourceSet) -> None:
    channels = with_emails.of_type(CHANNEL)
    assert {c.inputs["labels"]["email_address"] for c in channels} == {"a@example.com", "b@example.com"}
    assert len(only(with_emails, BUDGET).property_dependencies["allUpdatesRule"]) == len(channels)


def test_without_addresses_those_who_administer_the_account_hear_of_it() -> None:
    assert "allUpdatesRule" not in only(made({"monthly_usd": 9000}), BUDGET).inputs


def test_without_the_account_that_pays_there_is_no_budget() -> None:
    assert made({"monthly_usd": 9000}, None).of_type(BUDGET) == ()


def test_more_addresses_than_google_takes_are_refused() -> None:
    emails = tuple(f"{at}@example.com" for at in range(6))
    with pytest.raises(ValueError, match="give at most 5"):
        BudgetArgs(billing_account=ACCOUNT, monthly_usd=1, emails=emails, identity=Identity(cloud="gcp", stack="s", cluster="c"))
