"""What pools and addresses draw on one quota, and the sum of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from components.inventory import Cloud, Market
from components.unknown import Maybe, Unknown

EVERYWHERE = "global"
"""The region of a quota that counts over all regions of an account."""


@dataclass(frozen=True, kw_only=True)
class Unmeasured:
    """A pool whose demand, or part of it, cannot be told."""

    urn: str
    name: str
    missing: Unknown


@dataclass(frozen=True, kw_only=True)
class QuotaDemand:
    """What pools draw on one quota. `code` is "" where it is not known which quota they draw on."""

    cloud: Cloud
    region: Maybe[str]
    """`global` for a quota over all regions."""
    code: str
    name: str
    unit: str
    market: Maybe[Market]
    need: float
    """Certain demand, in `unit`. A floor while `unknown` is not empty."""
    contested: float = 0.0
    """Further demand that may draw on this quota or on another: the sources disagree."""
    pools: tuple[str, ...] = ()
    """Names, in order."""
    unknown: tuple[Unmeasured, ...] = ()

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.cloud, str(self.region), self.code, str(self.market)

    def __add__(self, other: QuotaDemand) -> QuotaDemand:
        return replace(
            self,
            need=self.need + other.need,
            contested=self.contested + other.contested,
            pools=tuple(dict.fromkeys((*self.pools, *other.pools))),
            unknown=(*self.unknown, *other.unknown),
        )


def greater(one: QuotaDemand, other: QuotaDemand) -> QuotaDemand:
    """Of two alternatives on one quota the larger demand, with what is unknown of either."""
    return replace(
        one,
        need=max(one.need, other.need),
        contested=max(one.contested, other.contested),
        unknown=tuple(dict.fromkeys((*one.unknown, *other.unknown))),
    )


def merged(parts: Iterable[QuotaDemand]) -> tuple[QuotaDemand, ...]:
    """Sum of demands per quota; of several stacks too, where they share an account."""
    sums: dict[tuple[str, str, str, str], QuotaDemand] = {}
    for part in parts:
        sums[part.key] = sums[part.key] + part if part.key in sums else part
    return tuple(sums[key] for key in sorted(sums))
