"""Stacks of one account draw on the same quotas: against a snapshot they are judged by what all of them need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from components.demand import QuotaSnapshot, merged
from scripts.errors import Exit

from .judgement import Judgement, Yardsticks, judged
from .model import StackPlan


def judged_together(stacks: Sequence[StackPlan], by: Yardsticks) -> tuple[StackPlan, ...]:
    """`stacks`, with the quota findings of those that share an account resting on the sum of their demands."""
    if by.snapshot is None:
        return tuple(stacks)
    groups: dict[tuple[str | None, str | None], list[StackPlan]] = {}
    for stack in stacks:
        if stack.error is None and stack.account is not None:
            groups.setdefault((stack.cloud, stack.account), []).append(stack)
    return tuple(_again(stack, groups.get((stack.cloud, stack.account), []), by) for stack in stacks)


def of_account(stack: StackPlan, by: Yardsticks) -> Yardsticks:
    """`by` without a quota snapshot that is another account's: it says nothing about this stack."""
    account = by.snapshot.account if by.snapshot is not None else None
    return replace(by, snapshot=None) if account is not None and stack.account not in {None, account} else by


def with_judgement(stack: StackPlan, found: Judgement) -> StackPlan:
    code = Exit.NO if any(f.fails for f in found.findings) else Exit.FINE
    return replace(stack, cost=found.cost, quota=found.quota, findings=found.findings, exit=code)


def _again(stack: StackPlan, group: Sequence[StackPlan], by: Yardsticks) -> StackPlan:
    snapshot = of_account(stack, by).snapshot
    if len(group) < 2 or snapshot is None or stack.resources is None or stack not in group:
        return stack
    names = [s.name for s in group]
    shared = replace(by, snapshot=_attributed(snapshot, stack.name, names))
    mine = {line.demand.key for line in stack.quota}
    needed = [total for total in merged(line.demand for s in group for line in s.quota) if total.key in mine]
    others = ", ".join(name for name in names if name != stack.name)
    note = f"quota is judged together with {others}: they share account {stack.account}"
    return with_judgement(replace(stack, notes=(*stack.notes, note)), judged(stack.resources, shared, needed=needed))


def _attributed(snapshot: QuotaSnapshot, stack: str, names: Sequence[str]) -> QuotaSnapshot:
    """What all of `names` use already stands in the way of none of them: it counts as used by `stack`."""
    entries = {key: replace(entry, stacks={stack: entry.own(names)}) for key, entry in snapshot.entries.items()}
    return replace(snapshot, entries=entries)
