"""What an account answered about its quotas, and what it did not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from components.demand import EVERYWHERE, QuotaDemand
from components.inventory import Cloud
from components.unknown import Unknown


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One quota as the account has it now. `usage` None: the account did not tell."""

    cloud: Cloud
    region: str
    code: str
    name: str
    unit: str
    limit: float
    usage: float | None
    own: Mapping[str, float] = field(default_factory=dict[str, float])
    """Part of the usage that nodes of our stacks make up, by stack."""


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Something that the account did not answer: what, why, and what to do about it. Never counted as room."""

    where: str
    """Region, or what else was asked."""
    reason: str
    fix: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}. {self.fix}"


@dataclass(frozen=True, kw_only=True)
class Readings:
    """Of one account."""

    readings: tuple[Reading, ...] = ()
    gaps: tuple[Gap, ...] = ()

    def __add__(self, other: Readings) -> Readings:
        return Readings(readings=(*self.readings, *other.readings), gaps=tuple(dict.fromkeys((*self.gaps, *other.gaps))))


Wanted = Mapping[str, tuple[str, ...]]
"""Quota codes by region; those over all regions under `global`."""


def wanted_of(demands: Iterable[QuotaDemand]) -> Wanted:
    """What has to be asked for. A demand without a known quota or region asks for nothing, which the findings tell."""
    codes: dict[str, dict[str, None]] = {}
    for found in demands:
        if found.code and not isinstance(found.region, Unknown):
            codes.setdefault(found.region, {})[found.code] = None
    return {region: tuple(codes[region]) for region in sorted(codes)}


def regions_of(wanted: Wanted) -> tuple[str, ...]:
    return tuple(region for region in wanted if region != EVERYWHERE)


OwnUsage = Mapping[tuple[str, str], Mapping[str, float]]
"""By region and code: what each stack's nodes use."""


def with_own(found: Readings, own: OwnUsage) -> Readings:
    """`found` with the usage that is our stacks' own. More of it than the account tells in all is the account's being late: it is cut to that."""
    return replace(found, readings=tuple(_with_own(reading, own.get((reading.region, reading.code), {})) for reading in found.readings))


def _with_own(reading: Reading, own: Mapping[str, float]) -> Reading:
    if reading.usage is None:
        return reading
    rest, kept = reading.usage, dict[str, float]()
    for stack, amount in sorted(own.items()):
        kept[stack] = min(amount, rest)
        rest -= kept[stack]
    return replace(reading, own={stack: amount for stack, amount in kept.items() if amount > 0})
