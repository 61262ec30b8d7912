"""What a cost rests on beside prices: discounts, interruptions and traffic that someone states, because no plan can know them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from components.inventory import Market, NodePool
from components.unknown import known

NAT_GB_PER_MONTH = 1000.0
"""Assumed through each NAT gateway unless the stack file says otherwise. An assumption, not a measurement: lines say so."""
MINUTES_PER_DAY = 24 * 60
_DISCOUNTED = (Market.ON_DEMAND, Market.RESERVATION)


class Discount(Protocol):
    """A commitment of the stack file."""

    @property
    def pool(self) -> str: ...
    @property
    def discount_percent(self) -> float: ...


class Restarts(Protocol):
    """How often spot nodes of a pool are taken away, and how much work each time repeats."""

    @property
    def pool(self) -> str: ...
    @property
    def per_day(self) -> float: ...
    @property
    def lost_minutes(self) -> float: ...


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    commitments: Sequence[Discount] = ()
    interruptions: Sequence[Restarts] = ()
    nat_gb_per_month: float = NAT_GB_PER_MONTH

    def percent_off(self, pool: NodePool, market: Market) -> float:
        """Percent off the on-demand rate; the best of several commitments, as they do not add up. Spot gets none."""
        if market not in _DISCOUNTED:
            return 0.0
        return max((c.discount_percent for c in self.commitments if covers(c.pool, pool)), default=0.0)

    def restart_loss(self, pool: NodePool) -> float | None:
        """Share of paid time that repeats lost work (0.05 for 5 %); None where no rate is stated, which is not zero."""
        losses = [i.per_day * i.lost_minutes / MINUTES_PER_DAY for i in self.interruptions if covers(i.pool, pool)]
        return max(losses, default=None)


def covers(wanted: str, pool: NodePool) -> bool:
    """Whether the stack file's pool `wanted` is `pool`, whose resource may carry the stack's name before it."""
    labelled = pool.labels.get("gpukit/pool") if known(pool.labels) else None
    return wanted in (pool.name, labelled) or pool.name.endswith(f"-{wanted}")
