"""Who the money is for: by pool, by GPU-hour, by team; and what spot saves against on-demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from components.unknown import Unknown, known

from .result import Amount, Cost, Kind, SpotPrice

UNASSIGNED = "(no team)"
"""Takes what no team's quota covers, so that the shares add up to the whole."""


@dataclass(frozen=True, kw_only=True)
class PoolCost:
    """One pool's nodes and root disks. `gpu_hour_usd` of one accelerator for an hour: None without accelerators or a size."""

    pool: str
    now: Amount
    max: Amount
    surge: Amount
    gpus_at_max: float | None
    gpu_hour_usd: float | None


def per_pool(cost: Cost) -> tuple[PoolCost, ...]:
    """Pools in order, then one entry with the name "" for everything that follows no pool. Their sums add up to the whole."""
    named = [line.pool for line in cost.lines] + [u.name for u in cost.unpriced] + [u.name for u in cost.unknown if u.readable]
    pools = [name for name in dict.fromkeys(named) if name]
    parts = [_part(cost, name, pools) for name in [*pools, ""]]
    return tuple(_pool(name, part) for name, part in zip([*pools, ""], parts, strict=True) if name or part != Cost())


def _part(cost: Cost, name: str, pools: Sequence[str]) -> Cost:
    """What of `cost` belongs to the pool `name`; for "" what belongs to none."""
    urns = {line.urn: line.pool for line in cost.lines if line.pool}
    owner = {pool: pool for pool in pools}
    return Cost(
        lines=tuple(line for line in cost.lines if line.pool == name),
        unpriced=tuple(entry for entry in cost.unpriced if owner.get(entry.name, "") == name),
        unknown=tuple(entry for entry in cost.unknown if owner.get(entry.name, "") == name),
        missing=tuple(entry for entry in cost.missing if urns.get(entry.urn, "") == name),
    )


def _pool(name: str, part: Cost) -> PoolCost:
    gpus = _gpus(part)
    each = part.max.hourly_usd / gpus if gpus else None
    return PoolCost(pool=name, now=part.now, max=part.max, surge=part.surge, gpus_at_max=gpus, gpu_hour_usd=each)


def _gpus(cost: Cost) -> float | None:
    """Accelerators at maximum; None where a GPU pool's machine, size or price is unknown, which is not zero."""
    if not cost.bounded:
        return None
    total = 0.0
    for line in cost.lines:
        if line.kind is not Kind.NODES or not line.gpu_pool:
            continue
        if isinstance(line.maximum, Unknown) or line.gpus is None:
            return None
        total += line.maximum * line.gpus
    return total


def gpu_hour_usd(cost: Cost) -> float | None:
    """The whole at maximum, overhead included, over its accelerators; None without any or where a part is unknown."""
    gpus = _gpus(cost)
    return cost.max.hourly_usd / gpus if gpus else None


@dataclass(frozen=True, kw_only=True)
class TeamShare:
    """A team's part of the cost at maximum, by the GPUs that it may always have."""

    team: str
    gpus: float
    share: float
    """Of the whole, 0 to 1."""
    hourly_usd: float
    monthly_usd: float


def per_team(cost: Cost, teams: Sequence[tuple[str, float]]) -> tuple[TeamShare, ...]:
    """Shares that add up to the whole. Teams promised more than there is share by their promises; () without teams or known GPUs."""
    gpus = _gpus(cost)
    promised = sum(count for _, count in teams)
    if not teams or not gpus or promised <= 0:
        return ()
    whole = max(gpus, promised)
    rest = whole - promised
    entries = [*teams, *([(UNASSIGNED, rest)] if rest > 0 else [])]
    return tuple(_share(cost.max, team, count, count / whole) for team, count in entries)


def _share(amount: Amount, team: str, gpus: float, share: float) -> TeamShare:
    return TeamShare(team=team, gpus=gpus, share=share, hourly_usd=amount.hourly_usd * share, monthly_usd=amount.monthly_usd * share)


@dataclass(frozen=True, kw_only=True)
class SpotSaving:
    """What spot nodes of a pool save against the same machines on demand. Negative: restarts eat more than the price gives."""

    pool: str
    price: SpotPrice
    hourly_usd: float | None
    """At maximum; None where the size is unknown."""

    @property
    def percent(self) -> float:
        return 100 * (1 - _effective(self.price) / self.price.on_demand_usd)


def spot_savings(cost: Cost) -> Iterator[SpotSaving]:
    """One entry a spot pool of which both prices are known."""
    for line in cost.lines:
        if line.spot is not None:
            saved = line.spot.on_demand_usd - _effective(line.spot)
            yield SpotSaving(pool=line.pool, price=line.spot, hourly_usd=saved * line.maximum if known(line.maximum) else None)


def _effective(price: SpotPrice) -> float:
    return price.usd if price.expected_usd is None else price.expected_usd
