"""The tables of rules and failures in the README are generated."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from policies import table
from policies.failures import FAILURES, NO_RULE
from policies.rules import RULES


def test_the_readmes_table_is_current() -> None:
    assert table.main(["--check"]) == 0


def test_every_rule_has_a_row_with_its_failures() -> None:
    rows = table.table().splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [rule.id for rule in RULES]
    assert all(", ".join(rule.failures) in row for rule, row in zip(RULES, rows, strict=True))


COUNTS = {"A": 15, "B": 15, "C": 18, "D": 13, "E": 12, "F": 8, "G": 12, "H": 15, "I": 7, "J": 9, "K": 11}
"""Known failures of each area: one that is forgotten in the list would be missing in silence."""


def test_every_known_failure_is_caught_by_a_rule_or_has_a_reason_and_never_both() -> None:
    caught = {failure for rule in RULES for failure in rule.failures}
    assert Counter(failure[0] for failure in FAILURES) == COUNTS
    assert caught | set(NO_RULE) == set(FAILURES)
    assert caught & set(NO_RULE) == set()


def test_both_lists_of_failures_are_shown() -> None:
    rows = {row.split(" | ")[0].removeprefix("| "): row for row in table.failures().splitlines()}
    assert all(rule.id in rows[failure] for rule in RULES for failure in rule.failures)
    assert all(reason in rows[failure] for failure, reason in NO_RULE.items())


def test_a_stale_table_is_found_and_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    readme = tmp_path / "README.md"
    between = f"{table.FAILURES_BEGIN}\noutworn\n{table.FAILURES_END}"
    readme.write_text(f"before\n{table.BEGIN}\noutworn\n{table.END}\n{between}\nafter\n")
    monkeypatch.setattr(table, "README", readme)
    assert table.main(["--check"]) == 1
    assert "python -m policies.table" in capsys.readouterr().err
    assert table.main([]) == 0
    assert table.main(["--check"]) == 0
    text = readme.read_text()
    assert (text.startswith("before\n"), text.endswith("\nafter\n"), "outworn" in text) == (True, True, False)


def test_a_file_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="must hold the lines"):
        table.with_table("nothing here")


def test_nine_in_ten_failures_are_caught_by_a_rule() -> None:
    caught = {failure for rule in RULES for failure in rule.failures}
    assert len(caught) >= 0.9 * len(FAILURES)
