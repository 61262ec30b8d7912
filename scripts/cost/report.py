"""The cost of stacks as typed values: totals, shares, savings, and what is paid until when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from components import costing
from components.costing import NAT_GB_PER_MONTH, Cost, Period, PoolCost, SpotSaving, TeamShare, UpFront
from policies.finding import Finding
from policies.readers import inventory
from scripts.errors import Exit
from scripts.plan.judgement import Yardsticks
from scripts.plan.model import Plan, StackPlan

from .assumed import Assumed
from .stated import Stated, stated

RULES = "GPU-COST-"


@dataclass(frozen=True, kw_only=True)
class StackCost:
    """One stack. With an `error` nothing else of it holds."""

    name: str
    cloud: str | None
    region: str | None
    cost: Cost
    stated: Stated
    findings: tuple[Finding, ...]
    now: datetime
    error: str | None = None

    @cached_property
    def pools(self) -> tuple[PoolCost, ...]:
        return costing.per_pool(self.cost)

    @cached_property
    def teams(self) -> tuple[TeamShare, ...]:
        return costing.per_team(self.cost, self.stated.teams)

    @cached_property
    def gpu_hour_usd(self) -> float | None:
        return costing.gpu_hour_usd(self.cost)

    @cached_property
    def spot(self) -> tuple[SpotSaving, ...]:
        return tuple(costing.spot_savings(self.cost))

    @cached_property
    def until_lease(self) -> Period | None:
        return None if self.stated.last_day is None else costing.until(self.cost, self.stated.last_day, self.now, self._windows())

    @cached_property
    def up_front(self) -> tuple[UpFront, ...]:
        return tuple(costing.up_front(self.cost, self._windows()))

    @property
    def nat_gb_per_month(self) -> float:
        return NAT_GB_PER_MONTH if self.stated.nat_gb_per_month is None else self.stated.nat_gb_per_month

    def _windows(self) -> dict[str, tuple[datetime, datetime]]:
        """By the names of resources, which may carry the stack's before the pool's."""
        names = {line.pool for line in self.cost.lines if line.pool}
        given = self.stated.windows.items()
        return {name: window for name in names for pool, window in given if name == pool or name.endswith(f"-{pool}")}


@dataclass(frozen=True, kw_only=True)
class CostReport:
    stacks: tuple[StackCost, ...]
    as_of: datetime
    simulated: bool
    exit: Exit

    @property
    def total(self) -> Cost:
        return costing.total(stack.cost for stack in self.stacks if stack.error is None)


def report(plan: Plan, by: Yardsticks, assumptions: Assumed) -> CostReport:
    """The costs of a plan. The answer is no where a rule about costs says so: over a budget, without a price, without a bound."""
    stacks = tuple(_stack(stack, by, assumptions) for stack in plan.stacks)
    return CostReport(stacks=stacks, as_of=plan.as_of, simulated=plan.simulated, exit=_exit(plan.stacks, stacks))


def _stack(plan: StackPlan, by: Yardsticks, given: Assumed) -> StackCost:
    if plan.resources is None or plan.cost is None or plan.error is not None:
        return StackCost(
            name=plan.name,
            cloud=plan.cloud,
            region=plan.region,
            cost=Cost(),
            stated=Stated(),
            findings=(),
            now=by.now,
            error=plan.error or "not planned",
        )
    found = _given_first(stated(plan.resources), given)
    cost = costing.cost(
        inventory(plan.resources),
        now=by.now,
        overlay=by.prices,
        commitments=found.commitments,
        interruptions=found.interruptions,
        nat_gb_per_month=found.nat_gb_per_month,
        stale_days=by.limits.price_stale_days,
    )
    own = tuple(f for f in plan.findings if f.rule.startswith(RULES))
    return StackCost(name=plan.name, cloud=plan.cloud, region=plan.region, cost=cost, stated=found, findings=own, now=by.now)


def _given_first(found: Stated, given: Assumed) -> Stated:
    named = {i.pool for i in given.interruptions}
    rest = tuple(i for i in found.interruptions if i.pool not in named)
    nat = found.nat_gb_per_month if given.nat_gb_per_month is None else given.nat_gb_per_month
    return replace(found, interruptions=(*given.interruptions, *rest), nat_gb_per_month=nat)


def _exit(plans: Sequence[StackPlan], stacks: Sequence[StackCost]) -> Exit:
    broken = [plan.exit for plan in plans if plan.error is not None]
    no = any(finding.fails for stack in stacks for finding in stack.findings)
    return max([*broken, Exit.NO if no else Exit.FINE])
