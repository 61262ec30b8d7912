"""The command `gpukit`: names, options, exit codes. Each command's work lies in its part (`scripts/<part>/commands.py`).

Nothing but Typer is imported here: `gpukit --help` must not wait for SDKs.
"""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from scripts import cli_idle, cli_sandbox
from scripts.catalog.commands import app as catalog_app
from scripts.cli_group import AsJson, Gpukit, InSandbox, Stack, enter, known_stack, run_part
from scripts.errors import Exit

app = typer.Typer(
    name="gpukit",
    cls=Gpukit,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Rich help would load Rich: half of the time that `--help` may take.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.add_typer(cli_sandbox.app, name="sandbox")
app.add_typer(catalog_app, name="catalog")
app.add_typer(cli_idle.leases_app, name="leases")
app.command()(cli_idle.idle)
app.command()(cli_idle.resume)
app.command()(cli_idle.heartbeat)

Stacks = Annotated[list[str] | None, typer.Argument(metavar="[STACK]...", help="Stack names; default: every stack file in stacks/.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
QuotaSnapshot = Annotated[str | None, typer.Option(metavar="FILE", help="Recorded quotas and usage to judge demand against.")]
Limits = Annotated[str | None, typer.Option(metavar="FILE", help="Ceilings and levels; default: policies/limits.yaml.")]
Prices = Annotated[str | None, typer.Option(metavar="FILE", help="Negotiated rates that replace list prices.")]


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"gpukit {version('gpukit')}")
        raise typer.Exit(Exit.FINE)


@app.callback()
def gpukit(
    sandbox: InSandbox = False,
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_version, help="Show the version and exit.")] = False,  # noqa: ARG001
) -> None:
    """GPU training and inference clusters on AWS, GCP and Azure: planned, priced, checked, built, ended.

    Exit codes: 0 fine, 1 the answer is no, 2 wrong usage or configuration, 3 a cloud, cluster or engine failed, 130 interrupted.

    Example: gpukit plan aws-training-dev
    """
    enter(sandbox=sandbox)


@app.command()
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


@app.command()
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


@app.command()
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


@app.command()
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


@app.command()
def up(  # noqa: PLR0913 # one parameter an option
    stack: Stack,
    *,
    sandbox: InSandbox = False,
    yes: Yes = False,
    as_json: AsJson = False,
    quota_snapshot: QuotaSnapshot = None,
    limits: Limits = None,
    prices: Prices = None,
) -> int:
    """Create or update a stack, after a preview, under guardrails.

    Pulumi's own engine does it. GPUKIT_VERBOSE=1 shows every resource instead of one line for each component.

    Example: gpukit up aws-training-dev --sandbox
    """
    enter(sandbox=sandbox)
    return run_part(
        "engine", "up", stack=known_stack(stack), sandbox=sandbox, yes=yes, json_=as_json, files=_files(quota_snapshot, limits, prices)
    )


@app.command()
def preview(  # noqa: PLR0913 # one parameter an option
    stack: Stack,
    *,
    sandbox: InSandbox = False,
    as_json: AsJson = False,
    quota_snapshot: QuotaSnapshot = None,
    limits: Limits = None,
    prices: Prices = None,
) -> int:
    """Show what `up` would change, judged by the guardrails.

    Example: gpukit preview aws-training-dev --sandbox
    """
    enter(sandbox=sandbox)
    return run_part(
        "engine", "preview", stack=known_stack(stack), sandbox=sandbox, json_=as_json, files=_files(quota_snapshot, limits, prices)
    )


@app.command()
def refresh(stack: Stack, sandbox: InSandbox = False, yes: Yes = False, as_json: AsJson = False) -> int:
    """Read the real resources of a stack into its state.

    Example: gpukit refresh aws-training-dev --sandbox
    """
    enter(sandbox=sandbox)
    return run_part("engine", "refresh", stack=known_stack(stack), sandbox=sandbox, yes=yes, json_=as_json)


@app.command()
def destroy(stack: Stack, sandbox: InSandbox = False, yes: Yes = False, as_json: AsJson = False) -> int:
    """Delete all resources of a stack but for data kept on purpose.

    Example: gpukit destroy aws-training-dev --sandbox
    """
    enter(sandbox=sandbox)
    return run_part("engine", "destroy", stack=known_stack(stack), sandbox=sandbox, yes=yes, json_=as_json)


@app.command()
def teardown(  # noqa: PLR0913 # one parameter an option
    stack: Annotated[str | None, typer.Argument(help="Name of the stack; its state may be lost.")] = None,
    *,
    cluster: Annotated[str | None, typer.Option(metavar="NAME", help="Without a stack file: the cluster that is to end.")] = None,
    cloud: Annotated[str | None, typer.Option(help="With --cluster: aws, gcp or azure.")] = None,
    region: Annotated[str | None, typer.Option(help="With --cluster: its region.")] = None,
    account: Annotated[str | None, typer.Option(help="With --cluster: its account, project or subscription.")] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Act, after the target's name was confirmed; without it nothing is changed.")
    ] = False,
    confirm: Annotated[str | None, typer.Option(metavar="NAME", help="Confirm the target by name, where there is no terminal.")] = None,
    force_running: Annotated[bool, typer.Option("--force-running", help="Although pods with GPUs are running.")] = False,
    without_api: Annotated[bool, typer.Option("--without-api", help="Although the cluster's API server cannot be asked.")] = False,
    strip_finalizers: Annotated[bool, typer.Option("--strip-finalizers", help="Free objects whose controllers are gone.")] = False,
    cancel_reservations: Annotated[bool, typer.Option("--cancel-reservations", help="Cancel the target's capacity reservations.")] = False,
    delete_data: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Delete this data too; asked for by name.")] = None,
    wait: Annotated[list[str] | None, typer.Option(metavar="STEP=MINUTES", help="Longest wait of a step.")] = None,
    as_json: AsJson = False,
    sandbox: InSandbox = False,
) -> int:
    """End a cluster in order and list whatever still bills.

    A dry run unless told otherwise: shows the steps, what each would touch, and what leaving it costs. Data is kept.

    Example: gpukit teardown aws-training-dev --sandbox
    """
    enter(sandbox=sandbox)
    return run_part(
        "teardown",
        "teardown",
        stack=known_stack(stack) if stack else None,
        cluster=cluster,
        cloud=cloud,
        region=region,
        account=account,
        sandbox=sandbox,
        yes=yes,
        confirm=confirm,
        json_=as_json,
        force_running=force_running,
        without_api=without_api,
        strip_finalizers=strip_finalizers,
        cancel_reservations=cancel_reservations,
        delete_data=delete_data or [],
        wait=wait or [],
    )


@app.command()
def env(sandbox: InSandbox = False) -> int:
    """Print shell lines for plain `pulumi` on simulated clouds.

    Example: eval "$(gpukit env --sandbox)"
    """
    enter(sandbox=sandbox)
    return run_part("engine", "env", sandbox=sandbox)


@app.command()
def kubeconfig(
    stack: Stack,
    sandbox: InSandbox = False,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Write it here, readable by you alone, instead of printing it.")] = None,
) -> int:
    """Print a kubeconfig of a stack's cluster, or write it.

    Example: gpukit kubeconfig aws-training-dev --sandbox --out kubeconfig.yaml
    """
    enter(sandbox=sandbox)
    return run_part("engine", "kubeconfig", stack=known_stack(stack), sandbox=sandbox, out=out)


@app.command()
def doctor(as_json: AsJson = False, sandbox: InSandbox = False) -> int:
    """Show what is installed, what is missing and how to get it.

    And whose credentials answer.

    Example: gpukit doctor
    """
    enter(sandbox=sandbox)
    return run_part("engine", "doctor", json_=as_json)


def _files(quota_snapshot: str | None, limits: str | None, prices: str | None) -> dict[str, str]:
    given = {"quota_snapshot": quota_snapshot, "limits": limits, "prices": prices}
    return {option: file for option, file in given.items() if file is not None}


def main() -> None:
    """Entry point of the console script. Ends without tearing down the SDKs' heap, which takes as long as a plan."""
    _open_closed_streams()
    code = Exit.FINE
    try:
        app()
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        code = end.code or Exit.FINE
    finally:
        _flush_quietly()
    atexit._run_exitfuncs()  # noqa: SLF001 - os._exit would skip them, and there is no public way to run them
    _flush_quietly()
    os._exit(code)


def _open_closed_streams() -> None:
    """Whoever starts us with a closed output (`gpukit plan >&-`) wants its exit code alone; Python has None for such a stream."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 # it stays open to the end


def _flush_quietly() -> None:
    """A reader that went away (`gpukit plan | head`) is no error; Python would complain at its end otherwise."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
