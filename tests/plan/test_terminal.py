"""Saved output: one width unless COLUMNS says another, no blanks at the ends of lines."""

from __future__ import annotations

import io

import pytest
from rich.table import Table

from scripts.plan.terminal import WIDTH, results


def printed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    table = Table("name", "words", box=None, expand=True)
    table.add_row("a", "word " * 60)
    results().print(table)
    return out.getvalue().splitlines()


def test_lines_end_where_their_text_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(monkeypatch)
    assert len(lines) > 2
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.parametrize(
    ("columns", "width"), [(None, WIDTH), ("", WIDTH), ("60", 60), ("180", 180), ("x", WIDTH), ("-3", WIDTH), ("5", 40)]
)
def test_columns_decides_the_width_outside_of_a_terminal(monkeypatch: pytest.MonkeyPatch, columns: str | None, width: int) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert width - 10 < max(map(len, printed(monkeypatch))) <= width
