"""Quotas for people: per stack demand and room, per account what it told besides, and the increases that are missing."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from scripts.plan.findings_text import findings_block
from scripts.plan.model import StackPlan
from scripts.plan.money_text import quota_table
from scripts.plan.terminal import shown

from .report import AccountQuota, QuotaReport, Request, quota_findings


def print_report(report: QuotaReport, console: Console, *, requests: bool) -> None:
    for stack in report.stacks:
        console.print(_stack(stack))
    for account in report.accounts:
        console.print(_account(account))
    if requests:
        console.print(_section("Increases", Group(*_requests(report))))
    console.print(_closing(report))


def _section(title: str, body: RenderableType) -> RenderableType:
    return Group(shown(title, "bold"), Padding(body, (0, 0, 1, 2)))


def _stack(stack: StackPlan) -> RenderableType:
    if stack.error is not None:
        return Group(Rule(shown(stack.name, "bold red"), align="left"), shown("not counted: its error is below", "red"), "")
    where = ", ".join(word for word in (stack.cloud, stack.account, stack.region) if word)
    parts: list[RenderableType] = [Rule(shown(f"{stack.name}  {where}", "bold"), align="left")]
    table = quota_table(stack.quota, stack.name) if stack.quota else shown("draws on no quota")
    parts += [
        _section("Quota demand at maximum with surge", table),
        _section("Findings", findings_block(quota_findings(stack), [n for n in stack.notes if "quota" in n])),
    ]
    return Group(*parts)


def _account(account: AccountQuota) -> RenderableType:
    title = f"{account.cloud} account {account.account}"
    if account.error is not None:
        return _section(title, shown("not asked: its error is below", "red"))
    lines = [shown(line) for line in account.capacity]
    lines += [shown(f"not told: {gap}", "yellow") for gap in account.gaps]
    return _section(title, Group(*lines) if lines else shown("told everything that was asked"))


def _requests(report: QuotaReport) -> Iterator[Text]:
    if not report.requests:
        known = report.live or report.snapshot_of is not None
        yield shown("none is missing, as far as limits and usage are known" if known else "not known: give --live or --snapshot FILE")
    for request in report.requests:
        yield shown(
            f"{request.ask.code} in {request.ask.region}: {request.ask.value:g} {request.ask.unit} in all. {_state(request, report)}"
        )
        yield shown(f"  {request.command}", "bold")


def _state(request: Request, report: QuotaReport) -> str:
    if request.sent is not None:
        return f"Filed: {request.sent.id} ({request.sent.status})."
    if request.open is not None:
        value = "" if request.open.value is None else f" for {request.open.value:g}"
        return f"Asked for already{value}: {request.open.id} ({request.open.status}); no second one is filed."
    return "Not filed: add --send to file it." if report.live else "Not filed: --live --request --send files it, or run the line below."


def _closing(report: QuotaReport) -> Text:
    count = sum(stack.error is None for stack in report.stacks)
    against = "the accounts' own answers" if report.live else f"the snapshot of {report.snapshot_of}" if report.snapshot_of else "nothing"
    unchecked = "" if report.live or report.snapshot_of else ": give --live or --snapshot FILE"
    return shown(f"{count} stack{'s' * (count != 1)} against {against}, as of {report.as_of:%Y-%m-%d}{unchecked}.", "bold")
