"""`gpukit plan`, `check`, `cost` and `quota`: names and options; the work lies in `scripts.plan`, `check`, `cost` and `quota`."""

from __future__ import annotations

from typing import Annotated

import typer

from scripts.cli_group import AsJson, InSandbox, Limits, Prices, QuotaSnapshot, Stacks, Yes, enter, run_part


def plan(  # noqa: PLR0913 # one parameter an option
    stacks: Stacks = None,
    *,
    as_json: AsJson = False,
    quota_snapshot: QuotaSnapshot = None,
    limits: Limits = None,
    prices: Prices = None,
    sandbox: InSandbox = False,
) -> int:
    """Show what stacks create, cost, demand and do wrong, offline.

    Needs no cloud account, no credentials and no network.

    Example: gpukit plan aws-training-dev --quota-snapshot quotas.json
    """
    enter(sandbox=sandbox)
    return run_part("plan", "plan", stacks=stacks or [], as_json=as_json, quota_snapshot=quota_snapshot, limits=limits, prices=prices)


def check(  # noqa: PLR0913 # one parameter an option
    stacks: Stacks = None,
    *,
    program: Annotated[str | None, typer.Option(metavar="DIR", help="Any Python Pulumi program: the folder of its Pulumi.yaml.")] = None,
    preview: Annotated[str | None, typer.Option(metavar="FILE", help="Output of `pulumi preview --json --show-sames`.")] = None,
    state: Annotated[str | None, typer.Option(metavar="FILE", help="Output of `pulumi stack export`.")] = None,
    stack: Annotated[str | None, typer.Option(help="With --program: which of its stacks.")] = None,
    base: Annotated[
        str | None,
        typer.Option(metavar="REVISION|FILE", help="Show the change against a git revision, or a plan saved with `plan --json`."),
    ] = None,
    format_: Annotated[str, typer.Option("--format", help="text, json, markdown, sarif or junit.")] = "text",
    as_json: AsJson = False,
    quota_snapshot: QuotaSnapshot = None,
    limits: Limits = None,
    prices: Prices = None,
    timeout_s: Annotated[int, typer.Option("--timeout", min=1, metavar="SECONDS", help="Longest run of a --program.")] = 300,
    explain: Annotated[str | None, typer.Option(metavar="RULE", help="Print one rule, with an example and its repair.")] = None,
    write: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Write the same report here too, by its ending: .md, .sarif, .xml (JUnit) or .json. Repeatable."),
    ] = None,
    emit: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="Print the limits as a cloud's own document: aws-scp, azure-policy or gcp-quota-override."),
    ] = None,
    sandbox: InSandbox = False,
) -> int:
    """Judge stacks, any Pulumi program, a preview or a state.

    By the guardrails alone; needs no credentials and no network.

    With --base the limits are those of the base, and a change that loosens them is a finding.

    Example: gpukit check --base origin/main --format markdown
    """
    enter(sandbox=sandbox)
    return run_part(
        "check",
        "check",
        stacks=stacks or [],
        program=program,
        preview=preview,
        state=state,
        stack=stack,
        base=base,
        format_="json" if as_json else format_,
        quota_snapshot=quota_snapshot,
        limits=limits,
        prices=prices,
        timeout_s=timeout_s,
        explain=explain,
        emit=emit,
        write=write or [],
    )


def cost(  # noqa: PLR0913 # one parameter an option
    stacks: Stacks = None,
    *,
    as_json: AsJson = False,
    prices: Prices = None,
    limits: Limits = None,
    interruptions: Annotated[
        list[str] | None,
        typer.Option(metavar="POOL=TIMES_A_DAY/LOST_MINUTES", help="Assumed interruptions of a spot pool, such as a100=2/45. Repeatable."),
    ] = None,
    nat_gb: Annotated[float | None, typer.Option(metavar="GB", help="Assumed GB a month through each NAT gateway.")] = None,
    sandbox: InSandbox = False,
) -> int:
    """Show what stacks cost, for whom and until when, offline.

    Per pool, team and GPU-hour; each figure with its source and day, each assumption stated.

    Example: gpukit cost aws-training-dev --interruptions a100=2/45
    """
    enter(sandbox=sandbox)
    options = {"prices": prices, "limits": limits, "interruptions": interruptions or [], "nat_gb": nat_gb}
    return run_part("cost", "cost", stacks=stacks or [], as_json=as_json, **options)


def quota(  # noqa: PLR0913 # one parameter an option
    stacks: Stacks = None,
    *,
    live: Annotated[bool, typer.Option("--live", help="Ask the accounts themselves, by your credentials.")] = False,
    snapshot: Annotated[str | None, typer.Option(metavar="FILE", help="Recorded limits and usage instead.")] = None,
    save: Annotated[str | None, typer.Option(metavar="FILE", help="Record what the account answers, for later plans.")] = None,
    request: Annotated[bool, typer.Option("--request", help="Show the increases that are missing; files nothing.")] = False,
    send: Annotated[bool, typer.Option("--send", help="File them, after asking once.")] = False,
    contact: Annotated[str | None, typer.Option(metavar="EMAIL", help="Who wants them, which Google asks.")] = None,
    yes: Yes = False,
    limits: Limits = None,
    as_json: AsJson = False,
    sandbox: InSandbox = False,
) -> int:
    """Show what stacks draw on quotas, and what the account has left.

    Against nothing, a recorded snapshot, or the account itself.

    Example: gpukit quota aws-training-dev --live --save quotas.json
    """
    enter(sandbox=sandbox)
    options = {"live": live, "snapshot": snapshot, "save": save, "request": request, "send": send, "yes": yes, "contact": contact}
    return run_part("quota", "quota", stacks=stacks or [], as_json=as_json, limits=limits, **options)
