"""Where results and progress go: results on standard output, at most 100 columns wide; everything else on standard error."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

WIDTH = 100


def results() -> Console:
    """Colours only on a terminal; one width everywhere else, so that saved output compares."""
    width = min(WIDTH, Console().width) if sys.stdout.isatty() else WIDTH
    return Console(width=width, highlight=False, markup=False, emoji=False)


def shown(text: object, style: str = "") -> Text:
    """`text` without anything that a terminal would obey: names and messages come from foreign programs."""
    return Text("".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in str(text)), style=style)


def print_json(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, indent=2, sort_keys=False, allow_nan=False) + "\n")


def progress(text: str) -> None:
    """A line for whoever waits at a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{text} …\n")


def complain(paragraph: str) -> None:
    sys.stderr.write(f"gpukit: {shown(paragraph).plain}\n")
