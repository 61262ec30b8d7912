"""`gpukit sandbox …`: names and options; the work lies in `scripts.sandbox.commands`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scripts.cli_group import AsJson, Stack, known_stack, run_part

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The simulated clouds: life, clock, quotas, load, faults.")
fault_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Faults that the simulated clouds inject.")
app.add_typer(fault_app, name="fault")


@app.command()
def start(as_json: AsJson = False) -> int:
    """Start the simulated clouds, or find them running.

    Example: gpukit sandbox start
    """
    return run_part("sandbox", "start", json_=as_json)


@app.command()
def stop(as_json: AsJson = False) -> int:
    """End the server; the world stays on disk.

    Example: gpukit sandbox stop
    """
    return run_part("sandbox", "stop", json_=as_json)


@app.command()
def reset(yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False, as_json: AsJson = False) -> int:
    """Forget the world and the sandbox states of all stacks.

    Example: gpukit sandbox reset --yes
    """
    return run_part("sandbox", "reset", yes=yes, json_=as_json)


@app.command()
def status(as_json: AsJson = False) -> int:
    """Show the world's time and what is in it.

    Example: gpukit sandbox status
    """
    return run_part("sandbox", "status", json_=as_json)


@app.command()
def advance(duration: Annotated[str, typer.Argument(help="Such as 2h, 90m, '1d 6h'.")], as_json: AsJson = False) -> int:
    """Let simulated time pass.

    Example: gpukit sandbox advance 2h
    """
    return run_part("sandbox", "advance", duration=duration, json_=as_json)


@app.command()
def load(  # noqa: PLR0913 # one parameter an option
    stack: Stack,
    pool: Annotated[str, typer.Argument(help="Name of the pool in the stack file.")],
    settings: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="nodes, pods and gpu_busy, instead of options.")
    ] = None,
    *,
    nodes: Annotated[int | None, typer.Option(min=0, help="Pods to run, one a node; 0 takes them away.")] = None,
    gpu_busy: Annotated[float | None, typer.Option(min=0, max=1, help="Share to which their GPUs are busy; default 1.")] = None,
    pods: Annotated[int | None, typer.Option(min=0, help="Fewer pods than nodes: the others run and nothing uses them.")] = None,
    as_json: AsJson = False,
) -> int:
    """Put work on a pool, so that a pool of minimum 0 gets nodes.

    Example: gpukit sandbox load aws-training-dev a100 nodes=2
    """
    stack = known_stack(stack)
    return run_part(
        "sandbox", "load", stack=stack, pool=pool, nodes=nodes, gpu_busy=gpu_busy, pods=pods, settings=settings or [], json_=as_json
    )


@app.command()
def declare(
    *,
    quota: Annotated[
        list[str] | None,
        typer.Option("--quota", metavar="CODE=LIMIT", help="Limit of a quota by its code (`gpukit catalog quotas`); CODE=plenty ends it."),
    ] = None,
    reservation: Annotated[
        list[Path] | None,
        typer.Option(
            "--reservation", metavar="FILE.json", help="Reserved capacity: one JSON object, or a list (scripts/sandbox/README.md)."
        ),
    ] = None,
    account: Annotated[
        list[str] | None, typer.Option("--account", metavar="CLOUD=ID", help="The account that the credentials of a cloud open.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Declare quotas, reservations and accounts, or show those declared.

    Each option may be repeated. What nobody declares is plenty.

    Example: gpukit sandbox declare --quota L-417A185B=192 --reservation block.json
    """
    return run_part("sandbox", "declare", quotas=quota or [], reservations=reservation or [], accounts=account or [], json_=as_json)


@fault_app.command("add")
def fault_add(
    kind: Annotated[str, typer.Argument(help="Kind of fault.")],
    where: Annotated[list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Where it strikes.")] = None,
    *,
    as_json: AsJson = False,
) -> int:
    """Inject a fault.

    Example: gpukit sandbox fault add capacity machine=p4d.24xlarge
    """
    return run_part("sandbox", "fault_add", kind=kind, where=where or [], json_=as_json)


@fault_app.command("list")
def fault_list(as_json: AsJson = False) -> int:
    """Show the faults that are set.

    Example: gpukit sandbox fault list
    """
    return run_part("sandbox", "fault_list", json_=as_json)


@fault_app.command("clear")
def fault_clear(
    id_: Annotated[str | None, typer.Argument(metavar="[ID]", help="Default: every fault.")] = None,
    *,
    as_json: AsJson = False,
) -> int:
    """Remove one fault, or all of them.

    Example: gpukit sandbox fault clear
    """
    return run_part("sandbox", "fault_clear", id_=id_, json_=as_json)
