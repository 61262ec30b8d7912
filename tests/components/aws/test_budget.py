from __future__ import annotations

from typing import Any

import pytest

from components.aws.assembly import refusals
from components.aws.budget import BudgetArgs
from components.aws.budget_outline import BLIND_SPOT
from components.naming import Identity

from .specs import REGION, built, only, training

BUDGET = "aws:budgets/budget:Budget"
ALERTS: dict[str, Any] = {"budget": {"monthly_usd": 75000, "alert_emails": ["ml-platform@example.com"]}}


def test_the_budget_counts_what_carries_the_cluster_s_tag() -> None:
    inputs = only(built(training(ALERTS)), BUDGET).inputs
    assert (inputs["limitAmount"], inputs["limitUnit"], inputs["timeUnit"], inputs["budgetType"]) == ("75000.00", "USD", "MONTHLY", "COST")
    assert inputs["costFilters"] == [{"name": "TagKeyValue", "values": ["user:gpukit/cluster$lab"]}]


def test_it_tells_at_half_at_four_fifths_at_the_whole_and_when_the_whole_is_foreseen() -> None:
    inputs = only(built(training(ALERTS)), BUDGET).inputs
    told = [(n["notificationType"], n["threshold"]) for n in inputs["notifications"]]
    assert told == [("ACTUAL", 50), ("ACTUAL", 80), ("ACTUAL", 100), ("FORECASTED", 100)]
    assert len(told) <= 5, "AWS takes five alerts"
    assert {tuple(n["subscriberEmailAddresses"]) for n in inputs["notifications"]} == {("ml-platform@example.com",)}


def test_without_addresses_there_is_no_alarm() -> None:
    assert [r.name for r in built(training({"budget": {"monthly_usd": 75000}})).of_type(BUDGET)] == []


def test_alerts_without_a_sum_are_refused() -> None:
    [refusal] = refusals(training({"budget": {"alert_emails": ["ml-platform@example.com"]}}), REGION)
    assert (refusal.path, "monthly_usd" in refusal.message) == ("budget.alert_emails", True)


def test_more_addresses_than_aws_takes_are_refused() -> None:
    many = [f"a{n}@example.com" for n in range(11)]
    [refusal] = refusals(training({"budget": {"monthly_usd": 1, "alert_emails": many}}), REGION)
    assert refusal.path == "budget.alert_emails"


def test_the_component_alone_refuses_them_too() -> None:
    with pytest.raises(ValueError, match="alert_emails"):
        BudgetArgs(monthly_usd=1, emails=(), identity=Identity(cloud="aws", stack="s", cluster="c"))


def test_the_blind_spot_names_the_tag_to_activate() -> None:
    assert "gpukit/cluster" in BLIND_SPOT
