"""limits.yaml and the settings made from it."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import jsonschema
import pytest
import yaml

from policies import Level, Limits, Settings
from policies.limits import DEFAULT_PATH, Ceiling, LimitsError
from policies.rules import RULES
from tests.policies.raw import NOW


def test_the_shipped_limits_are_valid_by_model_and_by_json_schema() -> None:
    limits = Limits.load()
    jsonschema.validate(yaml.safe_load(DEFAULT_PATH.read_text(encoding="utf-8")), Limits.model_json_schema())
    assert set(limits.levels) <= {rule.id for rule in RULES}


def test_a_stack_may_have_a_ceiling_of_its_own() -> None:
    limits = Limits.from_json(
        {"schema": "gpukit/limits/1", "ceilings": {"default": {"hourly_usd": 9}, "stacks": {"big": {"monthly_usd": 5}}}}
    )
    assert limits.ceilings.of("small") == Ceiling(hourly_usd=9)
    assert limits.ceilings.of("big") == Ceiling(monthly_usd=5)


def test_every_error_is_told_at_once_with_its_place_and_value() -> None:
    wrong = {"schema": "gpukit/limits/1", "levels": {"GPU-EFA-01": "loud"}, "price_stale_days": 0, "colour": "red"}
    with pytest.raises(LimitsError) as told:
        Limits.from_json(wrong, source="limits.yaml")
    text = str(told.value)
    assert text.startswith("limits.yaml: ")
    assert all(part in text for part in ("levels.GPU-EFA-01 is loud", "price_stale_days is 0", "colour is unknown"))
    assert "red" not in text


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"ceiling": {}}, "ceiling is unknown, allowed here: schema, allowed, ceilings, .*; did you mean ceilings"),
        ({"ceilings": {"defaults": {}}}, "ceilings.defaults is unknown, allowed here: default, stacks; did you mean default"),
        ({"ceilings": {"stacks": {"big": {"hourly": 5}}}}, "stacks.big.hourly is unknown, .*did you mean hourly_usd"),
        ({"allowed": {"machine": []}}, "allowed.machine is unknown, .*did you mean machines"),
        ({"ceilings": 5}, "ceilings is 5: a mapping from key to value is expected"),
    ],
)
def test_an_unknown_field_is_told_with_the_nearest_that_may_stand_there(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(LimitsError, match=told):
        Limits.from_json({"schema": "gpukit/limits/1", **wrong})


@pytest.mark.parametrize("text", ["a: [", "\xff", "- 1", ""])
def test_a_corrupt_file_is_told_by_name(text: str, tmp_path: Path) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(LimitsError, match=r"limits\.yaml"):
        Limits.load(file)


def test_a_suppression_needs_a_reason_and_a_day() -> None:
    with pytest.raises(LimitsError, match="reason"):
        Limits.from_json({"schema": "gpukit/limits/1", "suppressions": [{"rule": "GPU-EFA-05", "reason": "", "expires": "2027-01-01"}]})
    with pytest.raises(LimitsError, match="expires"):
        Limits.from_json({"schema": "gpukit/limits/1", "suppressions": [{"rule": "GPU-EFA-05", "reason": "for the new storage"}]})


def test_a_suppression_read_from_yaml_keeps_its_day() -> None:
    entry = yaml.safe_load("{rule: GPU-EFA-05, reason: for the new storage, expires: 2027-03-01}")
    (suppression,) = Limits.from_json({"schema": "gpukit/limits/1", "suppressions": [entry]}).suppressions
    assert (suppression.expires, suppression.active(date(2027, 3, 1)), suppression.active(date(2027, 3, 2))) == (
        date(2027, 3, 1),
        True,
        False,
    )


def test_levels_are_the_findings_own() -> None:
    assert Limits.from_json({"schema": "gpukit/limits/1", "levels": {"GPU-EFA-05": "disabled"}}).levels == {"GPU-EFA-05": Level.DISABLED}


def test_both_the_owners_and_the_stacks_own_ceilings_hold() -> None:
    limits = Limits.from_json({"schema": "gpukit/limits/1", "ceilings": {"default": {"hourly_usd": 9}}})
    settings = Settings.for_stack({"gpukit:cluster": json.dumps({"budget": {"hourly_usd": 99, "monthly_usd": 7}})}, limits=limits, now=NOW)
    assert [(cap.period, cap.usd, cap.owner) for cap in settings.caps("dev")] == [
        ("hour", 9, "policies/limits.yaml"),
        ("hour", 99, "the stack file's budget"),
        ("month", 7, "the stack file's budget"),
    ]


def test_a_program_without_the_key_has_no_budget_of_its_own() -> None:
    settings = Settings.for_stack({"aws:region": "us-east-1"}, limits=Limits(), now=NOW)
    assert list(settings.caps("dev")) == []
    assert settings.commitments == ()


def test_a_commitment_that_cannot_be_read_takes_nothing_off() -> None:
    pricing = {"commitments": [{"kind": "savings_plan", "pool": "a100", "discount_percent": 40}, {"pool": "a100"}, 7]}
    settings = Settings.for_stack({"gpukit:cluster": json.dumps({"pricing": pricing})}, limits=Limits(), now=NOW)
    assert [(c.pool, c.discount_percent) for c in settings.commitments] == [("a100", 40)]


def test_a_key_that_stands_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text("schema: gpukit/limits/1\nceilings:\n  default: {hourly_usd: 5}\n  default: {hourly_usd: 900}\n")
    with pytest.raises(LimitsError, match=r"line 4: default stands already on line 3") as caught:
        Limits.load(file)
    assert "\n" not in str(caught.value)


def _suppressed(**fields: object) -> Limits:
    entry = {"rule": "GPU-EFA-05", "reason": "for the new storage", "expires": "2027-01-01", **fields}
    return Limits.from_json({"schema": "gpukit/limits/1", "suppressions": [entry]})


@pytest.mark.parametrize(
    "blank", [" " * 12, "\u200b" * 12, "\u2060\u200d\ufeff" * 5, "\x1b\x07\x00\x08" * 4, "\u00a0\u3000" * 9, "a" + " " * 20 + "b"]
)
def test_what_nobody_can_read_is_no_reason(blank: str) -> None:
    with pytest.raises(LimitsError, match=r"suppressions\.0\.reason is .*give why this is accepted, in 10 or more characters"):
        _suppressed(reason=blank)


def test_a_reason_is_kept_without_what_cannot_be_seen() -> None:
    (entry,) = _suppressed(reason="  for the\u200b new\x1b[2J\nstorage ").suppressions
    assert entry.reason == "for the new[2J storage"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (
            {"suppressions": [{"rule": "GPU-EFA-05", "reason": "short", "expires": "soon"}]},
            "expires is soon: give the last day .* YYYY-MM-DD",
        ),
        (
            {"suppressions": [{"rule": "EFA", "reason": "for the new storage", "expires": "2027-01-01"}]},
            "rule is EFA: a rule's id is expected",
        ),
        ({"suppressions": [{"rule": "GPU-EFA-05"}]}, "reason is missing: give why.*expires is missing: give the last day"),
        ({"suppressions": {}}, "a list is expected"),
        ({"levels": {"GPU-EFA-05": "loud"}}, "levels.GPU-EFA-05 is loud: allowed: 'mandatory', 'advisory' or 'disabled'"),
        ({"levels": []}, "a mapping from key to value is expected"),
        ({"price_stale_days": 0}, "price_stale_days is 0: 1 or more is allowed"),
        ({"price_stale_days": "x"}, "price_stale_days is x: give a whole number"),
        ({"price_stale_days": 1.5}, "price_stale_days is 1.5: give a whole number"),
        ({"ceilings": {"default": {"hourly_usd": -1}}}, "hourly_usd is -1: more than 0.0 is allowed"),
        ({"ceilings": {"default": {"hourly_usd": "x"}}}, "hourly_usd is x: give a number"),
        ({"ceilings": {"default": {"hourly_usd": float("inf")}}}, "give a number"),
        ({"allowed": {"machines": [5]}}, "allowed.machines.0 is 5: give a text"),
        ({"schema": "gpukit/limits/2"}, "schema is gpukit/limits/2: allowed: 'gpukit/limits/1'"),
    ],
)
def test_every_mistake_is_told_in_words_of_the_file(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(LimitsError, match=told) as refused:
        Limits.from_json({"schema": "gpukit/limits/1", **wrong})
    assert not any(word in str(refused.value) for word in ("Input should", "String should", "valid "))


@pytest.mark.parametrize(("today", "counts"), [(date(2026, 11, 30), False), (date(2026, 12, 1), True)])
def test_a_suppression_reaches_a_year_ahead_at_most(today: date, counts: bool) -> None:
    (entry,) = _suppressed(expires="2027-12-02").suppressions
    assert (entry.active(today), entry.endless(today)) == (counts, not counts)
