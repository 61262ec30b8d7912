"""An example for every rule: a short Pulumi program that fails it, and its repair, as one text in the form of a diff.

Lines that start with `-` belong to the failing program alone, with `+` to the repaired one, with a space to both. `PRELUDE` goes before
them. Lines `#: limits …`, `#: stack …` and `#: quota …` give what stands beside a program: limits, the stack file's key, a quota snapshot.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
PRELUDE = (_HERE / "prelude.txt").read_text(encoding="utf-8")
"""What every example starts with: imports, and a cluster with a network and system nodes. Pulumi runs it, nothing here does."""


def text(rule: str) -> str:
    """The example as it is shown. Raises FileNotFoundError for a rule without one."""
    return (_HERE / f"{rule}.diff").read_text(encoding="utf-8")


def exists(rule: str) -> bool:
    """Whether the rule has an example."""
    return (_HERE / f"{rule}.diff").is_file()


def failing(rule: str) -> str:
    """The lines of the program that the rule refuses."""
    return _side(rule, "-")


def repaired(rule: str) -> str:
    """The lines of the program that it accepts."""
    return _side(rule, "+")


def _side(rule: str, sign: str) -> str:
    return "".join(f"{line[1:]}\n" for line in text(rule).splitlines() if line[:1] in (sign, " ", ""))
