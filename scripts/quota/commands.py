"""What `gpukit quota` does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from components import clock
from scripts.engine.checkout import here
from scripts.errors import BadInput, Exit, Refused

if TYPE_CHECKING:
    from .report import QuotaReport


@dataclass(frozen=True, kw_only=True)
class Options:
    live: bool = False
    snapshot: str | None = None
    save: str | None = None
    request: bool = False
    send: bool = False
    yes: bool = False
    contact: str | None = None

    def __post_init__(self) -> None:
        """Raises BadInput for options that contradict each other."""
        if self.live and self.snapshot is not None:
            raise BadInput("--live and --snapshot are different sources of limits: choose one.")
        if self.live and clock.in_sandbox():
            raise BadInput(
                "--live asks real accounts, which the simulated clouds never do: leave out --sandbox (GPUKIT_WORLD), or give --snapshot FILE."
            )
        if self.save is not None and not self.live:
            raise BadInput("--save records what accounts answer: add --live.")
        if self.send and not (self.request and self.live):
            raise BadInput("--send files what --request shows, in the account that --live asks: give all three.")


def quota(*, stacks: Sequence[str], as_json: bool = False, limits: str | None = None, **options: object) -> Exit:
    """Print the quota demand of `stacks` (none: all) and what is missing. Raises BadInput for a name, file or option that is wrong."""
    from scripts.plan.recorder import tune_collector
    from scripts.plan.terminal import complain, print_json, progress, results

    chosen = Options(**options)  # pyright: ignore[reportArgumentType] # Typer has checked each option's type
    progress("reading the stack files and loading the cloud SDKs")
    tune_collector()
    from scripts.plan.judgement import yardsticks
    from scripts.plan.parallel import planned

    from .report import live, recorded

    by = yardsticks(quota_snapshot=chosen.snapshot, limits=limits)
    plan = planned(here().root, stacks, by, progress=progress)
    if chosen.live:
        from .doors import open_door

        progress("asking the accounts")
        found = live(plan, by, open_door)
    else:
        found = recorded(plan, by)
    if chosen.save is not None:
        _save(found, chosen.save)
    if chosen.send:
        found = _filed(found, chosen)
    if as_json:
        from .quota_json import report_json

        print_json(report_json(found))
    else:
        from .text import print_report

        print_report(found, results(), requests=chosen.request)
    for error in [stack.error for stack in found.stacks if stack.error] + [str(a.error) for a in found.accounts if a.error]:
        complain(error)
    return found.exit


def _save(found: QuotaReport, file: str) -> None:
    from .recording import save

    if len(found.accounts) != 1:
        names = ", ".join(f"{account.cloud} {account.account}" for account in found.accounts) or "none"
        raise BadInput(f"--save records one account, the stacks belong to {len(found.accounts)} ({names}): name stacks of one account.")
    taken = found.accounts[0].snapshot
    if taken is not None:
        save(taken, file)


def _filed(found: QuotaReport, chosen: Options) -> QuotaReport:
    """Shows the exact requests before it asks, on standard error: standard output is for the result."""
    from scripts.plan.terminal import shown

    from .filing import filed

    for request in found.requests:
        if request.open is None:
            sys.stderr.write(f"to be filed: {shown(request.command).plain}\n")
    return filed(found, contact=chosen.contact, confirm=_yes if chosen.yes else _asked_once)


def _yes(question: str) -> bool:
    sys.stderr.write(f"{question} yes (--yes)\n")
    return True


def _asked_once(question: str) -> bool:
    """Raises Refused where nobody can answer."""
    if not sys.stdin.isatty():
        raise Refused(f"{question} Nobody is at a terminal to say so, and nothing was filed: add --yes.")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes")
