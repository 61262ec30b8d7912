from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from components.azure.assembly import refusals
from components.azure.budget import BudgetArgs
from components.azure.budget_outline import first_of_month

from .specs import REGION, built, one, training

ALERTS: dict[str, Any] = {"budget": {"monthly_usd": 75000, "alert_emails": ["ml-platform@example.com"]}}
BUDGET = "consumption:Budget"


def test_the_budget_counts_the_clusters_groups_and_the_one_that_aks_makes_for_its_nodes() -> None:
    made = built(training({**ALERTS, "storage": {"buckets": [{"name": "sets"}]}}))
    budget = one(made, BUDGET)
    counted = budget.inputs["filter"]["dimensions"]
    assert (counted["name"], counted["operator"], len(counted["values"])) == ("ResourceGroupName", "In", 3)
    groups = {r.urn for r in made.of_type("azure-native:resources:ResourceGroup")}
    assert set(budget.property_dependencies["filter"]) == groups
    assert budget.inputs["amount"] == 75000


def test_it_tells_at_half_at_four_fifths_at_the_whole_and_when_the_whole_is_foreseen() -> None:
    told = one(built(training(ALERTS)), BUDGET).inputs["notifications"]
    assert sorted((n["thresholdType"], n["threshold"]) for n in told.values()) == [
        ("Actual", 50),
        ("Actual", 80),
        ("Actual", 100),
        ("Forecasted", 100),
    ]
    assert len(told) <= 5, "Azure takes five alerts"


def test_it_starts_with_the_month_of_the_first_up_and_stays_there() -> None:
    budget = one(built(training(ALERTS)), BUDGET)
    assert budget.inputs["timePeriod"]["startDate"].endswith("-01T00:00:00Z")
    assert budget.options.ignore_changes == ("timePeriod",)
    assert first_of_month(datetime(2026, 11, 30, tzinfo=UTC)) == "2026-11-01T00:00:00Z"


def test_without_addresses_there_is_no_alarm() -> None:
    assert built(training({"budget": {"monthly_usd": 75000}})).of_type(f"azure-native:{BUDGET}") == ()


def test_alerts_without_a_sum_or_with_more_addresses_than_azure_takes_are_refused() -> None:
    [refusal] = refusals(training({"budget": {"alert_emails": ["ml-platform@example.com"]}}), REGION)
    assert (refusal.path, "monthly_usd" in refusal.message) == ("budget.alert_emails", True)
    many = [f"a{n}@example.com" for n in range(51)]
    [refusal] = refusals(training({"budget": {"monthly_usd": 1, "alert_emails": many}}), REGION)
    assert refusal.path == "budget.alert_emails"


@pytest.mark.parametrize(("changes", "said"), [({"emails": ()}, "alert_emails"), ({"resource_groups": ()}, "whole subscription")])
def test_the_component_alone_refuses_them_too(changes: dict[str, Any], said: str) -> None:
    sound: dict[str, Any] = {"monthly_usd": 1, "emails": ("a@example.com",), "subscription": "s", "resource_groups": ["g"]}
    assert BudgetArgs(**sound)
    with pytest.raises(ValueError, match=said):
        BudgetArgs(**{**sound, **changes})
