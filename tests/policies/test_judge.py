"""Findings as a whole: levels, suppressions, crashes, order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest

from components.inventory import Inventory
from policies import Level, Limits, Status, evaluate, judge
from policies.finding import Suppressed
from policies.readers import inventory
from policies.rules import RULES, Case, Rule, Scope, Verdict
from tests.policies.raw import SETTINGS, said, training

BROKEN = training().set("gpu", "AL2023_x86_64_STANDARD", "amiType")
EMPTY = Inventory(project="p", stack="s")


def limits(**fields: object) -> Limits:
    return Limits.from_json({"schema": "gpukit/limits/1", **fields})


def crashing(case: Case) -> Iterator[Verdict]:
    raise KeyError("a canary that must stay inside")


CRASH = Rule(id="GPU-TEST-01", title="crashes", failures=("X1",), scope=Scope.STACK, check=crashing, fix="")


@pytest.mark.failure("H11")
def test_a_rule_that_crashes_is_unknown_at_its_own_level() -> None:
    (finding,) = judge(EMPTY, SETTINGS, rules=[CRASH])
    assert (finding.status, finding.level, finding.fails) == (Status.UNKNOWN, Level.MANDATORY, True)
    assert finding.message == "GPU-TEST-01 could not be evaluated (KeyError). This is a mistake in the rule: please report it."


@pytest.mark.failure("H11")
def test_the_other_rules_speak_all_the_same() -> None:
    with_crash = evaluate(BROKEN.built(), SETTINGS, rules=[CRASH, *RULES])
    assert [f for f in with_crash if f.rule != "GPU-TEST-01"] == list(evaluate(BROKEN.built(), SETTINGS))


def test_levels_of_the_limits_replace_a_rules_own() -> None:
    advisory = replace(SETTINGS, limits=limits(levels={"GPU-DRV-01": "advisory"}))
    assert [f.fails for f in said(evaluate(BROKEN.built(), advisory), "GPU-DRV-01")] == [False]
    disabled = replace(SETTINGS, limits=limits(levels={"GPU-DRV-01": "disabled"}))
    assert said(evaluate(BROKEN.built(), disabled), "GPU-DRV-01") == []


def test_advice_stays_advice_when_its_rule_is_mandatory() -> None:
    fewer = training().set("p4d", None, "networkInterfaces", 3)
    strict = replace(SETTINGS, limits=limits(levels={"GPU-EFA-05": "mandatory"}))
    assert [f.level for f in said(evaluate(fewer.built(), strict), "GPU-EFA-05")] == [Level.ADVISORY]


def test_a_suppressed_finding_stays_in_sight_with_its_reason() -> None:
    accepted = {"rule": "GPU-DRV-01", "resource": "gpu", "reason": "driver comes from our own image", "expires": "2027-01-01"}
    (before,) = said(evaluate(BROKEN.built(), SETTINGS), "GPU-DRV-01")
    (after,) = said(evaluate(BROKEN.built(), replace(SETTINGS, limits=limits(suppressions=[accepted]))), "GPU-DRV-01")
    assert after == replace(
        before,
        level=Level.ADVISORY,
        message=f"Suppressed until 2027-01-01 (driver comes from our own image): {before.message}",
        suppressed=Suppressed("driver comes from our own image", date(2027, 1, 1)),
    )
    assert after.as_json()["suppressed"] == {"reason": "driver comes from our own image", "expires": "2027-01-01"}


@pytest.mark.parametrize("other", [{"resource": "system"}, {"stack": "prod"}, {"rule": "GPU-DRV-02"}])
def test_a_suppression_covers_nothing_else(other: dict[str, str]) -> None:
    accepted = {"rule": "GPU-DRV-01", "reason": "driver comes from our own image", "expires": "2027-01-01"} | other
    settings = replace(SETTINGS, limits=limits(suppressions=[accepted]))
    assert [f.fails for f in said(evaluate(BROKEN.built(), settings), "GPU-DRV-01")] == [True]


def test_what_fails_comes_first_and_the_order_is_stable() -> None:
    program = BROKEN.set("p4d", None, "networkInterfaces", 3)
    findings = evaluate(program.built(), SETTINGS)
    assert [f.fails for f in findings] == sorted((f.fails for f in findings), reverse=True)
    assert findings == evaluate(program.built(), SETTINGS)
    assert findings == evaluate(inventory(program.built()), SETTINGS)


def test_cost_and_demand_that_are_given_are_not_worked_out_again() -> None:
    facts = inventory(training().built())
    case = Case(facts, SETTINGS)
    assert judge(facts, SETTINGS, case.cost, case.demand) == evaluate(facts, SETTINGS)
    assert said(judge(facts, SETTINGS, case.cost, ()), "GPU-QUOTA-01") == []


def test_an_empty_program_has_nothing_to_say() -> None:
    assert evaluate(EMPTY, SETTINGS) == ()


def test_rule_ids_are_unique_and_titled() -> None:
    ids = [rule.id for rule in RULES]
    assert len(set(ids)) == len(ids)
    assert all(rule.title and rule.fix and rule.level is not Level.DISABLED for rule in RULES)


def test_what_does_not_apply_is_silent() -> None:
    def silent(_: Case) -> Iterator[Verdict]:
        yield Verdict(status=Status.NOT_APPLICABLE, urn="", path="", message="nothing to see")

    assert judge(EMPTY, SETTINGS, rules=[replace(CRASH, check=silent)]) == ()
