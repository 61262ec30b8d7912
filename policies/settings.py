"""What rules are judged against: limits, the stack's own budget, quota snapshot, prices, the time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, Self, TypeVar, cast

from components import clock
from components.demand import QuotaSnapshot
from components.pricing import PriceOverlay
from components.spec import Commitment, Interruption
from components.unknown import Maybe, Unknown

from .limits import Ceiling, Limits

CLUSTER_KEY = "gpukit:cluster"
LIMITS_FILE = "policies/limits.yaml"
Period = Literal["hour", "month"]
F = TypeVar("F", Commitment, Interruption)


@dataclass(frozen=True)
class Cap:
    """One ceiling that a stack must stay under, and whose it is."""

    period: Period
    usd: Maybe[float]
    owner: str
    at_list_price: bool = False
    """Whether the commitments that the stack file claims count for nothing here: it must not lift its owner's ceiling."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Inputs of the rules beside the inventory."""

    now: datetime
    limits: Limits = field(default_factory=Limits)
    limits_file: str = LIMITS_FILE
    """Where the limits come from, for messages."""
    proposed: Limits | None = None
    """Limits that the judged change brings with it, where `limits` are those of its base."""
    budget: Maybe[Ceiling] = field(default_factory=Ceiling)
    """The stack file's own; it adds to the limits and never replaces them, so it can only tighten."""
    lease_ends: Maybe[date | None] = None
    """Last day of the stack file's lease; None without one."""
    environment: str | None = None
    """The stack file's; None without one."""
    serves: bool = False
    """Whether the stack file is one of inference, whose pools keep a floor."""
    commitments: tuple[Commitment, ...] = ()
    interruptions: tuple[Interruption, ...] = ()
    nat_gb_per_month: float | None = None
    """Traffic of each NAT gateway that the stack file states; None leaves the cost's own assumption."""
    snapshot: QuotaSnapshot | None = None
    prices: PriceOverlay = field(default_factory=PriceOverlay)

    @classmethod
    def for_stack(  # noqa: PLR0913 # one parameter a source
        cls,
        config: Mapping[str, Any],
        *,
        limits: Limits,
        snapshot: QuotaSnapshot | None = None,
        prices: PriceOverlay | None = None,
        now: datetime | None = None,
        limits_file: str = LIMITS_FILE,
        proposed: Limits | None = None,
    ) -> Self:
        """Settings for the stack with this configuration (`pulumi config --json` form: objects as JSON text)."""
        cluster = _cluster(config)
        return cls(
            now=now or clock.now(),
            limits=limits,
            limits_file=limits_file,
            proposed=proposed,
            budget=_budget(cluster),
            lease_ends=_lease(cluster),
            commitments=_stated(cluster, "commitments", Commitment),
            interruptions=_stated(cluster, "interruptions", Interruption),
            nat_gb_per_month=_nat_traffic(cluster),
            environment=_environment(cluster),
            serves=not isinstance(cluster, Unknown) and cluster.get("workload") == "inference",
            snapshot=snapshot,
            prices=prices or PriceOverlay(),
        )

    def caps(self, stack: str) -> Iterator[Cap]:
        """Every ceiling that holds for `stack`."""
        of_limits = self.limits.ceilings.of(stack)
        yield from _caps(of_limits, self.limits_file, at_list_price=True)
        if isinstance(self.budget, Unknown):
            yield Cap("hour", self.budget, "the stack file")
        else:
            yield from _caps(self.budget, "the stack file's budget", at_list_price=False)


def _caps(ceiling: Ceiling, owner: str, *, at_list_price: bool) -> Iterator[Cap]:
    if ceiling.hourly_usd is not None:
        yield Cap("hour", ceiling.hourly_usd, owner, at_list_price)
    if ceiling.monthly_usd is not None:
        yield Cap("month", ceiling.monthly_usd, owner, at_list_price)


def _cluster(config: Mapping[str, Any]) -> Maybe[Mapping[str, Any]]:
    """The stack file's structured key; {} when a program has none."""
    value = config.get(CLUSTER_KEY)
    if value is None:
        return {}
    try:
        read = json.loads(value) if isinstance(value, str) else value
    except json.JSONDecodeError:
        return Unknown(CLUSTER_KEY, "not readable: no JSON")
    return cast("Mapping[str, Any]", read) if isinstance(read, Mapping) else Unknown(CLUSTER_KEY, "not readable: no object")


def cluster_name(config: Mapping[str, Any]) -> str | None:
    """The cluster's name, where a stack file gives one."""
    cluster = _cluster(config)
    name = None if isinstance(cluster, Unknown) else cluster.get("name")
    return name if isinstance(name, str) and name else None


def _environment(cluster: Maybe[Mapping[str, Any]]) -> str | None:
    said = None if isinstance(cluster, Unknown) else cluster.get("environment")
    return said if isinstance(said, str) else None


def _budget(cluster: Maybe[Mapping[str, Any]]) -> Maybe[Ceiling]:
    if isinstance(cluster, Unknown):
        return cluster
    budget = cluster.get("budget")
    if budget is None:
        return Ceiling()
    if not isinstance(budget, Mapping):
        return Unknown(f"{CLUSTER_KEY}.budget", "not readable: no object")
    hourly, monthly = (_usd(cast("Mapping[str, Any]", budget), key) for key in ("hourly_usd", "monthly_usd"))
    if isinstance(hourly, Unknown) or isinstance(monthly, Unknown):
        return hourly if isinstance(hourly, Unknown) else cast("Unknown", monthly)
    return Ceiling(hourly_usd=hourly, monthly_usd=monthly)


def _lease(cluster: Maybe[Mapping[str, Any]]) -> Maybe[date | None]:
    if isinstance(cluster, Unknown):
        return cluster
    lease = cluster.get("lease")
    if lease is None:
        return None
    expires = cast("Mapping[str, Any]", lease).get("expires") if isinstance(lease, Mapping) else lease
    try:
        return date.fromisoformat(cast("str", expires))
    except (TypeError, ValueError):
        return Unknown(f"{CLUSTER_KEY}.lease.expires", "not readable: no day such as 2027-03-01")


def _usd(budget: Mapping[str, Any], key: str) -> Maybe[float | None]:
    value = budget.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        return Unknown(f"{CLUSTER_KEY}.budget.{key}", "not readable: no number above 0")
    return float(value)


def _stated(cluster: Maybe[Mapping[str, Any]], key: str, kind: type[F]) -> tuple[F, ...]:
    """Assumptions of the stack file that can be read; one that cannot changes nothing."""
    listed = _pricing(cluster).get(key)
    found: list[F] = []
    for entry in cast("list[object]", listed) if isinstance(listed, list) else []:
        try:
            found.append(kind.model_validate(entry))
        except ValueError:
            continue
    return tuple(found)


def _nat_traffic(cluster: Maybe[Mapping[str, Any]]) -> float | None:
    value = _pricing(cluster).get("nat_gb_per_month")
    plain = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
    return float(cast("float", value)) if plain else None


def _pricing(cluster: Maybe[Mapping[str, Any]]) -> Mapping[str, Any]:
    pricing = {} if isinstance(cluster, Unknown) else cluster.get("pricing")
    return cast("Mapping[str, Any]", pricing) if isinstance(pricing, Mapping) else {}
