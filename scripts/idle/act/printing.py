"""A run's report on the terminal and as JSON (`gpukit/idle/1`)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date, datetime

from scripts.idle.act import text
from scripts.idle.act.deciding import Case
from scripts.idle.act.run import Report
from scripts.idle.act.scale import Done
from scripts.idle.intent import Do
from scripts.idle.leases.lease import Lease
from scripts.idle.verdict import Status
from scripts.plan.terminal import complain, print_json, progress, results, shown

__all__ = ["as_json", "as_text", "complain", "done", "progress", "say"]

_STYLES = {Status.IDLE: "bold yellow", Status.EXPIRED: "bold yellow", Status.HUNG: "bold red", Status.UNKNOWN: "magenta"}


def say(line: str) -> None:
    """A line on standard error, so that standard output holds the result alone."""
    sys.stderr.write(f"{shown(line).plain}\n")


def as_text(report: Report, *, world: str, now: datetime) -> None:
    console = results()
    for case in report.cases:
        _case(case, report, world)
    for stack in report.absent:
        _absent(stack, report)
    total = [case.verdict.at_stake_usd_per_hour for case in report.cases if case.verdict.status in (Status.IDLE, Status.EXPIRED)]
    sum_ = sum(usd for usd in total if usd is not None)
    unknown = f", and {total.count(None)} of unknown price" if None in total else ""
    mark = {"sandbox": " Simulated clouds.", "file": " From a file: nothing is asked or changed."}.get(world, "")
    console.print(
        shown(
            f"{len(report.cases)} cluster{'' if len(report.cases) == 1 else 's'} at {now:%Y-%m-%d %H:%M} UTC; idle: {text.money(sum_)}{unknown}.{mark}"
        )
    )
    if world != "file" and report.dry:
        console.print(shown("Dry run: add --act to do it, --notify to tell people."))


def _absent(stack: str, report: Report) -> None:
    done = report.done.get(stack)
    if done is None:
        results().print(shown(f"{stack}  no cluster of that name: no machine of it bills"))
        return
    results().print(shown(f"{stack}  its cluster is gone, its destroy had not ended: {done.text}"))
    _trouble(done)


def _case(case: Case, report: Report, world: str) -> None:
    console = results()
    console.print(shown(text.title(case), _STYLES.get(case.verdict.status, "")))
    console.print(shown(f"  {case.verdict.reason}"))
    for pool in case.verdict.pools:
        console.print(shown(f"  {text.pool_line(pool)}"))
        if pool.facts:
            console.print(shown(f"    {text.facts(pool)}", "dim"))
    done = report.done.get(case.key)
    if done is not None:
        console.print(shown(f"  {done.text}"))
        _trouble(done)
    elif world != "file" or case.intent.do is not Do.NOTHING:
        console.print(shown(f"  {text.would(case, dry=report.dry)}"))


def _trouble(done: Done) -> None:
    if done.error:
        complain(f"{done.stack}: {done.error}")
    if done.left:
        complain(f"{done.stack}: {done.left} left that should be gone. Look at them with your cloud's own tools, and run this again.")


def as_json(report: Report, *, world: str, now: datetime) -> None:
    print_json(
        {
            "schema": "gpukit/idle/1",
            "simulated": world == "sandbox",
            "at": now.isoformat(),
            "dry_run": report.dry,
            "stopped": report.stopped,
            "clusters": [
                {**text.case_json(case), "done": done_json(report.done[case.key]) if case.key in report.done else None}
                for case in report.cases
            ],
            "absent": list(report.absent),
            "ended": {stack: done_json(report.done[stack]) for stack in report.absent if stack in report.done},
            "errors": list(report.errors),
        }
    )


def done_json(done: Done) -> dict[str, object]:
    return {"acted": done.acted, "text": done.text, "left": done.left, "error": done.error}


def done(done_: Done, *, world: str, json_: bool) -> None:
    """What `gpukit resume` did."""
    if json_:
        print_json({"schema": "gpukit/resume/1", "simulated": world == "sandbox", "stack": done_.stack, **done_json(done_)})
    else:
        results().print(shown(f"{done_.stack}: {done_.text}"))
    if done_.error:
        complain(f"{done_.stack}: {done_.error}")


def leases(listed: Sequence[Lease], *, today: date, json_: bool) -> None:
    """Leases, the next to end first."""
    ordered = sorted(listed, key=lambda lease: (lease.expires or date.max, lease.stack))
    if json_:
        rows = [
            {
                "stack": each.stack,
                "cluster": each.cluster,
                "owner": each.owner,
                "expires": each.expires and each.expires.isoformat(),
                "ended": each.ended,
            }
            for each in ordered
        ]
        print_json({"schema": "gpukit/leases/1", "today": today.isoformat(), "leases": rows})
        return
    for each in ordered:
        results().print(shown(f"{each.stack}  {_until(each, today)}  owner {each.owner}", "bold yellow" if each.ended else ""))
    if not ordered:
        results().print(shown("no lease has ended"))


def _until(lease: Lease, today: date) -> str:
    if lease.expires is None:
        return "no lease: wanted for good"
    days = abs((lease.expires - today).days)
    return f"ended on {lease.expires}, {days} days ago" if lease.ended else f"until {lease.expires}, {days} days left"


def extended(stack: str, days: tuple[date | None, date], problem: str | None, *, world: str, json_: bool) -> None:
    """What `gpukit leases extend` did. `days`: the last day before and now."""
    before, day = days
    if json_:
        print_json(
            {
                "schema": "gpukit/lease/1", "simulated": world == "sandbox", "stack": stack, "expires": day.isoformat(),
                "before": before and before.isoformat(), "tag": "changed" if problem is None else problem,
            }
        )  # fmt: skip
        return
    tag = "and the cluster's tag says the same" if problem is None else f"the cluster's tag is as it was: {problem}"
    results().print(shown(f"stacks/Pulumi.{stack}.yaml: the lease ends on {day} (before: {before or 'none'}); {tag}. Commit the file."))
