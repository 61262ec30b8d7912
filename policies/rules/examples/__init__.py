"""An example for every rule: a short Pulumi program that fails it, and its repair, as one text in the form of a diff.

Lines that start with `-` belong to the failing program alone, with `+` to the repaired one, with a space to both. A prelude goes before
them, that of AWS unless a line `#: on gcp` names another cloud. Lines `#: limits …`, `#: base …`, `#: stack …` and `#: quota …` give what
stands beside a program: limits, those of the base where the program's own are a proposal, the stack file's key, a quota snapshot. Lines
`#: replaced …` say what a preview of the change makes anew, and for which properties.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
ON = "#: on "


def text(rule: str) -> str:
    """The example as it is shown. Raises FileNotFoundError for a rule without one."""
    return (_HERE / f"{rule}.diff").read_text(encoding="utf-8")


def prelude(program: str) -> str:
    """What a side of an example starts with: imports, a cluster with a network and system nodes. Pulumi runs it, nothing here does."""
    cloud = next((line.removeprefix(ON).strip() for line in program.splitlines() if line.startswith(ON)), "aws")
    return (_HERE / f"prelude_{cloud}.txt").read_text(encoding="utf-8")


def failing(rule: str) -> str:
    """The lines of the program that the rule refuses."""
    return _side(rule, "-")


def repaired(rule: str) -> str:
    """The lines of the program that it accepts."""
    return _side(rule, "+")


def _side(rule: str, sign: str) -> str:
    return "".join(f"{line[1:]}\n" for line in text(rule).splitlines() if line[:1] in (sign, " ", ""))
