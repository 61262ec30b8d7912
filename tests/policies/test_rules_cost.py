"""GPU-COST rules: budgets at maximum size, machines without a price, costs without a bound."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from components import costing
from components.pricing import PriceOverlay
from components.unknown import Unknown
from policies import Finding, Level, Limits, Settings, Status, evaluate
from policies.readers import inventory, types
from tests.policies.raw import NOW, SETTINGS, Raw, said, training


def cost_findings(program: Raw, rule: str, settings: Settings = SETTINGS) -> list[Finding]:
    return said(evaluate(program.built(), settings), rule)


def with_budget(**budget: float) -> Settings:
    config = {"gpukit:cluster": json.dumps({"budget": budget})}
    return Settings.for_stack(config, limits=Limits(), now=NOW)


def amounts(program: Raw) -> costing.Cost:
    return costing.cost(inventory(program.built()), now=NOW)


# --- GPU-COST-01


@pytest.mark.failure("J8")
def test_an_hourly_budget_below_maximum_with_surge_is_refused_with_price_source_and_date() -> None:
    rate = {"cloud": "aws", "region": "us-east-1", "machine": "p4d.24xlarge", "market": "spot", "usd_per_hour": 10}
    prices = PriceOverlay.from_json({"schema": "gpukit/prices/1", "source": "contract 7", "as_of": "2026-11-01", "machines": [rate]})
    whole = costing.cost(inventory(training().built()), now=NOW, overlay=prices).surge.hourly_usd
    (finding,) = cost_findings(training(), "GPU-COST-01", replace(with_budget(hourly_usd=whole - 0.01), prices=prices))
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.MANDATORY)
    assert finding.message == (
        f"budget: {whole:,.2f} USD per hour at maximum with an update's extra nodes, the stack file's budget allows {whole - 0.01:,.2f}. "
        "Heaviest: gpu, p4d.24xlarge, spot, negotiated, up to 4 at 10 USD/h each, contract 7, of 2026-11-01. "
        "Lower a pool's maximum, take a cheaper machine or market, or have the owner raise the limit."
    )


@pytest.mark.failure("J8")
def test_a_budget_of_just_that_amount_passes_although_the_desired_size_is_far_below() -> None:
    total = amounts(training())
    assert total.now.hourly_usd < total.surge.hourly_usd / 10
    assert cost_findings(training(), "GPU-COST-01", with_budget(hourly_usd=total.surge.hourly_usd)) == []


@pytest.mark.failure("J8")
def test_a_monthly_budget_is_compared_with_the_maximum_without_surge() -> None:
    at_maximum = amounts(training()).max.monthly_usd
    assert cost_findings(training(), "GPU-COST-01", with_budget(monthly_usd=at_maximum)) == []
    (finding,) = cost_findings(training(), "GPU-COST-01", with_budget(monthly_usd=at_maximum - 1))
    assert f"{at_maximum:,.2f} USD per month at maximum (730 hours)" in finding.message


def test_a_month_counts_the_maximum_and_an_hour_an_updates_nodes_too_in_one_order() -> None:
    surging = training().set("gpu", None, "updateConfig")
    total = amounts(surging)
    assert total.surge.hourly_usd > total.max.hourly_usd
    hour, month = cost_findings(surging, "GPU-COST-01", with_budget(hourly_usd=1, monthly_usd=1))
    assert (hour.path, month.path) == ("budget.hourly_usd", "budget.monthly_usd")
    assert ", up to 6 at " in hour.message
    assert ", up to 4 at " in month.message


def test_the_owners_ceiling_names_the_file_that_it_stands_in() -> None:
    limits = Limits.from_json({"schema": "gpukit/limits/1", "ceilings": {"default": {"hourly_usd": 50}}})
    (finding,) = cost_findings(training(), "GPU-COST-01", replace(SETTINGS, limits=limits, limits_file="base/limits.yaml"))
    assert "base/limits.yaml allows 50.00" in finding.message


def test_the_owners_ceiling_holds_for_a_stack_without_a_budget() -> None:
    limits = Limits.from_json({"schema": "gpukit/limits/1", "ceilings": {"default": {"hourly_usd": 50}}})
    (finding,) = cost_findings(training(), "GPU-COST-01", replace(SETTINGS, limits=limits))
    assert "policies/limits.yaml allows 50.00" in finding.message


def test_a_generous_stack_file_does_not_lift_the_owners_ceiling() -> None:
    limits = Limits.from_json({"schema": "gpukit/limits/1", "ceilings": {"stacks": {"dev": {"hourly_usd": 50}}}})
    settings = replace(with_budget(hourly_usd=10_000), limits=limits)
    assert ["policies/limits.yaml" in f.message for f in cost_findings(training(), "GPU-COST-01", settings)] == [True]


def test_a_commitment_of_the_stack_file_does_not_lift_the_owners_ceiling() -> None:
    program = training().set("gpu", None, "capacityType")
    limits = Limits.from_json({"schema": "gpukit/limits/1", "ceilings": {"default": {"hourly_usd": 50}}})
    commitments = {
        "pricing": {"commitments": [{"kind": "savings_plan", "pool": "gpu", "discount_percent": 90}]},
        "budget": {"hourly_usd": 50},
    }
    settings = Settings.for_stack({"gpukit:cluster": json.dumps(commitments)}, limits=limits, now=NOW)
    (finding,) = cost_findings(program, "GPU-COST-01", settings)
    assert "policies/limits.yaml allows 50.00" in finding.message


@pytest.mark.parametrize("config", ["{", "[]", '{"budget": 5}', '{"budget": {"hourly_usd": "5"}}', '{"budget": {"monthly_usd": -1}}'])
def test_a_budget_that_cannot_be_read_is_unknown(config: str) -> None:
    settings = Settings.for_stack({"gpukit:cluster": config}, limits=Limits(), now=NOW)
    (finding,) = cost_findings(training(), "GPU-COST-01", settings)
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.MANDATORY)
    assert finding.message.startswith("budget: gpukit:cluster")


def test_a_cost_without_a_bound_is_not_below_any_budget() -> None:
    (finding,) = cost_findings(training().hide("gpu", "scalingConfig", "maxSize"), "GPU-COST-01", with_budget(hourly_usd=1e9))
    assert finding.status is Status.UNKNOWN
    assert finding.message == (
        "budget: the cost has no upper bound, so it cannot be compared with 1,000,000,000.00 USD per hour (the stack file's budget). "
        "See GPU-COST-02 and GPU-COST-03 for what is missing."
    )


def test_a_floor_above_the_budget_is_a_violation_though_more_is_unknown() -> None:
    program = training().hide("system", "scalingConfig", "maxSize")
    (finding,) = cost_findings(program, "GPU-COST-01", with_budget(hourly_usd=50))
    assert finding.status is Status.VIOLATED
    assert finding.message.startswith("budget: at least ")


# --- GPU-COST-02


def test_a_gpu_machine_without_a_price_fails_the_gate() -> None:
    program = training()
    program.config["aws:region"] = "xx-nowhere-1"
    (finding,) = cost_findings(program, "GPU-COST-02")
    assert (finding.status, finding.level, finding.fails) == (Status.UNPRICED, Level.MANDATORY, True)
    assert (finding.urn, finding.path) == (program.urn("gpu"), "launchTemplate(p4d).instanceType")
    assert finding.message == (
        "gpu: no price is known for p4d.24xlarge (spot) in xx-nowhere-1, so its cost would be counted as nothing. Check the machine's name "
        "and region, or give the rate in a price file (--prices)."
    )


def test_a_negotiated_rate_gives_it_a_price() -> None:
    program = training()
    program.config["aws:region"] = "xx-nowhere-1"
    rate = {"cloud": "aws", "region": "xx-nowhere-1", "machine": "p4d.24xlarge", "market": "on_demand", "usd_per_hour": 20}
    overlay = PriceOverlay.from_json({"schema": "gpukit/prices/1", "source": "contract 7", "as_of": "2026-11-01", "machines": [rate]})
    assert cost_findings(program, "GPU-COST-02", replace(SETTINGS, prices=overlay)) == []


def test_a_machine_in_no_catalogue_may_be_a_gpu_machine_and_has_no_price() -> None:
    (finding,) = cost_findings(training().set("system", ["x9.enormous"], "instanceTypes"), "GPU-COST-02")
    assert finding.message.startswith("system: no price is known for x9.enormous (on_demand) in us-east-1")


def test_a_cpu_pool_without_a_price_is_a_minor_line() -> None:
    program = training()
    program.config["aws:region"] = "xx-nowhere-1"
    assert [f.urn for f in cost_findings(program, "GPU-COST-02")] == [program.urn("gpu")]
    assert amounts(program).max.partial


# --- GPU-COST-03


@pytest.mark.parametrize(
    ("name", "path", "told"),
    [
        ("gpu", ("scalingConfig",), "scalingConfig"),
        ("gpu", ("scalingConfig", "maxSize"), "scalingConfig.maxSize"),
        ("gpu", ("launchTemplate",), "launchTemplate.instanceType"),
        ("gpu", ("capacityType",), "capacityType"),
        ("gpu", ("updateConfig", "updateStrategy"), "updateConfig.updateStrategy"),
        ("p4d", ("instanceType",), "instanceType"),
        ("system", ("instanceTypes",), "instanceTypes"),
        ("system", ("instanceTypes", 0), "instanceTypes[0]"),
        ("system", ("subnetIds",), "subnetIds"),
        ("system", ("updateConfig", "maxUnavailable"), "updateConfig.maxUnavailable"),
    ],
)
@pytest.mark.failure("H10")
def test_what_a_plan_does_not_know_has_no_upper_bound(name: str, path: tuple[str | int, ...], told: str) -> None:
    program = training()
    program.written["gpu"].depends.pop("launchTemplate", None)
    if path == ("launchTemplate",):
        program.written["gpu"].inputs["launchTemplate"] = Unknown("launchTemplate")
        findings = cost_findings(program, "GPU-COST-03")
    elif path == ("subnetIds",):
        program.written["system"].inputs["subnetIds"] = Unknown("subnetIds")
        findings = cost_findings(program, "GPU-COST-03")
    else:
        findings = cost_findings(program.hide(name, *path), "GPU-COST-03")
    assert findings
    assert all((f.status, f.level) == (Status.UNKNOWN, Level.MANDATORY) for f in findings)
    assert any(told in f.message for f in findings)


@pytest.mark.failure("H10")
def test_plain_values_have_an_upper_bound() -> None:
    assert cost_findings(training(), "GPU-COST-03") == []


def test_a_region_given_nowhere_is_unknown() -> None:
    program = training()
    program.config.clear()
    assert {f.message for f in cost_findings(program, "GPU-COST-03")} == {
        f"{name}: aws:region is given by no resource, provider or setting of the program, so its cost has no upper bound. "
        "Give it as a plain value."
        for name in ("gpu", "system")
    }


def test_machines_that_nothing_reads_are_counted_by_hand() -> None:
    program = training().plus("aws:batch/computeEnvironment:ComputeEnvironment", "burst")
    (finding,) = cost_findings(program, "GPU-COST-03")
    assert finding.message == (
        "burst: aws:batch/computeEnvironment:ComputeEnvironment is a Batch compute environment, for which there is no reader yet, so its cost "
        "has no upper bound. Count it by hand and have the owner of the limits suppress this with the reason."
    )


def test_auto_mode_starts_machines_without_a_bound() -> None:
    (finding,) = cost_findings(training().set("eks", {"enabled": True}, "computeConfig"), "GPU-COST-03")
    assert "in Auto Mode, which starts machines without an upper bound" in finding.message


def test_a_pool_counts_its_dearest_machine() -> None:
    program = training().set("system", ["m7i.large", "p4d.24xlarge"], "instanceTypes")
    assert amounts(program).max.hourly_usd > 2 * amounts(training()).max.hourly_usd * 0.9
    assert types.NODE_GROUP in program.urn("system")
