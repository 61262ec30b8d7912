"""A check for people: per stack one line and its findings."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule

from components.costing import Cost
from scripts.plan.findings_text import findings_block, unchecked, verdict
from scripts.plan.model import StackPlan
from scripts.plan.money_text import gaps
from scripts.plan.terminal import shown

from .changes_text import changes_block
from .model import Report

MOST = 20
"""Things listed of one stack that its cost leaves out."""


def print_report(report: Report, console: Console) -> None:
    for checked in report.checked:
        console.print(_checked(checked))
    if report.differences is not None:
        console.print(changes_block(report.base, report.differences))
    failing = sum(len(c.failing) for c in report.checked)
    open_ = sum(unchecked(c.findings) for c in report.checked)
    broken = sum(c.error is not None for c in report.checked)
    console.print(shown(f"{verdict(failing, broken, open_)}.", "bold red" if failing or broken else "bold green"))


def _checked(checked: StackPlan) -> RenderableType:
    if checked.error is not None:
        return Group(Rule(shown(checked.name, "bold red"), align="left"), shown("not judged: its error is below", "red"))
    title = f"{checked.name}  {counted(checked)} resource{'' if counted(checked) == 1 else 's'} of project {checked.project}, from its {checked.source}"
    body = findings_block(checked.findings, checked.notes)
    costs = () if checked.cost is None else (shown(cost_line(checked.cost)), *_not_counted(checked.cost))
    return Group(Rule(shown(title, "bold"), align="left"), Padding(Group(*costs, body), (0, 0, 0, 2)))


def _not_counted(cost: Cost) -> tuple[RenderableType, ...]:
    """What makes a figure a floor."""
    missing = list(gaps(cost))
    lines = tuple(shown(f"not counted: {gap}", "yellow") for gap in missing[:MOST])
    rest = len(missing) - MOST
    return lines if rest <= 0 else (*lines, shown(f"not counted: {rest} more (--format json has all)", "yellow"))


def counted(stack: StackPlan) -> int:
    return 0 if stack.resources is None else len(stack.resources.resources)


def cost_line(cost: Cost) -> str:
    """What it costs in one line; the plan has the lines behind it."""
    hourly, monthly = cost.surge, cost.max
    floor = "at least " if hourly.partial or monthly.partial else ""
    return (
        f"at maximum: {floor}{hourly.hourly_usd:,.2f} USD per hour with surge, {floor}{monthly.monthly_usd:,.0f} USD per month; "
        f"now: {'at least ' if cost.now.partial else ''}{cost.now.hourly_usd:,.2f} USD per hour"
    )
