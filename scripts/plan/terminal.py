"""Where results and progress go: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any, TextIO, cast

from rich.console import Console
from rich.text import Text

WIDTH = 100
_NARROWEST = 40
_ITEM = "\n  - "
_PADDING = re.compile(r"[ \t]+$", re.MULTILINE)


class _Unpadded:
    """Takes the blanks off the ends of lines, with which tables fill their width: in a saved file they are noise."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_PADDING.sub("", text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def results() -> Console:
    """Colours only on a terminal, at most 100 columns there. Elsewhere COLUMNS decides, else 100, so that saved output compares."""
    if sys.stdout.isatty():
        return Console(width=min(WIDTH, Console().width), highlight=False, markup=False, emoji=False)
    file = cast("TextIO", _Unpadded(sys.stdout))
    return Console(file=file, width=_columns(os.environ.get("COLUMNS", "")), highlight=False, markup=False, emoji=False)


def _columns(given: str) -> int:
    return max(int(given), _NARROWEST) if given.isascii() and given.isdecimal() and len(given) < 5 else WIDTH


def shown(text: object, style: str = "") -> Text:
    """`text` without anything that a terminal would obey, on one line: names and messages come from foreign programs, and a line break
    in one would let it write lines of its own into the answer.
    """
    return Text("".join(c if c.isprintable() else "\ufffd" for c in str(text).replace("\n", " ")), style=style)


def print_json(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, indent=2, sort_keys=False, allow_nan=False) + "\n")


def progress(text: str) -> None:
    """A line for whoever waits at a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{text} …\n")


def complain(paragraph: str) -> None:
    """The items of a list, as SpecErrors writes them, stand on lines of their own; every other line break is none."""
    lines = (shown(line).plain for line in paragraph.split(_ITEM))
    sys.stderr.write(f"gpukit: {_ITEM.join(lines)}\n")
