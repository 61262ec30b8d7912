"""Tables without lines that lose nothing: where they are wider than the terminal, words go to a line of their own before one is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

_RIGHT = frozenset({"now", "max", "surge", "USD/hour", "per hour", "per month", "limit", "free"})
_WHOLE = _RIGHT | {"needs", "nodes", "region", "price of", "GPUs"}
"""Columns that are never folded: figures, and what is short."""
_GAP = 2
"""Blanks between two columns."""


class PlainTable:
    """A table whose columns take what the console has, when it is printed."""

    def __init__(self, *headings: str) -> None:
        self.headings = headings
        self.rows: list[tuple[Text, ...]] = []

    def add_row(self, *cells: Text | str) -> None:
        self.rows.append(tuple(cell if isinstance(cell, Text) else Text(cell) for cell in cells))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:  # the name that Rich calls
        table = Table(box=None, pad_edge=False, header_style="dim")
        room = options.max_width - _GAP * len(self.headings)
        for heading, width in zip(self.headings, fitting(self._columns(), room), strict=True):
            table.add_column(heading, justify="right" if heading in _RIGHT else "left", overflow="fold", width=width)
        for row in self.rows:
            table.add_row(*row)
        yield table

    def _columns(self) -> Iterator[tuple[int, int]]:
        for number, heading in enumerate(self.headings):
            texts = [heading, *(row[number].plain for row in self.rows if number < len(row))]
            widest = max(map(cell_len, texts))
            words = (cell_len(word) for text in texts for word in text.split())
            yield (widest if heading in _WHOLE else max(words, default=0)), widest


def fitting(columns: Iterable[tuple[int, int]], room: int) -> list[int]:
    """The widths of columns that would like to have (narrowest without cutting a word, widest) cells, in `room` cells together.

    The widest gives way first. Where even the words do not fit, the longest are folded: nothing disappears.
    """
    given = list(columns)
    widths = _shrunk([most for _, most in given], [least for least, _ in given], room)
    return _shrunk(widths, [1] * len(widths), room)


def _shrunk(widths: list[int], least: Sequence[int], room: int) -> list[int]:
    """`widths`, taken from the widest that is above its least, until they fit or none is."""
    while sum(widths) > room:
        above = [at for at, width in enumerate(widths) if width > least[at]]
        if not above:
            break
        widths[max(above, key=lambda at: widths[at])] -= 1
    return widths
