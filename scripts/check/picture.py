"""The pull-request comment as a picture for the README, made from real output: `python -m scripts.check.picture` writes it.

The example is a stack file of this project whose pool of p5.48xlarge, bought on demand, is doubled, against a recorded quota.
"""

from __future__ import annotations

import html
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from components import clock
from components.demand import QuotaSnapshot
from policies import Limits
from scripts.plan.build import plan_stacks
from scripts.plan.judgement import Yardsticks
from scripts.plan.recorder import tune_collector

from .difference import differences
from .formats.markdown import markdown
from .model import Report

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / ".github" / "comment.svg"
STACK = "aws-training-p5"
BLOCK = 'capacity: {mode: capacity_block, id: cr-0123456789abcdef0, starts: "2026-11-30T11:30Z", ends: "2026-12-07T11:30Z"}'
EDITS = (
    (BLOCK, "capacity: {mode: on_demand}"),
    ("budget: {hourly_usd: 180, monthly_usd: 130000}", "budget: {hourly_usd: 1000, monthly_usd: 1000000}"),
)
"""What makes the shipped stack the example's base."""
GROWTH = ("nodes: {min: 0, max: 4}          #", "nodes: {min: 0, max: 8}          #")
COLUMNS, LINE, CHARACTER, MARGIN = 118, 20, 7.25, 18
"""Characters of a line; pixels of a line's height, of a character at 12 px in a monospaced face, and around the text."""
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+!|~$])")


def snapshot(limit: float) -> QuotaSnapshot:
    """A recorded quota of `limit` vCPUs of P instances, of which nothing is used."""
    codes = {"L-417A185B": limit, "L-1216C47A": 500}
    rows = [{"cloud": "aws", "region": "us-east-1", "code": code, "limit": value, "usage": 0} for code, value in codes.items()]
    return QuotaSnapshot.from_json({"schema": "gpukit/quota/1", "taken": f"{clock.CATALOGUE_DATE:%Y-%m-%d}", "quotas": rows})


def edited(root: Path, *edits: tuple[str, str]) -> None:
    """The example's stack file below `root`, changed. Raises ValueError where the file does not say what is to be replaced."""
    file = root / "stacks" / f"Pulumi.{STACK}.yaml"
    text = file.read_text(encoding="utf-8")
    for old, new in edits:
        if old not in text:
            raise ValueError(f"{file.name} has no {old!r}")
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


def example() -> Report:
    """The report on the example's change, on the catalogue's day."""
    by = Yardsticks(now=clock.CATALOGUE_DATE, limits=Limits(), snapshot=snapshot(768))
    with tempfile.TemporaryDirectory(prefix="gpukit-picture-") as scratch:
        root = Path(scratch)
        shutil.copytree(ROOT / "stacks", root / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
        edited(root, *EDITS)
        before = plan_stacks(root, [STACK], by).stacks
        edited(root, GROWTH)
        after = plan_stacks(root, [STACK], by).stacks
    return Report(checked=after, base="main", differences=differences(before, after))


@dataclass(frozen=True)
class Shown:
    """One line of the picture."""

    text: str
    style: str = ""
    """Class of the line: `h` heading, `b` bold, `d` dim, "" plain."""


def lines(comment: str) -> Iterator[Shown]:
    """What a reader of the comment sees, folded parts by their summaries."""
    table: list[list[str]] = []
    folded = False
    for line in comment.splitlines():
        if line.startswith("|") and not folded:
            table.append([_plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
            continue
        yield from _table(table)
        table = []
        if line.startswith("<summary>"):
            yield Shown(f"▸ {_plain(re.sub('</?summary>', '', line))}", "d")
        folded = (folded or line == "<details>") and line != "</details>"
        if not folded and line != "</details>" and not line.startswith(("<!--", "|")):
            yield from _text(line)
    yield from _table(table)


def _text(line: str) -> Iterator[Shown]:
    style = "h" if line.startswith("### ") else "b" if re.fullmatch(r"\*\*[^*]+\*\*", line) else ""
    said = _plain(line.removeprefix("### "))
    indent = "  " if said.startswith("- ") else ""
    said = f"• {said[2:]}" if indent else said
    for part in textwrap.wrap(said, COLUMNS, subsequent_indent=indent, break_on_hyphens=False) or [""]:
        yield Shown(part, style)


def _table(rows: Sequence[Sequence[str]]) -> Iterator[Shown]:
    """Columns side by side, figures to the right. The second row says how they are aligned."""
    if len(rows) < 2:
        return
    right = [cell.endswith(":") for cell in rows[1]]
    body = [rows[0], *rows[2:]]
    widths = [max(len(row[i]) for row in body) for i in range(len(right))]
    for number, row in enumerate(body):
        cells = [cell.rjust(width) if figure else cell.ljust(width) for cell, width, figure in zip(row, widths, right, strict=True)]
        yield Shown("   ".join(cells).rstrip(), "b" if number == 0 else "")


def _plain(text: str) -> str:
    """Without the marks of Markdown and HTML."""
    bare = re.sub(r"\*\*|</?code>|(?<!\\)`", "", text)
    return html.unescape(_ESCAPED.sub(r"\1", bare))


def svg(comment: str) -> str:
    """The comment as SVG: text alone, readable in light and dark."""
    found = list(lines(comment))
    shown = [line for line, last in zip(found, [Shown(""), *found], strict=False) if line.text or last.text]
    width, height = int(COLUMNS * CHARACTER) + 2 * MARGIN, len(shown) * LINE + 2 * MARGIN
    text = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN + LINE * number - 6}"{_class(line)} xml:space="preserve">{html.escape(line.text, quote=False)}</text>'
        for number, line in enumerate(shown, 1)
        if line.text
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">\n'
        "<title>Comment of gpukit check on a pull request that doubles a pool of p5.48xlarge</title>\n"
        "<style>text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}.h{font-size:15px;font-weight:700}.b{font-weight:700}"
        ".d{fill:#59636e}</style>\n"
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6" fill="#ffffff" stroke="#d1d9e0"/>\n'
        f"{text}\n</svg>\n"
    )


def _class(line: Shown) -> str:
    return f' class="{line.style}"' if line.style else ""


def main() -> int:
    tune_collector()
    PICTURE.write_text(svg(markdown(example())), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
