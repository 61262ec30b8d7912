"""The tables of rules and failures in `policies/README.md`: `python -m policies.table` writes them, `--check` compares."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from .failures import FAILURES, NO_RULE
from .rules import RULES, Rule

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- rules: begin (python -m policies.table) -->", "<!-- rules: end -->"
FAILURES_BEGIN, FAILURES_END = "<!-- failures: begin (python -m policies.table) -->", "<!-- failures: end -->"
_HEADER = ("rule", "what it demands", "failures", "level", "scope", "reads beside resources", "right, for example")


def table(rules: Sequence[Rule] = RULES) -> str:
    """All rules as a Markdown table."""
    rows = [_HEADER, tuple("---" for _ in _HEADER), *(_row(rule) for rule in rules)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(rule: Rule) -> tuple[str, ...]:
    cells = (rule.id, rule.title, ", ".join(rule.failures), str(rule.level), str(rule.scope), ", ".join(rule.parameters), rule.fix)
    return tuple(cell.replace("|", "\\|") for cell in cells)


def failures() -> str:
    """Every known failure with the rules that catch it, or why none does. Raises KeyError for one that `failures` does not describe."""
    caught: dict[str, list[str]] = {}
    for rule in RULES:
        for failure in rule.failures:
            caught.setdefault(failure, []).append(rule.id)
    lines = ["| failure | what is seen | caught by |", "| --- | --- | --- |"]
    lines += [f"| {failure} | {FAILURES[failure]} | {', '.join(caught[failure])} |" for failure in sorted(caught, key=_in_order)]
    left = sorted(set(FAILURES) - set(caught), key=_in_order)
    lines += ["", f"{len(caught)} of {len(FAILURES)} are caught by a rule. The others:", ""]
    lines += ["| failure | what is seen | why no rule |", "| --- | --- | --- |"]
    lines += [f"| {failure} | {FAILURES[failure]} | {NO_RULE[failure]} |" for failure in left]
    return "\n".join(lines)


def _in_order(failure: str) -> tuple[str, int]:
    return failure[0], int(failure[1:])


def with_table(text: str) -> str:
    """`text` with the tables between their markers. Raises ValueError when a marker is missing."""
    return _between(_between(text, table(), BEGIN, END), failures(), FAILURES_BEGIN, FAILURES_END)


def _between(text: str, body: str, first: str, last: str) -> str:
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"{README.name} must hold the lines {first} and {last}")
    return f"{before}{first}\n\n{body}\n\n{last}{after}"


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
