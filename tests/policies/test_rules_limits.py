"""GPU-LIM rules: what the owners of the limits allow."""

from __future__ import annotations

from dataclasses import replace

from policies import Finding, Level, Limits, Settings, Status, evaluate
from tests.policies.raw import SETTINGS, Raw, said, training


def limited(**fields: object) -> Settings:
    return replace(SETTINGS, limits=Limits.from_json({"schema": "gpukit/limits/1", **fields}))


def findings(program: Raw, rule: str, settings: Settings) -> list[Finding]:
    return said(evaluate(program.built(), settings), rule)


def test_a_machine_that_is_not_allowed_is_refused_where_it_is_written() -> None:
    settings = limited(allowed={"machines": ["m7i.large", "g5.2xlarge"]})
    (finding,) = findings(training(), "GPU-LIM-01", settings)
    assert (finding.urn, finding.path, finding.level) == (training().urn("p4d"), "instanceType", Level.MANDATORY)
    assert finding.message == (
        "p4d: machine p4d.24xlarge is not allowed here; allowed are m7i.large, g5.2xlarge (allowed.machines of policies/limits.yaml). "
        "Take one of them, or have the owner of the limits add it."
    )


def test_allowed_machines_pass() -> None:
    assert findings(training(), "GPU-LIM-01", limited(allowed={"machines": ["m7i.large", "p4d.24xlarge"]})) == []


def test_a_machine_that_the_plan_does_not_know_is_unknown_only_where_a_list_exists() -> None:
    program = training().hide("p4d", "instanceType")
    (finding,) = findings(program, "GPU-LIM-01", limited(allowed={"machines": ["p4d.24xlarge", "m7i.large"]}))
    assert (finding.status, finding.path) == (Status.UNKNOWN, "instanceType")
    assert findings(program, "GPU-LIM-01", SETTINGS) == []


def test_a_region_that_is_not_allowed_is_refused_on_everything_that_starts_machines_there() -> None:
    found = findings(training(), "GPU-LIM-01", limited(allowed={"regions": ["us-west-2"]}))
    assert {f.urn.rpartition("::")[2] for f in found} == {"p4d", "system", "eks"}
    assert all("region us-east-1 is not allowed here; allowed are us-west-2" in f.message for f in found)


def test_a_resource_in_a_region_of_its_own_is_judged_by_that_region() -> None:
    program = training().set("eks", "eu-west-1", "region")
    found = findings(program, "GPU-LIM-01", limited(allowed={"regions": ["us-east-1"]}))
    assert [f.urn for f in found] == [program.urn("eks")]


def test_an_unknown_region_is_unknown() -> None:
    program = training()
    program.config.clear()
    assert {f.status for f in findings(program, "GPU-LIM-01", limited(allowed={"regions": ["us-east-1"]}))} == {Status.UNKNOWN}


EXPIRED = {"rule": "GPU-DRV-01", "reason": "driver comes from our own image", "expires": "2026-11-29"}


def test_an_expired_suppression_counts_no_more_and_says_so() -> None:
    broken = training().set("gpu", "AL2023_x86_64_STANDARD", "amiType")
    settings = limited(suppressions=[EXPIRED])
    assert [f.fails for f in findings(broken, "GPU-DRV-01", settings)] == [True]
    (finding,) = findings(broken, "GPU-LIM-02", settings)
    assert (finding.level, finding.path) == (Level.ADVISORY, "suppressions[0]")
    assert finding.message == (
        "policies/limits.yaml: the suppression of GPU-DRV-01 expired on 2026-11-29 and counts no more (driver comes from our own image). "
        "Fix what it covered and remove it, or have the owner set a new day."
    )


def test_a_suppression_on_its_last_day_still_counts() -> None:
    settings = limited(suppressions=[{**EXPIRED, "expires": "2026-11-30"}])
    assert findings(training(), "GPU-LIM-02", settings) == []


def test_a_suppression_of_another_stack_does_not_concern_this_one() -> None:
    assert findings(training(), "GPU-LIM-02", limited(suppressions=[{**EXPIRED, "stack": "prod"}])) == []


def test_a_misspelt_rule_id_in_the_limits_is_told() -> None:
    entry = {**EXPIRED, "rule": "GPU-DRV-77", "expires": "2027-01-01"}
    found = findings(training(), "GPU-LIM-03", limited(levels={"GPU-EFA-99": "advisory", "GPU-EFA-01": "mandatory"}, suppressions=[entry]))
    assert [(f.path, f.level) for f in found] == [("levels.GPU-EFA-99", Level.ADVISORY), ("suppressions[0]", Level.ADVISORY)]
    assert found[0].message == (
        "policies/limits.yaml: levels.GPU-EFA-99 names GPU-EFA-99, and there is no such rule, so it does nothing. Take an id from the table "
        "in policies/README.md, or remove the entry."
    )


def test_a_suppression_without_an_end_does_not_count_and_is_told() -> None:
    settings = limited(suppressions=[{**EXPIRED, "expires": "9999-12-31"}])
    (finding,) = findings(training(), "GPU-LIM-02", settings)
    assert (finding.level, finding.path) == (Level.ADVISORY, "suppressions[0]")
    assert "reaches more than 366 days ahead, so it does not count" in finding.message
