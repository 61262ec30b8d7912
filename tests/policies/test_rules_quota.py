"""GPU-QUOTA-01: demand at maximum with surge against a recorded snapshot."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from components.demand import QuotaSnapshot
from policies import Finding, Level, Limits, Settings, Status, evaluate
from tests.policies.raw import SETTINGS, Raw, interface, said, training

SPOT_P, STANDARD = "L-7212CCBC", "L-1216C47A"


def snapshot(**rows: dict[str, Any]) -> Settings:
    """A snapshot with room for the good program; `rows` changes single quotas, by code with an underscore."""
    quotas: dict[str, dict[str, Any]] = {SPOT_P: {"limit": 384, "usage": 0}, STANDARD: {"limit": 64, "usage": 8}}
    for code, row in rows.items():
        quotas[code.replace("_", "-")] = row
    listed = [{"cloud": "aws", "region": "us-east-1", "code": code, **row} for code, row in quotas.items() if row]
    return replace(SETTINGS, snapshot=QuotaSnapshot.from_json({"schema": "gpukit/quota/1", "taken": "2026-11-29", "quotas": listed}))


def quota(program: Raw, settings: Settings) -> list[Finding]:
    return said(evaluate(program.built(), settings), "GPU-QUOTA-01")


@pytest.mark.failure("J1")
def test_a_limit_below_the_vcpus_of_the_maximum_is_refused_with_what_to_request() -> None:
    (finding,) = quota(training(), snapshot(L_7212CCBC={"limit": 383, "usage": 0}))
    assert (finding.status, finding.level, finding.path) == (Status.VIOLATED, Level.MANDATORY, SPOT_P)
    assert finding.message == (
        "quota L-7212CCBC (All P4, P3 and P2 Spot Instance Requests) in us-east-1: needs 384 vCPU for gpu at maximum with surge, the limit "
        "is 383, usage 0, 0 of it by this stack (snapshot of 2026-11-29). Nodes beyond it stay away, and their pods stay Pending without a "
        "message in the cluster. Lower the maximum or request 384 vCPU: `aws service-quotas request-service-quota-increase --service-code "
        "ec2 --quota-code L-7212CCBC --desired-value 384 --region us-east-1`."
    )


@pytest.mark.failure("J1")
def test_a_limit_of_just_the_demand_passes() -> None:
    assert quota(training(), snapshot()) == []


def test_the_usage_of_others_is_in_the_way() -> None:
    (finding,) = quota(training(), snapshot(L_7212CCBC={"limit": 400, "usage": 96}))
    assert "--desired-value 480 " in finding.message


def test_the_stacks_own_usage_is_not() -> None:
    assert quota(training(), snapshot(L_7212CCBC={"limit": 400, "usage": 96, "stacks": {"dev": 96}})) == []


def test_the_nodes_that_an_update_adds_need_quota_too() -> None:
    surging = training().set("gpu", None, "updateConfig")
    (finding,) = quota(surging, snapshot())
    assert "needs 576 vCPU for gpu" in finding.message


def test_on_demand_and_spot_are_quotas_of_their_own() -> None:
    program = training().set("gpu", "ON_DEMAND", "capacityType")
    (finding,) = quota(program, snapshot())
    assert (finding.status, finding.path) == (Status.UNKNOWN, "L-417A185B")


def test_without_a_snapshot_nothing_is_checked_and_it_says_so() -> None:
    (finding,) = quota(training(), SETTINGS)
    assert (finding.status, finding.level, finding.fails) == (Status.UNCHECKED, Level.ADVISORY, False)
    assert "L-1216C47A 12 vCPU (us-east-1), L-7212CCBC 384 vCPU (us-east-1)" in finding.message


def test_an_unknown_demand_is_not_shown_as_zero() -> None:
    (finding,) = quota(training().hide("gpu", "scalingConfig", "maxSize"), SETTINGS)
    assert "L-7212CCBC unknown vCPU" in finding.message


def test_a_quota_missing_from_a_snapshot_is_unknown() -> None:
    (finding,) = quota(training(), snapshot(L_7212CCBC={}))
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.MANDATORY)
    assert finding.message == (
        "quota L-7212CCBC (All P4, P3 and P2 Spot Instance Requests) in us-east-1: not in the snapshot of 2026-11-29, so it is not known "
        "whether 384 vCPU for gpu fits. Record a new snapshot."
    )


def test_a_snapshot_without_usage_can_refuse_but_not_pass() -> None:
    (enough,) = quota(training(), snapshot(L_7212CCBC={"limit": 1000}))
    assert enough.status is Status.UNKNOWN
    (short,) = quota(training(), snapshot(L_7212CCBC={"limit": 100}))
    assert short.status is Status.VIOLATED


@pytest.mark.parametrize("path", [("scalingConfig", "maxSize"), ("capacityType",), ("updateConfig", "updateStrategy")])
def test_an_unknown_demand_is_unknown(path: tuple[str, ...]) -> None:
    findings = quota(training().hide("gpu", *path), snapshot())
    assert [(f.status, f.level, f.path) for f in findings] == [(Status.UNKNOWN, Level.MANDATORY, ".".join(path))]
    assert findings[0].message.startswith("gpu: ")


def test_a_machine_in_no_catalogue_has_an_unknown_demand() -> None:
    (finding,) = quota(training().set("system", ["x9.enormous"], "instanceTypes"), snapshot())
    assert finding.message.startswith("system: instanceTypes is 'x9.enormous', which is in no catalogue")


def test_a_quota_of_which_sources_disagree_is_unknown_when_short() -> None:
    p6 = training().set("p4d", "p6-b200.48xlarge", "instanceType")
    p6 = p6.set("p4d", [interface(card, 0 if card == 0 else 1, "efa") for card in range(8)], "networkInterfaces")
    short = snapshot(L_C4BD4855={"limit": 100, "usage": 0})
    assert {f.status for f in quota(p6, short)} <= {Status.UNKNOWN}
    assert quota(p6, short)


def test_a_capacity_block_draws_on_no_quota() -> None:
    assert quota(training().set("gpu", "CAPACITY_BLOCK", "capacityType"), snapshot(L_7212CCBC={})) == []


def of_day(taken: str) -> Settings:
    settings = snapshot()
    assert settings.snapshot is not None
    return replace(settings, snapshot=replace(settings.snapshot, taken=date.fromisoformat(taken)))


@pytest.mark.parametrize(
    ("taken", "why"), [("2020-01-01", "2525 days old, more than 90"), ("2031-01-01", "taken on a day that is still to come")]
)
def test_a_snapshot_of_another_time_is_no_pass(taken: str, why: str) -> None:
    (finding,) = quota(training(), of_day(taken))
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)
    assert finding.message.startswith(f"quota: the snapshot of {taken} is {why}, so it is not known whether L-1216C47A 12 vCPU")


def test_a_snapshot_of_another_time_matters_only_where_something_is_wanted() -> None:
    assert quota(Raw(), of_day("2020-01-01")) == []


@pytest.mark.parametrize(("taken", "aged"), [("2026-12-01", 0), ("2026-11-23", 0), ("2026-11-22", 1), ("2026-09-01", 1)])
def test_an_older_snapshot_holds_and_its_age_is_said(taken: str, aged: int) -> None:
    assert [(f.status, f.fails) for f in quota(training(), of_day(taken))] == [(Status.UNCHECKED, False)] * aged


def test_the_owners_say_when_a_snapshot_is_old() -> None:
    settings = of_day("2026-11-22")
    assert quota(training(), replace(settings, limits=Limits.from_json({"schema": "gpukit/limits/1", "quota_stale_days": 8}))) == []


def test_without_a_region_a_demand_is_not_silent() -> None:
    program = training()
    program.config.clear()
    for written in program.written.values():
        written.inputs.pop("region", None)
    (finding,) = quota(program, SETTINGS)
    assert finding.status is Status.UNCHECKED
    assert "gpu (unknown: aws:region is given by no resource, provider or setting of the program)" in finding.message


def test_the_example_of_the_readme_is_a_snapshot_with_room_for_the_good_program() -> None:
    example = QuotaSnapshot.load(Path(__file__).parents[2] / "policies" / "examples" / "quota.json")
    assert quota(training(), replace(SETTINGS, snapshot=example)) == []


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ([], r'a JSON object with "schema": "gpukit/quota/1" is expected, this is a list'),
        (None, "this is empty"),
        ({}, "schema is missing, give 'gpukit/quota/1'"),
        ({"schema": "gpukit/quota/1", "quota": []}, "has 'quota', which is none of .*: did you mean 'quotas'"),
        ({"schema": "gpukit/quota/1", "quotas": []}, "taken is missing, give the day"),
        ({"schema": "gpukit/quota/1", "quotas": [5]}, r"quotas\[0\] is a single value, give an object with cloud"),
        (
            {"schema": "gpukit/quota/1", "quotas": [{"cloud": "aws", "region": "us-east-1", "code": "L-1", "limt": 5}]},
            r"quotas\[0\] has 'limt', which is none of .*: did you mean 'limit'",
        ),
        (
            {"schema": "gpukit/quota/1", "quotas": [{"cloud": "aws", "region": "us-east-1", "code": "L-1"}]},
            r"quotas\[0\]\.limit is missing, give a number",
        ),
    ],
)
def test_what_is_wrong_in_a_snapshot_is_said_in_its_own_words(document: object, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        QuotaSnapshot.from_json(document)
