"""Stacks that share an account are judged by what all of them need."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from components.demand import QuotaSnapshot
from components.unknown import Unknown
from policies.finding import Status
from scripts.plan.build import plan_stacks
from scripts.plan.judgement import Yardsticks
from scripts.plan.model import StackPlan

from .checkout import ROOT, by_default, copy_of_stacks, edit

STANDARD, G, P_SPOT = "L-1216C47A", "L-DB2E81BA", "L-7212CCBC"
BOTH = ["aws-training-dev", "aws-inference-dev"]


def snapshot(standard: float, *, usage: float = 0, stacks: dict[str, float] | None = None, account: str | None = None) -> Yardsticks:
    """Plenty of everything but standard vCPUs, of which each stack needs 16."""
    rows: list[dict[str, Any]] = [
        {"cloud": "aws", "region": "us-east-1", "code": STANDARD, "limit": standard, "usage": usage, "stacks": stacks or {}},
        *({"cloud": "aws", "region": "us-east-1", "code": code, "limit": 10_000, "usage": 0} for code in (G, P_SPOT)),
    ]
    given = QuotaSnapshot.from_json({"schema": "gpukit/quota/1", "taken": "2026-11-30", "account": account, "quotas": rows})
    return replace(by_default(), snapshot=given)


def short(stack: StackPlan) -> list[str]:
    return [f.path for f in stack.findings if f.status is Status.VIOLATED]


@pytest.mark.failure("J1")
def test_what_each_fits_alone_may_be_too_much_for_both() -> None:
    assert [short(s) for s in plan_stacks(ROOT, BOTH, snapshot(20)).stacks] == [[STANDARD], [STANDARD]]
    for name in BOTH:
        assert [short(s) for s in plan_stacks(ROOT, [name], snapshot(20)).stacks] == [[]]


@pytest.mark.failure("J1")
def test_room_for_both_is_fine() -> None:
    plan = plan_stacks(ROOT, BOTH, snapshot(32))
    assert [short(s) for s in plan.stacks] == [[], []]
    assert all(any("judged together" in note for note in s.notes) for s in plan.stacks)


def test_what_the_stacks_themselves_use_stands_in_no_ones_way() -> None:
    own = dict.fromkeys(BOTH, 8.0)
    assert [short(s) for s in plan_stacks(ROOT, BOTH, snapshot(32, usage=16, stacks=own)).stacks] == [[], []]
    assert [short(s) for s in plan_stacks(ROOT, BOTH, snapshot(32, usage=16)).stacks] == [[STANDARD], [STANDARD]]


def test_stacks_of_other_accounts_are_judged_alone(tmp_path: Path) -> None:
    root = copy_of_stacks(tmp_path)
    edit(root, "aws-inference-dev", 'account: "123456789012"', 'account: "210987654321"')
    assert [short(s) for s in plan_stacks(root, BOTH, snapshot(20)).stacks] == [[], []]


def test_a_snapshot_of_another_account_says_nothing() -> None:
    (stack,) = plan_stacks(ROOT, BOTH[:1], snapshot(1, account="210987654321")).stacks
    assert {f.status for f in stack.findings if f.rule.startswith("GPU-QUOTA")} == {Status.UNCHECKED}
    (stack,) = plan_stacks(ROOT, BOTH[:1], snapshot(1, account="123456789012")).stacks
    assert short(stack) == [STANDARD]


def test_a_stack_is_not_judged_by_quotas_that_only_the_others_draw_on() -> None:
    rows = [{"cloud": "aws", "region": "us-east-1", "code": code, "limit": 1000, "usage": 0} for code in (STANDARD, P_SPOT)]
    given = QuotaSnapshot.from_json({"schema": "gpukit/quota/1", "taken": "2026-11-30", "quotas": rows})
    training, inference = plan_stacks(ROOT, BOTH, replace(by_default(), snapshot=given)).stacks
    assert [f.path for f in training.failing] == []
    assert [(f.path, f.status) for f in inference.failing] == [(G, Status.UNKNOWN)]
    missing = next(q for q in inference.quota if q.demand.code == G)
    assert isinstance(missing.limit, Unknown)


def test_limit_and_room_are_shown_with_the_demand() -> None:
    (stack,) = plan_stacks(ROOT, BOTH[:1], snapshot(100, usage=30)).stacks
    line = next(q for q in stack.quota if q.demand.code == STANDARD)
    assert (line.demand.need, line.limit, line.room) == (16, 100, 70)
