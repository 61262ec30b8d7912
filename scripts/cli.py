"""The command `gpukit`: names, options, exit codes. Each command's work lies in its part (`scripts/<part>/commands.py`).

Nothing but Typer is imported here: `gpukit --help` must not wait for SDKs.
"""

from __future__ import annotations

from typing import Annotated

import typer

from scripts import cli_engine, cli_idle, cli_plan, cli_process, cli_sandbox, cli_teardown
from scripts.catalog.commands import app as catalog_app
from scripts.cli_group import Gpukit, InSandbox, enter
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
COMMANDS = (
    cli_plan.plan,
    cli_plan.check,
    cli_plan.cost,
    cli_plan.quota,
    cli_engine.up,
    cli_engine.preview,
    cli_engine.refresh,
    cli_engine.destroy,
    cli_teardown.teardown,
    cli_idle.idle,
    cli_idle.resume,
    cli_idle.heartbeat,
    cli_engine.kubeconfig,
    cli_engine.env,
    cli_engine.doctor,
)
"""In the order of `--help`; groups of commands follow."""
for command in COMMANDS:
    app.command()(command)
app.add_typer(cli_idle.leases_app, name="leases")
app.add_typer(cli_sandbox.app, name="sandbox")
app.add_typer(catalog_app, name="catalog")


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


def main() -> None:
    """Entry point of the console script."""
    cli_process.run(app)


if __name__ == "__main__":
    main()
