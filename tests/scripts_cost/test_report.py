"""`gpukit cost`: shipped stacks and what a person assumes about them."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from policies import Limits
from scripts.cli import app
from scripts.cost.assumed import Assumed, assumed
from scripts.cost.cost_json import report_json
from scripts.cost.report import CostReport, StackCost, report
from scripts.cost.text import print_report
from scripts.errors import BadInput, Exit
from scripts.plan.build import plan_stacks
from scripts.plan.model import Plan
from tests.plan.checkout import ROOT, by_default

SPOT, BLOCK = "aws-training-dev", "aws-training-p5"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_stacks(ROOT, [SPOT, BLOCK], by_default())


def costs(plan: Plan, given: Assumed | None = None) -> CostReport:
    return report(plan, by_default(), given or Assumed())


def stack(found: CostReport, name: str) -> StackCost:
    return next(s for s in found.stacks if s.name == name)


def printed(found: CostReport) -> str:
    out = io.StringIO()
    print_report(found, Console(file=out, width=400, markup=False, highlight=False))
    return out.getvalue()


def test_the_cost_is_that_of_the_plan(plan: Plan) -> None:
    found = costs(plan)
    assert [s.cost.max for s in found.stacks] == [s.cost.max for s in plan.stacks if s.cost is not None]
    assert found.exit is Exit.FINE


def test_the_total_is_the_sum_of_the_stacks(plan: Plan) -> None:
    found = costs(plan)
    assert found.total.surge.hourly_usd == pytest.approx(sum(s.cost.surge.hourly_usd for s in found.stacks))


def test_the_lease_of_the_stack_file_bounds_what_is_spent(plan: Plan) -> None:
    period = stack(costs(plan), SPOT).until_lease
    assert period is not None
    assert period.last_day == date(2027, 3, 1)
    assert period.max_usd == pytest.approx(period.hours * stack(costs(plan), SPOT).cost.max.hourly_usd)


def test_the_window_of_a_capacity_block_is_paid_as_a_whole(plan: Plan) -> None:
    (paid,) = stack(costs(plan), BLOCK).up_front
    assert paid.hours == 168
    assert paid.usd == pytest.approx(paid.usd_per_node_hour * 168 * 4)


def test_a_stated_interruption_rate_gives_the_expected_price_of_work(plan: Plan) -> None:
    (saving,) = stack(costs(plan, assumed(interruptions=["a100=4/90"])), SPOT).spot
    assert saving.price.expected_usd == pytest.approx(saving.price.usd * 1.25)


def test_assumed_traffic_of_the_command_line_goes_first(plan: Plan) -> None:
    none, much = costs(plan, assumed(nat_gb=0)), costs(plan, assumed(nat_gb=50_000))
    assert "50,000 GB a month assumed" in printed(much)
    assert "a month assumed" not in printed(none)
    assert stack(much, SPOT).cost.max.hourly_usd > stack(none, SPOT).cost.max.hourly_usd


@pytest.mark.parametrize("text", ["a100", "a100=2", "a100=2/", "a100=often/5", "a100=0/5", "a100=2/-1", "a100=nan/5", "A 100=2/5"])
def test_an_interruption_of_another_form_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(BadInput, match="give POOL=TIMES_A_DAY/LOST_MINUTES"):
        assumed(interruptions=[text])


@pytest.mark.parametrize("gb", [-1, float("nan"), float("inf")])
def test_traffic_that_is_no_amount_is_refused(gb: float) -> None:
    with pytest.raises(BadInput, match="--nat-gb"):
        assumed(nat_gb=gb)


def test_a_ceiling_of_the_owners_makes_the_answer_no() -> None:
    low = replace(by_default(), limits=Limits.from_json({"schema": "gpukit/limits/1", "ceilings": {"default": {"hourly_usd": 1}}}))
    found = report(plan_stacks(ROOT, [SPOT], low), low, Assumed())
    assert found.exit is Exit.NO
    assert {f.rule for s in found.stacks for f in s.findings} == {"GPU-COST-01"}


def test_every_figure_is_printed_with_day_and_source(plan: Plan) -> None:
    found = costs(plan)
    text = printed(found)
    for line in (line for s in found.stacks for line in s.cost.lines):
        assert line.source in text
        assert ("undated" if line.as_of is None else str(line.as_of)) in text


def test_the_text_says_what_spot_saves_what_idling_costs_and_what_is_paid_up_front(plan: Plan) -> None:
    text = printed(costs(plan, assumed(interruptions=["a100=2/45"])))
    for said in ("with no GPU node:", "until the lease ends (2027-03-01", "against", "on demand", "saves", "paid up front"):
        assert said in text


def test_json_carries_age_and_assumptions_and_no_number_that_json_lacks(plan: Plan) -> None:
    document = report_json(costs(plan, assumed(interruptions=["a100=2/45"], nat_gb=500)))
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    (training, _) = document["stacks"]
    assert document["schema"] == "gpukit/cost/1"
    assert training["assumptions"]["interruptions"] == [{"pool": "a100", "per_day": 2, "lost_minutes": 45}]
    assert training["assumptions"]["nat_gb_per_month"] == 500
    assert all(line["age_days"] == (date(2026, 11, 30) - date.fromisoformat(line["as_of"])).days for line in training["lines"])
    assert sum(pool["max"]["hourly_usd"] for pool in training["pools"]) == pytest.approx(training["max"]["hourly_usd"], abs=1e-3)


def test_a_stack_with_an_error_is_told_and_not_priced(tmp_path: Path) -> None:
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "__main__.py").write_text("raise RuntimeError('no cluster')\n")
    (tmp_path / "stacks" / "Pulumi.broken.yaml").write_text("config: {}\n")
    found = report(plan_stacks(tmp_path, ["broken"], by_default()), by_default(), Assumed())
    assert found.exit is Exit.USAGE
    assert "not priced" in printed(found)
    assert report_json(found)["stacks"][0].keys() == {"name", "cloud", "region", "error"}


def test_the_command_prints_json() -> None:
    result = CliRunner().invoke(app, ["cost", SPOT, "--json", "--interruptions", "a100=2/45"], prog_name="gpukit")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["stacks"][0]["name"] == SPOT
