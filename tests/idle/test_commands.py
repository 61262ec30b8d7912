"""`gpukit idle` as a person meets it: exit codes, what is refused, JSON that machines read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.engine.checkout import here
from scripts.errors import BadInput, Exit, Refused
from scripts.idle import commands, record
from scripts.idle.collect.targets import target
from scripts.idle.signals import SCHEMA, Record

from .traces import NOW, TRAIN, cluster, pod


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    path = tmp_path / "record.json"
    working = cluster(TRAIN, name="busy", stack="busy", pods=[pod()])
    record.save(path, Record(schema=SCHEMA, recorded_at=NOW, clusters=(cluster(), working)))
    return str(path)


def test_a_record_is_judged_without_any_cloud(recorded: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.idle(from_=recorded, json_=True) == Exit.FINE
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "gpukit/idle/1"
    assert [each["status"] for each in answer["clusters"]] == ["idle", "active"]
    assert answer["clusters"][0]["at_stake_usd_per_hour"] == pytest.approx(21.96)
    assert answer["clusters"][0]["pools"][0]["facts"][0].keys() == {"signal", "value", "against", "source"}


def test_the_text_says_why_and_what_it_costs(recorded: str, capsys: pytest.CaptureFixture[str]) -> None:
    commands.idle(from_=recorded, stacks=["aws-training-dev"])
    out = " ".join(capsys.readouterr().out.split())
    assert "aws-training-dev is idle: 21.96 USD/h" in out
    assert "engine active at most 0" in out
    assert "busy" not in out


@pytest.mark.parametrize("wrong", [{"act": True}, {"tell": True}, {"record_to": "x"}])
def test_a_file_is_never_acted_upon(recorded: str, wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="touches nothing"):
        commands.idle(from_=recorded, **wrong)  # type: ignore[arg-type]


def test_a_stack_that_the_file_does_not_hold_is_refused(recorded: str) -> None:
    with pytest.raises(BadInput, match="holds nothing about other"):
        commands.idle(from_=recorded, stacks=["other"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"act": True}, "--all"),
        ({"every": True, "stacks": ["aws-training-dev"]}, "leave one of them out"),
        ({"window_minutes": 10}, "at least 30"),
        ({"most_clusters": 0}, "at least 1"),
        ({"most_share": 2.0}, "share"),
    ],
)
def test_orders_that_make_no_sense_are_refused_before_anything_is_asked(given: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        commands.idle(**given)  # type: ignore[arg-type]


def test_acting_takes_a_list_of_accounts() -> None:
    found = [target(here(), "aws-training-dev")]
    with pytest.raises(Refused, match=r"no account.*aws-training-dev.*--account"):
        commands._refuse_unlisted(found, [], sandbox=False)
    with pytest.raises(Refused, match="accounts 999"):
        commands._refuse_unlisted(found, ["999"], sandbox=False)
    commands._refuse_unlisted(found, [found[0].account], sandbox=False)
    commands._refuse_unlisted(found, [], sandbox=True)
