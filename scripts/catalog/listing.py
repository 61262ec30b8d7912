"""A list of facts that is printed as a table or as JSON: the same rows either way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from rich.console import Console
from rich.table import Table

from components import catalog, clock
from components.catalog import UnknownName
from scripts.errors import BadInput
from scripts.plan.terminal import print_json, shown

FOLDED = 12
"""Characters that a folding column keeps at least."""

Row = Mapping[str, Any]
"""JSON values by column key. None: not established."""


@dataclass(frozen=True)
class Column:
    """One column of the table. JSON has every key of a row, whether a column shows it or not."""

    key: str
    heading: str
    form: Literal["text", "number", "usd", "age"] = "text"
    folds: bool = False
    """Whether the text may be broken into lines when the table is too wide."""
    of: str | None = None
    """Key of the figure whose age this is: where there is no figure, there is no age."""


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Rows of one kind. `kind` names the JSON schema: `gpukit/catalog/<kind>/1`."""

    kind: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    """A line under the table."""

    def ordered(self, by: str | None) -> Listing:
        """Sorted by a key of the rows, rows without a value last; `-key` for the other direction. Raises BadInput with the nearest key."""
        if by is None or not self.rows:
            return self
        key = by.removeprefix("-")
        if key not in self.rows[0]:
            raise BadInput(f"--sort: {UnknownName('column', key, self.rows[0])}; allowed: {', '.join(self.rows[0])}.")
        known = [row for row in self.rows if row[key] is not None]
        known.sort(key=lambda row: _rank(row[key]), reverse=by.startswith("-"))
        return replace(self, rows=(*known, *(row for row in self.rows if row[key] is None)))

    def document(self) -> dict[str, Any]:
        return {"schema": f"gpukit/catalog/{self.kind}/1", "as_of": catalog.AS_OF.isoformat(), "rows": [dict(row) for row in self.rows]}


def _rank(value: object) -> tuple[int, float, str]:
    """Numbers by size, everything else by its text."""
    if isinstance(value, int | float):
        return (0, float(value), "")
    return (1, 0.0, str(value))


def show(listings: Sequence[Listing], console: Console, *, as_json: bool) -> None:
    """Print one listing, or several under one schema (the first one's kind)."""
    if as_json:
        first = listings[0].document()
        more = {part.kind: part.document()["rows"] for part in listings[1:]}
        print_json({**first, **more})
        return
    for at, part in enumerate(listings):
        if at:
            console.print()
        console.print(table(part))
        if part.note:
            console.print(shown(part.note, "dim"))


def table(listing: Listing) -> Table:
    """What may fold does so when the terminal is narrow; everything else stays whole, as half a number is a wrong one."""
    made = Table(box=None, pad_edge=False, header_style="dim")
    cells = [[_cell(column, row) for column in listing.columns] for row in listing.rows]
    for at, column in enumerate(listing.columns):
        widest = max([len(column.heading), *(len(line[at]) for line in cells)])
        made.add_column(
            column.heading,
            justify="left" if column.form == "text" else "right",
            no_wrap=not column.folds,
            min_width=min(widest, FOLDED) if column.folds else widest,
            overflow="fold",
        )
    for line in cells:
        made.add_row(*map(shown, line))
    return made


def _cell(column: Column, row: Row) -> str:
    value = row[column.key]
    match column.form:
        case "usd":
            return usd(value)
        case "age":
            if column.of is not None and row[column.of] is None:
                return ""
            return "undated" if value is None else f"{value} d"
        case _:
            return cell(value)


def cell(value: object) -> str:
    """A value for people: nothing for what is not established, yes and no, numbers without needless digits."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
        case list() | tuple():
            return ", ".join(cell(item) for item in value)  # pyright: ignore[reportUnknownVariableType]
        case _:
            return str(value)


def usd(value: float | None) -> str:
    """A price: cents of large ones, four decimals of small ones, six of those below a cent."""
    if value is None:
        return ""
    return f"{value:,.2f}" if value >= 10 else f"{value:.4f}" if value >= 0.01 else f"{value:.6f}"


def age_days(day: date | None) -> int | None:
    """Days since a fact was read; None where its source gives no day, which counts as old."""
    return None if day is None else (clock.now().date() - day).days
