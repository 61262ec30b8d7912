from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.errors import BadInput, Failed
from scripts.teardown.journal import Journal
from scripts.teardown.model import Scope, Target

TARGET = Target(cloud="aws", account="123456789012", region="us-east-1", cluster="lab", world="sandbox")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "teardown" / "lab.jsonl")


def test_what_was_appended_is_read_again(journal: Journal) -> None:
    journal.append("begin", step="claims", things=["volume vol-1"])
    journal.append("end", step="claims", left=[])
    assert [(entry["event"], entry["step"]) for entry in journal.entries()] == [("begin", "claims"), ("end", "claims")]


def test_a_journal_that_does_not_exist_is_empty(journal: Journal) -> None:
    assert (journal.entries(), journal.scope()) == ((), Scope())


def test_a_line_that_a_killed_writer_left_counts_for_nothing_and_does_not_spoil_the_next(journal: Journal) -> None:
    journal.append("begin", step="claims")
    with journal.path.open("a") as file:
        file.write('{"event": "en')
    assert len(journal.entries()) == 1
    journal.append("end", step="claims")
    assert [entry["event"] for entry in journal.entries()] == ["begin", "end"]


def test_damage_in_the_middle_is_told_and_not_passed_over(journal: Journal) -> None:
    journal.append("begin")
    journal.path.write_text("garbage\n" + journal.path.read_text())
    with pytest.raises(BadInput, match="is corrupt: 'garbage'"):
        journal.entries()


def test_what_cannot_be_written_is_not_done(tmp_path: Path) -> None:
    (tmp_path / "teardown").write_text("a file where the directory should be")
    with pytest.raises(Failed, match="cannot be written"):
        Journal(tmp_path / "teardown" / "lab.jsonl").append("begin")


def test_the_scope_of_an_unfinished_run_is_remembered_and_completed(journal: Journal) -> None:
    journal.append("scope", scope=Scope(network="vpc-1", policies={"vol-1": "Delete"}).as_json())
    journal.append("scope", scope=Scope(issuer="https://issuer", policies={"vol-2": "Retain"}).as_json())
    assert journal.scope() == Scope(network="vpc-1", issuer="https://issuer", policies={"vol-1": "Delete", "vol-2": "Retain"})


def test_a_finished_run_leaves_nothing_to_the_next_cluster_of_that_name(journal: Journal) -> None:
    journal.append("scope", scope=Scope(network="vpc-1").as_json())
    journal.append("done")
    assert journal.scope() == Scope()
    assert len(journal.entries()) == 2


def test_each_target_has_a_journal_of_its_own(tmp_path: Path) -> None:
    one = Target(cloud="aws", account="1", region="r", cluster="lab", world="sandbox")
    other = Target(cloud="aws", account="1", region="r", cluster="lab", world="real")
    assert Journal.of(tmp_path, one).path != Journal.of(tmp_path, other).path


def unfinished(journal: Journal, *entries: dict[str, Any]) -> None:
    journal.path.parent.mkdir(parents=True, exist_ok=True)
    journal.path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))


def test_the_journal_of_ones_own_run_is_taken_up(journal: Journal) -> None:
    journal.start(TARGET)
    journal.refuse_others(TARGET)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"schema": "gpukit/teardown-journal/9"}, "another version"),
        ({"target": "serve"}, "is the journal of serve"),
        ({"place": "cluster lab in aws account 999999999999, us-east-1"}, "999999999999"),
        ({"world": "real"}, "is the journal of"),
    ],
)
def test_an_unfinished_run_of_another_target_or_version_is_not_taken_up(journal: Journal, entry: dict[str, Any], words: str) -> None:
    own = {"event": "start", "target": TARGET.name, "place": TARGET.place, "world": TARGET.world}
    unfinished(journal, {**own, **entry})
    with pytest.raises(BadInput, match=words):
        journal.refuse_others(TARGET)
    unfinished(journal, {**own, **entry}, {"event": "done"})
    journal.refuse_others(TARGET)


@pytest.mark.parametrize("scope", [None, [], "vpc-1", {"network": 4}, {"policies": ["Delete"]}, {"policies": {"vol-1": None}}])
def test_a_scope_that_cannot_be_is_damage_and_decides_nothing(journal: Journal, scope: Any) -> None:
    unfinished(journal, {"event": "scope", "scope": scope})
    with pytest.raises(BadInput, match="corrupt"):
        journal.scope()


def test_what_a_later_version_remembers_beside_is_left_out(journal: Journal) -> None:
    unfinished(journal, {"event": "scope", "scope": {"network": "vpc-1", "moon": "full"}})
    assert journal.scope() == Scope(network="vpc-1")


def test_a_journal_may_lie_where_it_outlives_the_machine_that_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home = Journal.of(tmp_path / "local", TARGET).path
    monkeypatch.setenv("GPUKIT_TEARDOWN_STATE", str(tmp_path / "shared"))
    elsewhere = Journal.of(tmp_path / "local", TARGET)
    elsewhere.start(TARGET)
    assert (elsewhere.path.parent, elsewhere.path.name) == (tmp_path / "shared", at_home.name)
    assert not at_home.exists()
