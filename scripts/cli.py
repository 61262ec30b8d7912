"""The command `gpukit`: names, options, exit codes. Each command's work lies in its part (`scripts/<part>/commands.py`).

Nothing but Typer is imported here: `gpukit --help` must not wait for SDKs.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from scripts.errors import Exit, GpukitError

WORLD = "GPUKIT_WORLD"
DEBUG = "GPUKIT_DEBUG"


class Gpukit(TyperGroup):
    """Turns whatever a command raises into one paragraph on standard error and an exit code of the contract (`scripts.errors.Exit`)."""

    def invoke(self, ctx: Any) -> Any:
        try:
            code = super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(Exit.INTERRUPTED) from None
        except GpukitError as error:
            raise typer.Exit(_told(str(error), error.exit, error)) from None
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise typer.Exit(Exit.FINE) from None  # whoever read our output has seen enough
            raise typer.Exit(_unexpected(error)) from None
        except Exception as error:
            if isinstance(error, typer.Exit | typer.Abort) or hasattr(error, "exit_code"):
                raise  # Typer's own: usage errors print themselves and end with 2
            raise typer.Exit(_unexpected(error)) from None
        raise typer.Exit(code if isinstance(code, int) else Exit.FINE)


def _told(paragraph: str, code: Exit, error: BaseException) -> Exit:
    if os.environ.get(DEBUG) == "1":
        import traceback

        traceback.print_exception(error)
    typer.echo(f"gpukit: {paragraph}", err=True)
    return code


def _unexpected(error: Exception) -> Exit:
    text = " ".join(str(error).split())
    return _told(f"unexpected {type(error).__name__}: {text}. Run it again with {DEBUG}=1 to see where, and report it.", Exit.FAILED, error)


def _run(part: str, command: str, /, **options: Any) -> int:
    """Call `scripts.<part>.commands.<command>`; what it returns is the exit code."""
    code = getattr(importlib.import_module(f"scripts.{part}.commands"), command)(**options)
    return int(code or Exit.FINE)


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
sandbox_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.add_typer(sandbox_app, name="sandbox", help="The simulated world: its life, clock, load and faults.")

Stacks = Annotated[list[str] | None, typer.Argument(metavar="[STACK]...", help="Stack names; default: every stack file in stacks/.")]
Stack = Annotated[str, typer.Argument(help="Name of the stack: its file is stacks/Pulumi.STACK.yaml.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON with a `schema` key.")]
InSandbox = Annotated[bool, typer.Option("--sandbox", help="On the simulated clouds (same as GPUKIT_WORLD=sandbox).")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
QuotaSnapshot = Annotated[str | None, typer.Option(metavar="FILE", help="Recorded quotas and usage to judge demand against.")]
Limits = Annotated[str | None, typer.Option(metavar="FILE", help="Ceilings and levels; default: policies/limits.yaml.")]
Prices = Annotated[str | None, typer.Option(metavar="FILE", help="Negotiated rates that replace list prices.")]


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"gpukit {version('gpukit')}")
        raise typer.Exit(Exit.FINE)


def _enter(sandbox: bool) -> None:
    if sandbox:
        os.environ[WORLD] = "sandbox"


@app.callback()
def gpukit(
    sandbox: InSandbox = False,
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_version, help="Show the version and exit.")] = False,  # noqa: ARG001
) -> None:
    """GPU training and inference clusters on AWS, GCP and Azure: planned, priced, checked, built, ended.

    Exit codes: 0 fine, 1 the answer is no, 2 wrong usage or configuration, 3 a cloud, cluster or engine failed, 130 interrupted.

    Example: gpukit plan aws-training-dev
    """
    _enter(sandbox)


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
    """Show what stacks create, cost and demand, and what is wrong with them, without a cloud account.

    Example: gpukit plan aws-training-dev --quota-snapshot quotas.json
    """
    _enter(sandbox)
    return _run("plan", "plan", stacks=stacks or [], as_json=as_json, quota_snapshot=quota_snapshot, limits=limits, prices=prices)


@app.command()
def check(  # noqa: PLR0913 # one parameter an option
    stacks: Stacks = None,
    *,
    program: Annotated[str | None, typer.Option(metavar="DIR", help="Any Python Pulumi program: the folder of its Pulumi.yaml.")] = None,
    preview: Annotated[str | None, typer.Option(metavar="FILE", help="Output of `pulumi preview --json`.")] = None,
    state: Annotated[str | None, typer.Option(metavar="FILE", help="Output of `pulumi stack export`.")] = None,
    stack: Annotated[str | None, typer.Option(help="With --program: which of its stacks.")] = None,
    format_: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    as_json: AsJson = False,
    quota_snapshot: QuotaSnapshot = None,
    limits: Limits = None,
    prices: Prices = None,
    timeout_s: Annotated[int, typer.Option("--timeout", min=1, metavar="SECONDS", help="Longest run of a --program.")] = 300,
    sandbox: InSandbox = False,
) -> int:
    """Judge stacks, any Pulumi program, a preview or exported state by the guardrails alone. Needs no credentials and no network.

    Example: gpukit check --program ../my-cluster --stack prod
    """
    _enter(sandbox)
    return _run(
        "check",
        "check",
        stacks=stacks or [],
        program=program,
        preview=preview,
        state=state,
        stack=stack,
        format_="json" if as_json else format_,
        quota_snapshot=quota_snapshot,
        limits=limits,
        prices=prices,
        timeout_s=timeout_s,
    )


@app.command()
def up(stack: Stack, sandbox: InSandbox = False, yes: Yes = False, as_json: AsJson = False) -> int:
    """Create or update a stack with Pulumi's own engine, guardrails attached, previewing first.

    Example: gpukit up aws-training-dev --sandbox
    """
    _enter(sandbox)
    return _run("engine", "up", stack=stack, sandbox=sandbox, yes=yes, json_=as_json)


@app.command()
def preview(stack: Stack, sandbox: InSandbox = False, as_json: AsJson = False) -> int:
    """Show what `up` would change, judged by the guardrails.

    Example: gpukit preview aws-training-dev --sandbox
    """
    _enter(sandbox)
    return _run("engine", "preview", stack=stack, sandbox=sandbox, json_=as_json)


@app.command()
def refresh(stack: Stack, sandbox: InSandbox = False, yes: Yes = False, as_json: AsJson = False) -> int:
    """Read the real resources of a stack into its state.

    Example: gpukit refresh aws-training-dev --sandbox
    """
    _enter(sandbox)
    return _run("engine", "refresh", stack=stack, sandbox=sandbox, yes=yes, json_=as_json)


@app.command()
def destroy(stack: Stack, sandbox: InSandbox = False, yes: Yes = False, as_json: AsJson = False) -> int:
    """Delete all resources of a stack but for data kept on purpose.

    Example: gpukit destroy aws-training-dev --sandbox
    """
    _enter(sandbox)
    return _run("engine", "destroy", stack=stack, sandbox=sandbox, yes=yes, json_=as_json)


@app.command()
def env(sandbox: InSandbox = False) -> int:
    """Print shell lines after which plain `pulumi` works on the simulated clouds.

    Example: eval "$(gpukit env --sandbox)"
    """
    _enter(sandbox)
    return _run("engine", "env", sandbox=sandbox)


@app.command()
def kubeconfig(
    stack: Stack,
    sandbox: InSandbox = False,
    out: Annotated[str | None, typer.Option(metavar="FILE", help="Write it here, readable by you alone, instead of printing it.")] = None,
) -> int:
    """Give access to a stack's cluster.

    Example: gpukit kubeconfig aws-training-dev --sandbox --out kubeconfig.yaml
    """
    _enter(sandbox)
    return _run("engine", "kubeconfig", stack=stack, sandbox=sandbox, out=out)


@app.command()
def doctor(as_json: AsJson = False, sandbox: InSandbox = False) -> int:
    """Show what is installed, which credentials answer, what is missing and how to get it.

    Example: gpukit doctor
    """
    _enter(sandbox)
    return _run("engine", "doctor", json_=as_json)


def main() -> None:
    """Entry point of the console script."""
    try:
        app()
    finally:
        _flush_quietly()


def _flush_quietly() -> None:
    """A reader that went away (`gpukit plan | head`) is no error; Python would complain at its end otherwise."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
