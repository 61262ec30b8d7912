"""A check for people: per stack one line and its findings."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule

from scripts.plan.findings_text import findings_block, verdict
from scripts.plan.terminal import shown

from .model import Checked, Report


def print_report(report: Report, console: Console) -> None:
    for checked in report.checked:
        console.print(_checked(checked))
    failing = sum(len(c.failing) for c in report.checked)
    broken = sum(c.error is not None for c in report.checked)
    console.print(shown(f"{verdict(failing, broken)}.", "bold red" if failing or broken else "bold green"))


def _checked(checked: Checked) -> RenderableType:
    if checked.error is not None:
        return Group(Rule(shown(checked.name, "bold red"), align="left"), shown("not judged: its error is told apart", "red"))
    title = f"{checked.name}  {checked.resources} resources of project {checked.project}, from its {checked.source}"
    return Group(Rule(shown(title, "bold"), align="left"), Padding(findings_block(checked.findings, checked.notes), (0, 0, 0, 2)))
