"""From a stack's resources to its cost, quota demand and findings: the same path for plan, check and every source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar

from components import clock, costing
from components.costing import Cost
from components.demand import QuotaDemand, QuotaSnapshot, demand
from components.pricing import PriceOverlay
from components.resource import ResourceSet
from components.unknown import Unknown
from policies import Finding, Limits, Settings, judge
from policies.limits import DEFAULT_PATH
from policies.readers import inventory
from policies.settings import LIMITS_FILE
from scripts.errors import BadInput

from .model import QuotaLine

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Yardsticks:
    """What stacks are judged against, beside their own budgets."""

    now: datetime
    limits: Limits
    proposed: Limits | None = None
    """Limits that the change brings with it, where `limits` are its base's."""
    snapshot: QuotaSnapshot | None = None
    prices: PriceOverlay = field(default_factory=PriceOverlay)
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    """The files that they came from, by option."""

    @property
    def limits_file(self) -> str:
        return self.files.get("limits", LIMITS_FILE)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    cost: Cost
    quota: tuple[QuotaLine, ...]
    findings: tuple[Finding, ...]


def yardsticks(*, quota_snapshot: str | None = None, limits: str | None = None, prices: str | None = None) -> Yardsticks:
    """Read the files given. Raises BadInput naming the option and what is wrong in the file."""
    given = {"quota_snapshot": quota_snapshot, "limits": limits, "prices": prices}
    try:
        now = clock.now()
    except ValueError as error:
        raise BadInput(str(error)) from None
    return Yardsticks(
        now=now,
        limits=_read("--limits", limits, Limits.load) or _own_limits(),
        snapshot=_read("--quota-snapshot", quota_snapshot, QuotaSnapshot.load),
        prices=_read("--prices", prices, PriceOverlay.load) or PriceOverlay(),
        files={option: file for option, file in given.items() if file is not None},
    )


def judged(resources: ResourceSet, by: Yardsticks, *, needed: Sequence[QuotaDemand] | None = None) -> Judgement:
    """Never raises for what a program may contain. `needed` replaces the stack's own demand where others draw on the same quotas."""
    settings = Settings.for_stack(
        resources.config,
        limits=by.limits,
        snapshot=by.snapshot,
        prices=by.prices,
        now=by.now,
        limits_file=by.limits_file,
        proposed=by.proposed,
    )
    facts = inventory(resources)
    cost = costing.cost(
        facts,
        now=by.now,
        overlay=by.prices,
        commitments=settings.commitments,
        interruptions=settings.interruptions,
        nat_gb_per_month=settings.nat_gb_per_month,
        stale_days=by.limits.price_stale_days,
    )
    wanted = demand(facts)
    lines = tuple(_quota(d, by.snapshot, resources.stack, by.now.date()) for d in wanted)
    return Judgement(cost=cost, quota=lines, findings=judge(facts, settings, cost, wanted if needed is None else needed))


def _quota(wanted: QuotaDemand, snapshot: QuotaSnapshot | None, stack: str, today: date) -> QuotaLine:
    if snapshot is None:
        return QuotaLine(demand=wanted)
    if useless := snapshot.unusable(today):
        unknown = Unknown("limit", f"of a snapshot that is {useless}")
        return QuotaLine(demand=wanted, limit=unknown, room=unknown)
    entry = snapshot.find(wanted)
    if entry is None:
        missing = Unknown("limit", f"not in the snapshot of {snapshot.taken}")
        return QuotaLine(demand=wanted, limit=missing, room=missing)
    return QuotaLine(demand=wanted, limit=entry.limit, room=entry.room((stack,)))


def _own_limits() -> Limits:
    return _read("policies/limits.yaml", str(DEFAULT_PATH), Limits.load) or Limits()


def _read(option: str, file: str | None, load: Callable[[Path], T]) -> T | None:
    if file is None:
        return None
    try:
        return load(Path(file))
    except OSError as error:
        raise BadInput(f"{option} {file} cannot be read ({error.strerror}): give a file that is there.") from None
    except ValueError as error:
        raise BadInput(f"{option} {file}: {error}.".replace("..", ".")) from None
