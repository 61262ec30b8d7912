"""What a rule is: a pure function from facts to verdicts, with its identity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar, TypeVarTuple, cast

from components import costing, demand
from components.costing import Cost
from components.demand import QuotaDemand
from components.inventory import Inventory
from components.unknown import Maybe, Unknown
from policies.finding import Level, Status
from policies.readers.values import OUTSIDE
from policies.settings import Settings

T = TypeVar("T")
Key = TypeVarTuple("Key")


class Scope(StrEnum):
    RESOURCE = "resource"
    """Needs one resource alone: in an update it stops that resource before it is made."""
    STACK = "stack"
    """Needs several resources: stops a preview, but in an update it speaks when all are made."""


@dataclass(frozen=True)
class Case:
    """One stack before its rules. Cost and demand are worked out once, and only when a rule asks."""

    inventory: Inventory
    settings: Settings
    given_cost: Cost | None = None
    given_demand: tuple[QuotaDemand, ...] | None = None
    own_levels: Mapping[str, Level] = field(default_factory=lambda: MappingProxyType({}))
    """Level of every rule that exists, for those that judge the limits themselves."""
    _made: dict[object, object] = field(default_factory=dict[object, object], repr=False, compare=False)

    def once(self, make: Callable[[Case, *Key], T], *key: *Key) -> T:
        """What `make` works out from the whole case, worked out once for all rules."""
        at: tuple[Any, ...] = (make, *key)
        if at not in self._made:
            self._made[at] = make(self, *key)
        return cast("T", self._made[at])

    @cached_property
    def cost(self) -> Cost:
        if self.given_cost is not None:
            return self.given_cost
        settings = self.settings
        return costing.cost(
            self.inventory,
            now=settings.now,
            overlay=settings.prices,
            commitments=settings.commitments,
            interruptions=settings.interruptions,
            nat_gb_per_month=settings.nat_gb_per_month,
            stale_days=settings.limits.price_stale_days,
        )

    @cached_property
    def demand(self) -> tuple[QuotaDemand, ...]:
        return demand.demand(self.inventory) if self.given_demand is None else self.given_demand


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a rule says about one thing."""

    status: Status
    urn: str
    path: str
    message: str
    """What is wrong where, why it matters, how to fix it."""
    level: Level | None = None
    """Weaker than the rule's own, where only part of the rule is advice."""


Check = Callable[[Case], Iterable[Verdict]]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One guardrail. `id` is never reused for another."""

    id: str
    title: str
    failures: tuple[str, ...]
    """Known-failure ids that it covers."""
    scope: Scope
    check: Check
    fix: str
    """The right configuration, as an example."""
    level: Level = Level.MANDATORY
    parameters: tuple[str, ...] = ()
    """Fields of `policies/limits.yaml`, or other inputs, that it reads."""


PLAIN_VALUE = "Give it as a plain value."
MADE_ELSEWHERE = "Let this program make it, or look it up in the account and have the owner of the limits suppress this with what was found as its reason."


def cannot_tell(urn: str, unknown: Unknown, *, subject: str, so: str, fix: str = "") -> Verdict:
    """A verdict that rests on a value which the plan does not know (H10)."""
    advice = fix or (MADE_ELSEWHERE if unknown.reason.endswith(OUTSIDE) else PLAIN_VALUE)
    message = f"{subject}: {unknown.path} is {unknown.reason}, so {so}. {advice}"
    return Verdict(status=Status.UNKNOWN, urn=urn, path=unknown.path, message=message)


@dataclass(frozen=True)
class Place:
    """What a verdict is about: a resource, how messages call it, and the property."""

    urn: str
    name: str
    path: str = ""


def judged(claim: Maybe[bool], place: Place, text: str, so: str, *, level: Level | None = None) -> Iterator[Verdict]:
    """A violation where `claim`, which says that something is wrong, holds; `unknown` where it cannot be told; nothing where all is well.

    `text` and `so` go on after the name of the place: what is wrong, why, and the repair; what cannot be told.
    """
    if isinstance(claim, Unknown):
        yield replace(cannot_tell(place.urn, claim, subject=place.name, so=so), level=level)
    elif claim:
        yield Verdict(status=Status.VIOLATED, urn=place.urn, path=place.path, message=f"{place.name}: {text}", level=level)


def listed(paths: Iterable[str], shown: int = 3) -> str:
    """`a, b, c and 29 more`."""
    every = list(paths)
    rest = len(every) - shown
    return ", ".join(every[:shown]) + (f" and {rest} more" if rest > 0 else "")
