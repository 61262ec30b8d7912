"""The table of rules in `policies/README.md`: `python -m policies.table` writes it, `--check` compares."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from .rules import RULES, Rule

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- rules: begin (python -m policies.table) -->", "<!-- rules: end -->"
_HEADER = ("rule", "what it demands", "failures", "level", "scope", "reads beside resources", "right, for example")


def table(rules: Sequence[Rule] = RULES) -> str:
    """All rules as a Markdown table."""
    rows = [_HEADER, tuple("---" for _ in _HEADER), *(_row(rule) for rule in rules)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(rule: Rule) -> tuple[str, ...]:
    cells = (rule.id, rule.title, ", ".join(rule.failures), str(rule.level), str(rule.scope), ", ".join(rule.parameters), rule.fix)
    return tuple(cell.replace("|", "\\|") for cell in cells)


def with_table(text: str) -> str:
    """`text` with the table between its markers. Raises ValueError when a marker is missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{README.name} must hold the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def main(arguments: Sequence[str]) -> int:
    """0 when the file holds the table (now), 1 when `--check` finds another."""
    text = README.read_text(encoding="utf-8")
    right = with_table(text)
    if "--check" in arguments:
        if text != right:
            sys.stderr.write(f"{README.name}: the table of rules is not current. Run: python -m policies.table\n")
        return int(text != right)
    README.write_text(right, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
