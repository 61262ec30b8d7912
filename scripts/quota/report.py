"""Quotas of stacks and their accounts as typed values: demand, room, findings, what was not told, what to ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from components.demand import Ask, QuotaSnapshot, asked, merged
from components.inventory import GpuPool
from policies.finding import Finding
from policies.readers import inventory
from scripts.errors import Exit, Failed, GpukitError
from scripts.plan.judgement import Yardsticks, judged
from scripts.plan.model import Plan, StackPlan
from scripts.plan.together import judged_together, of_account, with_judgement

from .door import Door, Extras, OpenRequest
from .nodes_in_use import own_usage
from .readings import Gap, Readings, regions_of, wanted_of, with_own
from .recording import document

RULES = "GPU-QUOTA-"
OpenDoor = Callable[[str, str, str], Door]
"""The way to an account: by cloud, account and one of its regions. Raises GpukitError where it does not open."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """One increase that is missing, and the undecided request that asks for it already."""

    cloud: str
    account: str
    ask: Ask
    open: OpenRequest | None = None
    sent: OpenRequest | None = None

    @property
    def command(self) -> str:
        return self.ask.command(self.account)


@dataclass(frozen=True, kw_only=True)
class AccountQuota:
    """One account that was asked. With an `error` it answered nothing."""

    cloud: str
    account: str
    door: Door | None = None
    snapshot: dict[str, Any] | None = None
    gaps: tuple[Gap, ...] = ()
    capacity: tuple[str, ...] = ()
    error: GpukitError | None = None


@dataclass(frozen=True, kw_only=True)
class QuotaReport:
    stacks: tuple[StackPlan, ...]
    accounts: tuple[AccountQuota, ...]
    requests: tuple[Request, ...]
    as_of: datetime
    live: bool
    snapshot_of: str | None = None
    """Day of the snapshot that was given."""

    @property
    def exit(self) -> Exit:
        """No where a rule about quotas says so; failed where an account could not be asked."""
        broken = [stack.exit for stack in self.stacks if stack.error is not None]
        errors = [account.error.exit for account in self.accounts if account.error is not None]
        no = any(finding.fails for stack in self.stacks for finding in quota_findings(stack))
        return max([Exit.NO if no else Exit.FINE, *broken, *errors])


def quota_findings(stack: StackPlan) -> tuple[Finding, ...]:
    return tuple(finding for finding in stack.findings if finding.rule.startswith(RULES))


def recorded(plan: Plan, by: Yardsticks) -> QuotaReport:
    """Against the snapshot that was given, or none."""
    requests = tuple(request for group in accounts_of(plan.stacks) for request in _missing(group, of_account(group[0], by).snapshot))
    taken = by.snapshot.taken.isoformat() if by.snapshot else None
    return QuotaReport(stacks=plan.stacks, accounts=(), requests=requests, as_of=plan.as_of, live=False, snapshot_of=taken)


def live(plan: Plan, by: Yardsticks, open_door: OpenDoor) -> QuotaReport:
    """Against the accounts themselves. One account that does not answer takes nothing from the others."""
    judged_stacks = {stack.name: stack for stack in plan.stacks}
    accounts: list[AccountQuota] = []
    requests: list[Request] = []
    for group in accounts_of(plan.stacks):
        account = _asked(group, by, open_door)
        accounts.append(account)
        if account.snapshot is not None:
            snapshot = QuotaSnapshot.from_json(account.snapshot)
            judged_stacks |= {stack.name: stack for stack in _judged(group, replace(by, snapshot=snapshot))}
            requests += [_looked_up(request, account.door) for request in _missing(group, snapshot)]
    stacks = tuple(judged_stacks[stack.name] for stack in plan.stacks)
    return QuotaReport(stacks=stacks, accounts=tuple(accounts), requests=tuple(requests), as_of=plan.as_of, live=True)


def accounts_of(stacks: Sequence[StackPlan]) -> list[tuple[StackPlan, ...]]:
    """Stacks that share an account, as they draw on the same quotas."""
    groups: dict[tuple[str, str], list[StackPlan]] = {}
    for stack in stacks:
        if stack.error is None and stack.cloud and stack.account:
            groups.setdefault((stack.cloud, stack.account), []).append(stack)
    return [tuple(group) for group in groups.values()]


def _asked(group: Sequence[StackPlan], by: Yardsticks, open_door: OpenDoor) -> AccountQuota:
    cloud, account = str(group[0].cloud), str(group[0].account)
    wanted = wanted_of(line.demand for stack in group for line in stack.quota)
    regions = regions_of(wanted) or tuple(dict.fromkeys(stack.region for stack in group if stack.region))
    try:
        door = open_door(cloud, account, regions[0] if regions else "")
        found = door.read(wanted)
        using = door.in_use([stack.name for stack in group], regions)
        extras = _extras(door, group)
    except GpukitError as error:
        return AccountQuota(cloud=cloud, account=account, error=error)
    gaps = (*found.gaps, *using.gaps, *extras.gaps)
    if wanted and not found.readings:
        told = " ".join(map(str, gaps)) or "it has none of the quotas that were asked for."
        return AccountQuota(
            cloud=cloud, account=account, gaps=gaps, error=Failed(f"{cloud} account {account} told no quota at all: {told}")
        )
    complete: Readings = with_own(found, own_usage(using.nodes))
    snapshot = document(complete, account=account, taken=by.now.date())
    return AccountQuota(cloud=cloud, account=account, door=door, snapshot=snapshot, gaps=tuple(dict.fromkeys(gaps)), capacity=extras.lines)


def _extras(door: Door, group: Sequence[StackPlan]) -> Extras:
    pools = [
        pool for stack in group if stack.resources is not None for pool in inventory(stack.resources).pools if isinstance(pool, GpuPool)
    ]
    return door.extras(pools)


def _judged(group: Sequence[StackPlan], by: Yardsticks) -> tuple[StackPlan, ...]:
    alone = [with_judgement(stack, judged(stack.resources, by)) if stack.resources is not None else stack for stack in group]
    return judged_together(alone, by)


def _missing(group: Sequence[StackPlan], snapshot: QuotaSnapshot | None) -> Iterator[Request]:
    """The increases without which all of `group` do not fit. None without a snapshot: nothing says what there is."""
    if snapshot is None:
        return
    names = [stack.name for stack in group]
    for wanted in merged(line.demand for stack in group for line in stack.quota):
        ask = asked(wanted, snapshot.find(wanted), names)
        if ask is not None:
            yield Request(cloud=str(group[0].cloud), account=str(group[0].account), ask=ask)


def _looked_up(request: Request, door: Door | None) -> Request:
    """With the request that is undecided already. Where that is not known, the same question stops the filing later."""
    if door is None:
        return request
    try:
        return replace(request, open=door.open_request(request.ask))
    except GpukitError:
        return request
