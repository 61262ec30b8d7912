"""A check for people: what each stack costs, and why one was not judged."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from components.costing import Cost, Line
from components.unknown import Unknown
from policies.finding import Finding, Level, Status
from scripts.check.model import Report
from scripts.check.report import cost_line, print_report
from scripts.plan.model import StackPlan


def line(surge: int | Unknown = 3) -> Line:
    return Line(
        urn="u",
        name="n",
        what="w",
        now=1,
        maximum=2,
        surge=surge,
        usd_per_hour=10,
        list_usd_per_hour=10,
        source="s",
        as_of=None,
        stale=True,
    )


def text(*checked: StackPlan) -> str:
    out = io.StringIO()
    print_report(Report(checked=checked), Console(file=out, width=100))
    return out.getvalue()


def test_the_cost_is_one_line_with_surge_maximum_and_now() -> None:
    assert cost_line(Cost(lines=(line(),))) == "at maximum: 30.00 USD per hour with surge, 14,600 USD per month; now: 10.00 USD per hour"


def test_a_sum_with_a_gap_is_a_floor() -> None:
    assert cost_line(Cost(lines=(line(Unknown("surge")),))).startswith("at maximum: at least ")


def test_what_nobody_looked_at_is_counted_in_the_answer() -> None:
    open_ = Finding(rule="GPU-QUOTA-01", status=Status.UNCHECKED, level=Level.ADVISORY, urn="", path="", message="m")
    said = text(StackPlan(name="dev", project="p", source="state", findings=(open_,), cost=Cost()))
    assert "nothing must be repaired, 1 thing unchecked." in said


@pytest.mark.parametrize("error", ["the file is broken"])
def test_a_stack_that_was_not_judged_says_where_its_error_is(error: str) -> None:
    said = text(StackPlan(name="dev", project="p", source="state", error=error))
    assert "not judged: its error is below" in said
    assert "1 could not be judged" in said
