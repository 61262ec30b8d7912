"""`gpukit teardown`: names and options; the work lies in `scripts.teardown`."""

from __future__ import annotations

from typing import Annotated

import typer

from scripts.cli_group import AsJson, InSandbox, enter, known_stack, run_part


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
