"""What `gpukit idle`, `resume` and `leases` do. Each function returns its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from components import clock, naming
from scripts.engine import checkout as checkouts
from scripts.engine.checkout import Checkout
from scripts.engine.commands import SAID, world_of
from scripts.errors import BadInput, Exit, GpukitError, Refused
from scripts.idle import files, record
from scripts.idle.act import printing, tagging
from scripts.idle.act.run import Orders, Report, carry_out, judge, recorded
from scripts.idle.act.scale import Acting, Done
from scripts.idle.act.scale import resume as bring_back
from scripts.idle.act.state import Store
from scripts.idle.collect import clouds, discovery, prometheus, targets, together
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.together import Asking, Looked
from scripts.idle.intent import Reach
from scripts.idle.leases import Lease, new_day
from scripts.idle.leases import extend as extend_file
from scripts.idle.rules import Rules
from scripts.teardown.model import Thing, usd_text

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
        asking = _asking(here, world, rules, step_seconds)
        looked = together.look(found, asking, progress=printing.progress)
        looked = _with_other_costs(here, looked)
        others = discovery.discover(found, asking) if every else discovery.Discovered()
        looked = [*looked, *others.looked]
        if record_to is not None:
            record.save(Path(record_to), record.of(asking.now, (each.cluster for each in looked if each.there)))
        misread = [f"{each.stack}: {each.error}" for each in unread]
        report = judge(looked, store.read().stacks, asking, reach, [*misread, *others.errors])
        if act or tell:
            acting = _acting(store, asking, wait_minutes)
            report = carry_out(report, looked, _orders(here, world, reach, act=act), acting, asking)
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
        asking = _asking(here, world, Rules(), 60.0)
        if store.of_stack(stack).scaled or target.cloud == "aws":
            _refuse_other_account(world, targets_of=target)
        done = bring_back(target, _acting(store, asking, 0))
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


def _looks(world: str) -> str:
    return "simulated clouds are read, nothing is changed" if world == "sandbox" else "REAL clouds are read, nothing is changed"


def _asking(here: Checkout, world: str, rules: Rules, step_seconds: float) -> Asking:
    if not 1 <= step_seconds <= 300:
        raise BadInput(f"--step is {step_seconds:g} seconds: give 1 to 300, the interval at which the endpoint scrapes or more.")
    if world == "real":
        return Asking(
            access=Access(),
            metering=lambda target: prometheus.named(target.cluster, target.stack),
            rules=rules,
            now=datetime.now(UTC),
            step_seconds=step_seconds,
            cloud_metrics=True,
        )
    from scripts.engine.environment import environment
    from scripts.sandbox.client import World

    simulated = World.at(here.root)
    endpoints = simulated.start()
    return Asking(
        access=Access(environment=environment(here, endpoints), sandbox=True),
        metering=lambda target: prometheus.Metrics(url=f"{endpoints.http}/prometheus", match=f'cluster="{target.cluster}"'),
        rules=rules,
        now=simulated.now(),
        step_seconds=step_seconds,
        cloud_metrics=True,
    )


def _acting(store: Store, asking: Asking, wait_minutes: float) -> Acting:
    return Acting(access=asking.access, store=store, now=asking.now, say=printing.say, wait_seconds=wait_minutes * 60)


def _orders(here: Checkout, world: str, reach: Reach, *, act: bool) -> Orders:
    return Orders(
        reach=reach,
        tell=True,
        act=act,
        destroy=lambda stack: _destroy(here, world, stack),
        before_acting=lambda looked: _refuse_other_account(world, targets_of=looked.target),
        simulated=world == "sandbox",
    )


def _refuse_other_account(world: str, *, targets_of: targets.Target) -> None:
    """The simulated clouds refuse another account by themselves."""
    if world == "sandbox":
        return
    from scripts.engine.identity import refuse_other_account

    refuse_other_account(cloud=targets_of.cloud, account=targets_of.account, region=targets_of.region, stack=targets_of.stack)


def _destroy(here: Checkout, world: str, stack: str) -> Done:
    """The whole teardown with its own look beforehand, order, journal and second inventory; nothing is forced and data is kept."""
    from scripts.engine.show import Show
    from scripts.teardown import unattended

    try:
        ending = unattended.end(here, stack=stack, world="sandbox" if world == "sandbox" else "real", show=Show(f"[{world}]"))
    except GpukitError as error:
        return Done(stack=stack, acted=False, text="not destroyed, or not to the end", error=str(error))
    sys.stderr.write(ending.text() + "\n")
    if ending.residue:
        return Done(
            stack=stack,
            acted=False,
            text=f"destroyed but for what is listed above; `gpukit teardown {stack}` or the next run goes on",
            left=len(ending.residue),
        )
    return Done(stack=stack, acted=True, text=f"destroyed{_kept(ending.kept)}")


def _kept(kept: Collection[Thing]) -> str:
    price = usd_text(kept)
    return f"; kept on purpose: {len(kept)}{f', {price}' if price else ''}" if kept else ""


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


def leases(*, stacks: Sequence[str] = (), expired: bool = False, json_: bool = False) -> int:
    """List leases, or those alone that have ended."""
    here = checkouts.here()
    today = clock.now().date()
    found, unread = targets.targets(here, list(stacks) or list(here.stack_names()))
    listed = [
        Lease(stack=t.stack, cluster=t.cluster, owner=t.owner, expires=t.expires, ended=t.expires is not None and today > t.expires)
        for t in found
    ]
    printing.leases([lease for lease in listed if lease.ended or not expired], today=today, json_=json_)
    for each in unread:
        printing.complain(f"{each.stack}: {each.error}")
    if unread:
        return Exit.USAGE
    return Exit.NO if expired and any(lease.ended for lease in listed) else Exit.FINE


def extend(*, stack: str, to: str, sandbox: bool = False, json_: bool = False) -> int:
    """Give a lease a later last day: the stack file first, then the tag of its cluster."""
    here, world = checkouts.here(), world_of(sandbox=sandbox)
    target = targets.target(here, stack)
    day = new_day(to, today=clock.now().date(), now=target.expires)
    store = Store.of(here.local, world)
    with store.locked():
        extend_file(here.stack_file(stack), day)
        again = targets.target(here, stack)
        if again.expires != day:
            raise BadInput(f"{here.stack_file(stack).name} was written and reads as {again.expires}: correct its lease by hand.")
        problem = _tagged(here, world, again, day)
    printing.extended(stack, (target.expires, day), problem, world=world, json_=json_)
    return Exit.FAILED if problem is not None and not problem.startswith("no cluster") else Exit.FINE


def _tagged(here: Checkout, world: str, target: targets.Target, day: date) -> str | None:
    """Why the cluster's tag does not say the new day; None when it does. The next `up` would mend it."""
    asking = _asking(here, world, Rules(), 60.0)
    try:
        _refuse_other_account(world, targets_of=target)
        found = clouds.look(target, asking.access, asking.now)
        if not found.there:
            return "no cluster of that name exists yet, so there is no tag to change"
        tagging.tag(target, found, {naming.tag_key(target.cloud, "expires"): day.isoformat()}, asking.access)
    except GpukitError as error:
        return str(error)
    return None
