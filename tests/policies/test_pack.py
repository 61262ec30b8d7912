"""The pack says what `evaluate` says, in the same words, over the analyzer protocol with Python alone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
import yaml

from components.demand import QuotaSnapshot
from components.resource import Secret
from policies import Finding, Limits, Settings, adapter, evaluate, identity
from policies.limits_schema import limits_schema
from policies.pack import policies, text
from policies.pack_settings import POLICY_NAMES, pack_config, settings_of
from policies.rules import RULES
from tests.policies import pack_runner
from tests.policies.raw import NOW, Raw, training

SNAPSHOT: dict[str, Any] = {
    "schema": "gpukit/quota/1",
    "taken": "2026-11-29",
    "quotas": [
        {"cloud": "aws", "region": "us-east-1", "code": "L-7212CCBC", "limit": 96, "usage": 0},
        {"cloud": "aws", "region": "us-east-1", "code": "L-1216C47A", "limit": 64, "usage": 8},
    ],
}


def expected(program: Raw, settings: Settings) -> list[tuple[str, str, str]]:
    found = evaluate(program.built(), settings)
    return sorted(("mandatory" if f.fails else "advisory", f.urn, text(f)) for f in found)


def from_pack(program: Raw, config: dict[str, dict[str, Any]] | None = None) -> list[tuple[str, str, str]]:
    return sorted((d.level, d.urn, d.message) for d in pack_runner.judge_here(program.built(), config))


BROKEN = {
    "good": training(),
    "A1": training().set("fabric", None, "egress", 1),
    "A2": training().set("p4d", "p5.48xlarge", "instanceType").set("p4d", 2, "networkInterfaces", 2, "deviceIndex"),
    "A3": training().set("p4d", 1, "networkInterfaces", 2, "networkCardIndex"),
    "A4": training().set("p4d", "p6-b300.48xlarge", "instanceType"),
    "A5": training().set("p4d", None, "networkInterfaces", 3),
    "A7": training().set("p4d", "true", "networkInterfaces", 0, "associatePublicIpAddress"),
    "C1": training().set("operator", {}, "values"),
    "C3": training().set("gpu", "AL2023_x86_64_STANDARD", "amiType"),
    "J8": training().set("gpu", 400, "scalingConfig", "maxSize"),
    "no price": training().set("p4d", "p9.48xlarge", "instanceType"),
    "unknown size": training().hide("gpu", "scalingConfig", "maxSize"),
    "unknown interface": training().hide("p4d", "networkInterfaces", 1, "deviceIndex"),
    "provider": training().plus("pulumi:providers:aws", "west", region="us-west-2"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_both_doors_say_the_same(case: str) -> None:
    program = BROKEN[case]
    if case == "provider":
        for written in program.written.values():
            written.provider = None if written.type.startswith("pulumi:") else "west"
    settings = Settings.for_stack(program.config, limits=Limits.load(), now=NOW)
    assert from_pack(program) == expected(program, settings)


def test_the_pack_in_a_process_of_its_own_says_it_too() -> None:
    program = BROKEN["A1"].hide("gpu", "scalingConfig", "maxSize")
    config = pack_config(quota=SNAPSHOT)
    served = sorted((d.level, d.urn, d.message) for d in pack_runner.run(program.built(), config))
    assert served == from_pack(program, config)
    assert any("GPU-EFA-01" in message for _, _, message in served)


def test_limits_levels_and_snapshot_come_through_policy_config() -> None:
    limits = {"schema": "gpukit/limits/1", "allowed": {"machines": ["g5.2xlarge"]}, "ceilings": {"default": {"hourly_usd": 50}}}
    levels = {"GPU-LIM-01": "advisory"}
    said = from_pack(training(), pack_config(limits=limits, limits_file="theirs.yaml", levels=levels, quota=SNAPSHOT))
    settings = Settings(
        now=NOW,
        limits=Limits.from_json({**limits, "levels": levels}),
        limits_file="theirs.yaml",
        snapshot=QuotaSnapshot.from_json(SNAPSHOT),
    )
    assert said == expected(training(), settings)
    assert {message.split()[0] for level, _, message in said if level == "mandatory"} == {"GPU-COST-01", "GPU-QUOTA-01"}


def test_the_stacks_own_budget_comes_with_its_configuration() -> None:
    program = training()
    program.config["gpukit:cluster"] = json.dumps({"budget": {"hourly_usd": 10}})
    settings = Settings.for_stack(program.config, limits=Limits.load(), now=NOW)
    said = from_pack(program)
    assert said == expected(program, settings)
    assert any("the stack file's budget allows 10.00" in message for _, _, message in said)


def test_settings_that_cannot_be_used_stop_the_run_instead_of_passing() -> None:
    endless = {"rule": "GPU-EFA-01", "reason": "until the new network is there", "expires": "soon"}
    said = from_pack(training(), pack_config(limits={"schema": "gpukit/limits/1", "suppressions": [endless]}))
    assert {level for level, _, _ in said} == {"mandatory"}
    assert all("the pack's settings cannot be used, so nothing was judged: policy config limits" in message for _, _, message in said)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("none", "is not of type 'object'"),
        ({"ceiling": {}}, "'ceiling' was unexpected"),
        ({"ceilings": {"defaults": {}}}, "'defaults' was unexpected"),
        ({"ceilings": {"stacks": {"dev": {"hourly": 5}}}}, "'hourly' was unexpected"),
        ({"ceilings": {"default": {"hourly_usd": -5}}}, "-5"),
        ({"thresholds": {"root_disk_gib": "big"}}, "'big' is not of type 'integer'"),
        ({"suppressions": [{"rule": "GPU-EFA-01"}]}, "'reason' is a required property"),
    ],
)
def test_limits_in_the_configuration_are_checked_by_the_engine_before_anything_runs(limits: Any, said: str) -> None:
    with pytest.raises(jsonschema.ValidationError, match=said):
        pack_runner.judge_here(training().built(), {"gpukit-stack-mandatory": {"limits": limits}})


def test_the_shipped_limits_fit_the_schema_of_the_configuration() -> None:
    jsonschema.validate(Limits.load().model_dump(mode="json", by_alias=True), limits_schema())


SECRETS = {
    "machine": training().set("p4d", Secret("canary-7f3a"), "instanceType"),
    "inside a list": training().set("p4d", Secret("canary-7f3a"), "networkInterfaces", 1, "interfaceType"),
    "values": training().set("operator", Secret({"driver": {"enabled": False}, "apiKey": "canary-7f3a"}), "values"),
    "all cards": training().set("p4d", Secret([{"deviceIndex": "canary-7f3a"}]), "networkInterfaces"),
    "provider": training().plus("pulumi:providers:aws", "west", region=Secret("canary-7f3a")),
    "kubeconfig": training().plus(
        "pulumi:providers:kubernetes", "inside", kubeconfig=Secret('{"users": [{"user": {"token": "canary-7f3a"}}]}')
    ),
}


@pytest.mark.parametrize("case", SECRETS)
def test_a_secret_is_as_good_as_unknown_and_never_printed(case: str) -> None:
    program = SECRETS[case]
    if case == "provider":
        program.written["p4d"].provider = "west"
    settings = Settings.for_stack(program.config, limits=Limits.load(), now=NOW)
    assert from_pack(program) == expected(program, settings)
    assert not [message for _, _, message in from_pack(program) if "canary-7f3a" in message]


def test_the_served_pack_hides_secrets_too() -> None:
    program = SECRETS["machine"]
    said = sorted((d.level, d.urn, d.message) for d in pack_runner.run(program.built()))
    assert said == from_pack(program)
    assert any("instanceType is a secret" in message for _, _, message in said)
    assert "canary-7f3a" not in str(said)


def test_settings_of_the_stack_that_are_secret_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", '{"aws:region": "canary-7f3a", "a:b": "c"}')
    monkeypatch.setenv("PULUMI_CONFIG_SECRET_KEYS", '["aws:region"]')
    assert adapter.stack_config() == {"a:b": "c"}


@pytest.mark.failure("H11")
def test_an_exception_in_the_pack_fails_closed_without_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise RuntimeError("canary-7f3a")

    monkeypatch.setattr("policies.adapter.of_stack", failing)
    said = [message for level, _, message in from_pack(training()) if level == "mandatory"]
    assert said == ["GPU-LIM-00 (unknown): the guardrails could not be evaluated (RuntimeError), so nothing was judged"]


@pytest.mark.failure("H11")
def test_a_pack_without_exceptions_has_no_mandatory_finding_on_a_good_program() -> None:
    assert [message for level, _, message in from_pack(training()) if level == "mandatory"] == []


def test_there_is_one_policy_a_scope_and_level() -> None:
    assert [p.name for p in policies()] == [*POLICY_NAMES.values(), identity.NAME]
    assert len(RULES) > len(policies())


def test_limits_that_are_handed_over_stand_in_for_the_file() -> None:
    strict = settings_of({"limits": {"schema": "gpukit/limits/1", "price_stale_days": 30.0}}, {})
    assert strict.limits.price_stale_days == 30
    assert strict.limits.ceilings == Limits.from_json({"schema": "gpukit/limits/1"}).ceilings
    assert settings_of({}, {}).limits == Limits.load()


@pytest.mark.parametrize(
    "config", [{"limits": {"schema": "?"}}, {"quota": {}}, {"prices": {"schema": "gpukit/prices/1"}}, {"levels": {"GPU-EFA-01": "loud"}}]
)
def test_wrong_config_is_a_value_error_that_says_where(config: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"policy config|quota snapshot|price file"):
        settings_of(config, {})


def test_the_packs_description_names_a_virtual_environment_and_a_version() -> None:
    described = yaml.safe_load((pack_runner.PACK / "PulumiPolicy.yaml").read_text(encoding="utf-8"))
    assert described["runtime"]["options"]["virtualenv"] == "../.venv"
    assert described["version"]


def test_the_text_of_a_finding_starts_with_its_rule() -> None:
    finding: Finding = evaluate(BROKEN["A1"].built(), Settings(now=NOW))[0]
    assert text(finding) == f"GPU-EFA-01 (violated): {finding.message}"
    assert text(replace(finding, rule="GPU-DRV-01")).startswith("GPU-DRV-01")
