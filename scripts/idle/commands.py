"""What `gpukit idle` and `resume` do. Each function returns its exit code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from scripts.engine import checkout as checkouts
from scripts.engine.checkout import Checkout
from scripts.engine.commands import SAID, world_of
from scripts.errors import BadInput, Exit, Refused
from scripts.idle import files, record, worlds
from scripts.idle.act import printing
from scripts.idle.act.run import Report, carry_out, judge, recorded
from scripts.idle.act.scale import resume as bring_back
from scripts.idle.act.state import Store
from scripts.idle.collect import discovery, targets, together
from scripts.idle.collect.together import Looked
from scripts.idle.intent import Reach
from scripts.idle.rules import Rules

ACCOUNTS = "GPUKIT_IDLE_ACCOUNTS"


def idle(  # noqa: PLR0913 # one parameter an option
    *,
    stacks: Sequence[str] = (),
    every: bool = False,
    from_: str | None = None,
    record_to: str | None = None,
    sandbox: bool = False,
    act: bool = False,
    tell: bool = False,
    accounts: Sequence[str] = (),
    most_clusters: int = 10,
    most_share: float = 0.5,
    most_usd_per_hour: float = 500.0,
    window_minutes: float = 60.0,
    step_seconds: float = 60.0,
    wait_minutes: float = 10.0,
    json_: bool = False,
) -> int:
    """Find idle clusters; with `act` end what their stack files allow, within limits."""
    reach, rules = _limits(most_clusters, most_share, most_usd_per_hour), _rules(window_minutes)
    if from_ is not None:
        if act or tell or record_to is not None:
            raise BadInput("--from judges by a file and touches nothing: leave out --act, --notify and --record.")
        return _from_file(from_, stacks, reach=reach, rules=rules, json_=json_)
    here, world = checkouts.here(), world_of(sandbox=sandbox)
    names = _names(here, stacks, every=every, act=act)
    found, unread = targets.targets(here, names)
    if act:
        _refuse_unlisted(found, accounts, sandbox=world == "sandbox")
    printing.say(f"[{world}] {SAID[world] if act else _looks(world)}")
    store = Store.of(here.local, world)
    with store.locked() if act or tell else nullcontext():
        asking = worlds.asking(here, world, rules, step_seconds)
        looking = asking.shared()
        looked = _with_other_costs(here, together.look(found, looking, progress=printing.progress))
        others = discovery.discover(found, looking) if every else discovery.Discovered()
        looked = [*looked, *others.looked]
        if record_to is not None:
            record.save(Path(record_to), record.of(asking.now, (each.cluster for each in looked if each.there)))
        misread = [f"{each.stack}: {each.error}" for each in unread]
        report = judge(looked, store.read().stacks, asking, reach, [*misread, *others.errors])
        if act or tell:
            acting = worlds.acting(store, asking, wait_minutes)
            report = carry_out(report, looked, worlds.orders(here, world, reach, act=act), acting, asking)
    report = replace(report, unread=misread)
    _show(report, world=world, now=asking.now, json_=json_)
    return report.exit


def resume(*, stack: str, sandbox: bool = False, json_: bool = False) -> int:
    """Bring the pools of a stack back to the sizes that they had before they were scaled to zero."""
    here, world = checkouts.here(), world_of(sandbox=sandbox)
    target = targets.target(here, stack)
    printing.say(f"[{world}] {SAID[world]}")
    store = Store.of(here.local, world)
    with store.locked():
        asking = worlds.asking(here, world, Rules(), 60.0)
        if store.of_stack(stack).scaled or target.cloud == "aws":
            worlds.refuse_other_account(world, target=target)
        done = bring_back(target, worlds.acting(store, asking, 0))
    printing.done(done, world=world, json_=json_)
    return Exit.FAILED if done.error else Exit.FINE


def _limits(clusters: int, share: float, usd: float) -> Reach:
    try:
        return Reach(clusters=clusters, share=share, usd_per_hour=usd)
    except ValueError as error:
        raise BadInput(f"{error}.") from error


def _rules(window_minutes: float) -> Rules:
    try:
        return Rules(window_minutes=window_minutes)
    except ValueError as error:
        raise BadInput(f"{error}.") from error


def _names(here: Checkout, stacks: Sequence[str], *, every: bool, act: bool) -> list[str]:
    if stacks and every:
        raise BadInput("Stacks are named and --all is given: leave one of them out.")
    if not stacks and act and not every:
        raise BadInput("--act without stacks: name the stacks that may be acted upon, or give --all.")
    names = list(dict.fromkeys(stacks)) or list(here.stack_names())
    if not names:
        raise BadInput("there is no stack file in stacks/: idle clusters are looked for by their stacks.")
    return names


def _looks(world: str) -> str:
    return "simulated clouds are read, nothing is changed" if world == "sandbox" else "REAL clouds are read, nothing is changed"


def _with_other_costs(here: Checkout, looked: Sequence[Looked]) -> list[Looked]:
    """What a cluster costs beside its GPU nodes matters only where it may be destroyed: by the plan of its stack file, at least."""
    from scripts.idle.intent import Strongest

    return [
        replace(each, cluster=each.cluster.model_copy(update={"other_usd_per_hour": _planned(here, each.target.stack)}))
        if each.target.policy.strongest is Strongest.DESTROY
        else each
        for each in looked
    ]


def _planned(here: Checkout, stack: str) -> float | None:
    from scripts.plan.build import plan_stack
    from scripts.plan.judgement import yardsticks

    plan = plan_stack(here.root, stack, yardsticks())
    return None if plan.cost is None else plan.cost.now.hourly_usd


def _from_file(from_: str, stacks: Sequence[str], *, reach: Reach, rules: Rules, json_: bool) -> int:
    loaded = files.load(Path(from_))
    known = {cluster.stack or cluster.name for cluster in loaded.clusters}
    missing = [stack for stack in stacks if stack not in known]
    if missing:
        raise BadInput(f"{from_} holds nothing about {', '.join(missing)}: it holds {', '.join(sorted(known)) or 'no cluster'}.")
    chosen = [cluster for cluster in loaded.clusters if not stacks or (cluster.stack or cluster.name) in stacks]
    from scripts.idle.act.deciding import decide, stopped

    cases = decide(recorded(chosen), {}, loaded.recorded_at, rules)
    report = Report(cases=cases, stopped=stopped(cases, reach))
    _show(report, world="file", now=loaded.recorded_at, json_=json_)
    return report.exit


def _show(report: Report, *, world: str, now: datetime, json_: bool) -> None:
    if json_:
        printing.as_json(report, world=world, now=now)
    else:
        printing.as_text(report, world=world, now=now)
    for error in report.errors:
        printing.complain(error)
    if report.stopped is not None:
        printing.complain(f"{report.stopped}: nothing was touched. Look at the list; raise the limit only when every line is right.")


def _refuse_unlisted(found: Sequence[targets.Target], accounts: Sequence[str], *, sandbox: bool) -> None:
    """Acting takes a list of accounts, given beside the stack files: one wrong file must not lead into another account."""
    listed = {*accounts, *os.environ.get(ACCOUNTS, "").replace(",", " ").split()}
    if sandbox and not listed:
        return
    outside = sorted({f"{each.stack} (account {each.account})" for each in found if each.account not in listed})
    if outside:
        raise Refused(
            f"--act may touch {'accounts ' + ', '.join(sorted(listed)) if listed else 'no account'}, and these stacks are in others: "
            f"{', '.join(outside)}. Nothing was changed. Add --account ID for each account that may be acted upon, or set {ACCOUNTS}."
        )
