"""The plan as typed values: what stacks create, who owns what on their nodes, what they cost and demand, what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from components.catalog.fabric import Slot
from components.catalog.nics import Nic
from components.costing import Cost
from components.demand import QuotaDemand
from components.inventory import Market
from components.ownership import Ownership
from components.resource import ResourceSet
from components.unknown import Maybe
from policies.finding import Finding
from scripts.errors import Exit


@dataclass(frozen=True, kw_only=True)
class PoolPlan:
    """One pool as the stack file asks for it and the family builds it."""

    name: str
    machines: tuple[str, ...]
    market: Market
    minimum: int
    maximum: int
    zones: tuple[str, ...]
    image: str
    gpus_per_node: int
    gpu: str | None
    slots: tuple[Slot, ...] | tuple[Nic, ...]
    """Network interfaces of each node."""
    placement: str
    ownership: Ownership
    window: str = ""
    """Paid time of a capacity block and where the present lies in it."""


@dataclass(frozen=True, kw_only=True)
class QuotaLine:
    """Demand on one quota and, with a snapshot, the room for it."""

    demand: QuotaDemand
    limit: Maybe[float] | None = None
    room: Maybe[float] | None = None


@dataclass(frozen=True, kw_only=True)
class StackPlan:
    """One stack. With an `error` the rest is what was known before it, and judges nothing."""

    name: str
    project: str
    source: str = "stack file"
    """Where its resources come from: `stack file`, `program`, `preview`, `state`, `saved plan`."""
    cloud: str | None = None
    account: str | None = None
    region: str | None = None
    workload: str | None = None
    environment: str | None = None
    resources: ResourceSet | None = None
    pools: tuple[PoolPlan, ...] = ()
    cost: Cost | None = None
    quota: tuple[QuotaLine, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None
    exit: Exit = Exit.FINE

    @property
    def failing(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.fails)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All stacks that were asked for, in that order."""

    stacks: tuple[StackPlan, ...]
    as_of: datetime
    """The moment that leases, price ages and support dates were judged at."""
    simulated: bool = False
    """Planned for the simulated clouds."""
    inputs: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files that it was judged against, by option."""

    @property
    def exit(self) -> Exit:
        """The worst of the stacks'."""
        return max((s.exit for s in self.stacks), default=Exit.FINE)
