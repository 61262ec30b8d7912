"""Reading the data files: CSV rows as text, and what their cells mean.

An empty cell means "not established". Every row names its `source` (a key of sources.csv) and its `as_of` day or `undated`.
"""

from __future__ import annotations

import csv
from datetime import date
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
UNDATED = "undated"

Row = dict[str, str]


def rows(table: str) -> list[Row]:
    """All rows of `data/<table>.csv`, in file order, cells as text."""
    with (DATA / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        return [dict(zip(header, cells, strict=True)) for cells in reader]


@cache
def _sources() -> dict[str, str]:
    return {row["key"]: row["text"] for row in rows("sources")}


def source(row: Row) -> str:
    """Where the row's facts come from, in words."""
    return _sources()[row["source"]]


def as_of(row: Row) -> date | None:
    """Day on which the row's facts held; None where the source gives none (counts as old)."""
    return None if row["as_of"] == UNDATED else date.fromisoformat(row["as_of"])


def number(cell: str) -> float | None:
    return float(cell) if cell else None


def whole(cell: str) -> int | None:
    return int(cell) if cell else None


def claim(cell: str) -> bool | None:
    """`yes`, `no` or not established."""
    return None if not cell else cell == "yes"


def words(cell: str) -> tuple[str, ...]:
    """A list cell: items are separated by `|`."""
    return tuple(cell.split("|")) if cell else ()
