"""`gpukit idle`, `resume`, `leases …`: names and options; the work lies in `scripts.idle`."""

from __future__ import annotations

from typing import Annotated

import typer

from scripts.cli_group import AsJson, InSandbox, Stack, Stacks, enter, known_stack, run_part

leases_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="How long clusters are wanted: list, extend, find expired.")


def idle(  # noqa: PLR0913 # one parameter an option
    stacks: Stacks = None,
    *,
    every: Annotated[
        bool,
        typer.Option("--all", help="Every stack file in stacks/, and a look for GPU clusters beside them; with --act it must be said."),
    ] = False,
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="FILE", help="Judge by a record, a Prometheus range query's JSON or dcgm-exporter's text."),
    ] = None,
    record: Annotated[str | None, typer.Option(metavar="FILE", help="Write what was found out, so that it can be judged again.")] = None,
    act: Annotated[bool, typer.Option("--act", help="Do what stack files allow, after a warning and its grace. Implies --notify.")] = False,
    notify: Annotated[bool, typer.Option("--notify", help="Tell the people of `idle.notify`; a warning begins its grace.")] = False,
    account: Annotated[list[str] | None, typer.Option(metavar="ID", help="Account that --act may touch; may be repeated.")] = None,
    most_clusters: Annotated[int, typer.Option(help="More clusters to act upon than this: nothing is touched.")] = 10,
    most_share: Annotated[float, typer.Option(help="The same for their share of all clusters looked at.")] = 0.5,
    most_usd_per_hour: Annotated[float, typer.Option(help="The same for what they cost together.")] = 500.0,
    window: Annotated[float, typer.Option(metavar="MINUTES", help="How long everything must have been quiet; at least 30.")] = 60.0,
    step: Annotated[float, typer.Option(metavar="SECONDS", help="Distance of samples; not less than the scrape interval.")] = 60.0,
    wait: Annotated[float, typer.Option(metavar="MINUTES", help="Longest wait for machines to end.")] = 10.0,
    as_json: AsJson = False,
    sandbox: InSandbox = False,
) -> int:
    """Find clusters that nobody uses, say why and what they cost.

    A dry run unless --act is given: then pools go to zero within limits, beyond which nothing at all is touched.

    Example: gpukit idle --all --notify
    """
    enter(sandbox=sandbox)
    return run_part(
        "idle",
        "idle",
        stacks=[known_stack(stack) for stack in stacks or []] if from_ is None else stacks or [],
        every=every,
        from_=from_,
        record_to=record,
        sandbox=sandbox,
        act=act,
        tell=notify,
        accounts=account or [],
        most_clusters=most_clusters,
        most_share=most_share,
        most_usd_per_hour=most_usd_per_hour,
        window_minutes=window,
        step_seconds=step,
        wait_minutes=wait,
        json_=as_json,
    )


def resume(stack: Stack, as_json: AsJson = False, sandbox: InSandbox = False) -> int:
    """Bring back pools that `idle --act` scaled to zero.

    Example: gpukit resume aws-training-dev
    """
    enter(sandbox=sandbox)
    return run_part("idle", "resume", stack=known_stack(stack), sandbox=sandbox, json_=as_json)


def heartbeat(  # noqa: PLR0913 # one parameter an option
    *,
    cloud: Annotated[str, typer.Option(help="aws, gcp or azure.")],
    cluster: Annotated[str, typer.Option(help="The cluster's name.")],
    region: Annotated[str, typer.Option(help="Its region; on GCP its location.")],
    account: Annotated[str, typer.Option(help="Account id, project id or subscription id.")] = "",
    resource: Annotated[str, typer.Option(help="Azure: the cluster's path, /subscriptions/…")] = "",
    every: Annotated[float, typer.Option(metavar="SECONDS", help="30 to 60.")] = 60.0,
    once: Annotated[bool, typer.Option("--once", help="One beat, then end.")] = False,
) -> int:
    """Tell the cloud's metrics about a private cluster, from within.

    `gpukit idle` reads them where the cluster's API cannot be reached.

    Example: gpukit heartbeat --cloud aws --region us-east-1 --cluster aws-training-dev
    """
    enter(sandbox=False)
    order = {"cloud": cloud, "account": account, "region": region, "cluster": cluster, "resource": resource}
    return run_part("idle.heartbeat", "heartbeat", **order, every_seconds=every, once=once)


@leases_app.command("list")
def leases_list(stacks: Stacks = None, as_json: AsJson = False) -> int:
    """Show how long each stack's cluster is wanted.

    Example: gpukit leases list
    """
    return run_part("idle.leases", "leases", stacks=[known_stack(stack) for stack in stacks or []], json_=as_json)


@leases_app.command("expired")
def leases_expired(stacks: Stacks = None, as_json: AsJson = False) -> int:
    """Show leases that have ended; exit code 1 when there are some.

    Example: gpukit leases expired
    """
    return run_part("idle.leases", "leases", stacks=[known_stack(stack) for stack in stacks or []], expired=True, json_=as_json)


@leases_app.command("extend")
def leases_extend(
    stack: Stack,
    to: Annotated[str, typer.Option(metavar="DATE", help="New last day, such as 2027-06-30.")],
    as_json: AsJson = False,
    sandbox: InSandbox = False,
) -> int:
    """Give a stack's cluster a later last day.

    In its stack file, which keeps its comments, and in the cluster's tag.

    Example: gpukit leases extend aws-training-dev --to 2027-06-30
    """
    enter(sandbox=sandbox)
    return run_part("idle.leases", "extend", stack=known_stack(stack), to=to, sandbox=sandbox, json_=as_json)
