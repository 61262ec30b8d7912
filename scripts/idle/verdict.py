"""Signals -> verdict, pure: *active, idle, hung, unknown, expired, protected*, with the figures that decided.

Two rules above all: no data is never rest, and less data never makes a verdict more destructive. A pool is idle when no GPU pod ran or
waited, every GPU rested, and all nodes were past their grace, each over the whole window and each known (K12).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cached_property

from components import catalog
from components.inventory import Market

from . import evidence, protection, second
from .activity import Activity, Did, Fact, activity
from .metered import Metered
from .readings import Readings, Window, read
from .rules import Rules
from .signals import Cluster, Node, Pool, Source


class Status(StrEnum):
    ACTIVE = "active"
    IDLE = "idle"
    HUNG = "hung"
    UNKNOWN = "unknown"
    EXPIRED = "expired"
    PROTECTED = "protected"


@dataclass(frozen=True, kw_only=True)
class PoolVerdict:
    pool: str
    status: Status
    reason: str
    """One sentence: what decided."""
    facts: tuple[Fact, ...] = ()
    nodes: int | None = None
    """Machines that bill now."""
    usd_per_hour: float | None = None
    """What they cost; None where size or price is not known."""
    prepaid: bool = False
    """Paid for up front: fewer nodes save nothing."""
    resting: bool = False
    """Whether it is proven that nothing runs on it: the one condition of every action that ends nodes."""
    parked: bool = False
    dropped: int = 0
    """Impossible values among its counters."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict of one cluster, from those of its pools."""

    cluster: str
    status: Status
    reason: str
    pools: tuple[PoolVerdict, ...] = ()
    resting: bool = False
    """Whether it is proven of every pool; False where the pools are not known."""
    at: datetime
    window_minutes: float
    usd_per_hour: float | None = None
    """The whole cluster; None while a part of it is not known."""
    at_stake_usd_per_hour: float | None = None
    """What scaling its GPU pools to zero would save."""


def verdict(cluster: Cluster, now: datetime, rules: Rules | None = None) -> Verdict:
    """The verdict of `cluster` at `now`. Never raises for what a record may hold."""
    judge = _Judge(cluster, now, rules or Rules())
    others = [pool for pool in cluster.pools or () if evidence.without_gpus(cluster, pool)]
    pools = tuple(judge.pool(pool) for pool in judge.gpu_pools)
    status, reason = judge.together(pools)
    return Verdict(
        cluster=cluster.name,
        status=status,
        reason=reason,
        pools=pools,
        resting=cluster.pools is not None and judge.stray() is None and all(pool.resting for pool in pools),
        at=now,
        window_minutes=judge.rules.window_minutes,
        usd_per_hour=None
        if cluster.pools is None
        else together([cluster.other_usd_per_hour, *(pool.usd_per_hour for pool in pools), *map(_cost, others)]),
        at_stake_usd_per_hour=together(0.0 if pool.prepaid else pool.usd_per_hour for pool in pools),
    )


@dataclass(frozen=True)
class _Judge:
    """One cluster at one moment."""

    cluster: Cluster
    now: datetime
    rules: Rules

    @property
    def gpu_pools(self) -> list[Pool]:
        """Pools of system nodes that a record may list are no matter of this."""
        return [pool for pool in self.cluster.pools or () if not evidence.without_gpus(self.cluster, pool)]

    def together(self, pools: tuple[PoolVerdict, ...]) -> tuple[Status, str]:
        """Protection, then the lease, then the least destructive of what the pools say, then what else the cluster serves."""
        cluster = self.cluster
        if (kept := protection.of(cluster)) is not None:
            return Status.PROTECTED, kept
        if self.expired:
            rests = cluster.pools is not None and self.stray() is None and all(pool.resting for pool in pools)
            rest = "nothing runs on it" if rests else "something may still run on it"
            return Status.EXPIRED, f"its lease ended on {cluster.expires}, and {rest}"
        if cluster.pools is None:
            return Status.UNKNOWN, "its GPU pools are not known"
        for status in (Status.ACTIVE, Status.HUNG, Status.UNKNOWN):
            first = next((pool for pool in pools if pool.status is status), None)
            if first is not None:
                return status, f"pool {first.pool}: {first.reason}"
        if pools and all(pool.status is Status.PROTECTED for pool in pools):
            return Status.PROTECTED, f"pool {pools[0].pool}: {pools[0].reason}"
        within = bool(pools) and all(self.told_from_within(pool) is not None for pool in self.gpu_pools)
        if (doubt := None if within else self.unread(dcgm=False) or self.stray()) is not None:
            return Status.UNKNOWN, doubt
        if (used := self.served()) is not None:
            return used
        if not pools:
            return Status.IDLE, "it has no GPU pool"
        if all(pool.nodes == 0 for pool in pools):
            return Status.IDLE, "no GPU node runs: there is nothing to save"
        return Status.IDLE, f"nothing used its GPU pools for {self.rules.window_minutes:g} minutes"

    def stray(self) -> str | None:
        """GPU nodes or pods that belong to no known pool: what they do is not judged above."""
        pools = {pool.name for pool in self.cluster.pools or ()}
        node = next((node for node in self.cluster.nodes or () if node.pool not in pools and node.gpus != 0), None)
        if node is not None:
            none = "" if node.gpus else " (a node without GPUs says so: gpus 0)"
            return f"node {node.name} belongs to pool {node.pool}, of which nothing is known{none}"
        if self.cluster.pods and not pools:
            return f"pod {self.cluster.pods[0].namespace}/{self.cluster.pods[0].name} asks for GPUs and no pool is known"
        return None

    @property
    def expired(self) -> bool:
        """Days end at midnight UTC, in whatever zone the present is written."""
        return self.cluster.expires is not None and self.now.astimezone(UTC).date() > self.cluster.expires

    def served(self) -> tuple[Status, str] | None:
        """Requests to an inference cluster that scaled to zero still make it a cluster in use."""
        requests = self.cluster.requests
        if self.cluster.workload == "training":
            return None
        if requests is None:
            return Status.UNKNOWN, "how often its models are asked is not known"
        recent = requests.last is not None and self.now - requests.last <= timedelta(hours=self.rules.rare_requests_hours)
        if recent or (requests.count and requests.last is None):
            return Status.ACTIVE, f"its models were asked {requests.count} times in the observed time"
        return None

    def pool(self, pool: Pool) -> PoolVerdict:
        found = self.judged(pool)
        found = replace(found, nodes=pool.current, usd_per_hour=_cost(pool), prepaid=_prepaid(pool, self.now))
        if (kept := protection.of(self.cluster)) is not None:
            return replace(found, status=Status.PROTECTED, reason=kept)
        if (kept := protection.of_pool(pool)) is not None:
            return replace(found, status=Status.PROTECTED, reason=kept, resting=False)
        if self.expired:
            reason = f"the lease ended on {self.cluster.expires}; {found.status}: {found.reason}"
            return replace(found, status=Status.EXPIRED, reason=reason)
        return found

    def judged(self, pool: Pool) -> PoolVerdict:
        """What the pool is used for, whatever lease and tags say. In this order: proof of use, doubt, proof of rest."""
        mine = evidence.of(self.cluster, pool)
        did = self.activity(pool, mine)
        of = PoolVerdict(pool=pool.name, status=Status.UNKNOWN, reason="", dropped=did.dropped, parked=bool(did.parked), facts=did.facts)
        if did.did is Did.SPIN and (exchanged := second.traffic(self.cluster, pool, self.rules)) is not None:
            return replace(of, reason=f"its GPUs look as if they hung, and yet {exchanged}")
        if did.did is Did.SPIN:
            return replace(of, status=Status.HUNG, reason=f"{did.reason}: full utilisation, low and flat power, no traffic")
        if did.did is Did.WORK:
            return replace(of, status=Status.ACTIVE, reason=did.reason)
        if (used := evidence.use(self.cluster, mine, self.now, self.rules)) is not None:
            return replace(of, status=Status.ACTIVE, reason=_with_parked(used, did))
        if (used := second.use(self.cluster, pool, self.now, self.rules)) is not None:
            return replace(of, status=Status.ACTIVE, reason=used)
        if (rest := self.told_from_within(pool)) is not None:
            return replace(of, status=Status.IDLE, reason=rest)
        doubt = self.unread(dcgm=bool(mine.nodes)) or evidence.doubt(self.cluster, pool, mine, self.now, self.rules)
        doubt = doubt or second.doubt(self.cluster, pool, self.rules)
        if doubt is not None:
            return replace(of, reason=doubt)
        if not mine.nodes:
            return replace(of, status=Status.IDLE, reason="it has no nodes", resting=True)
        if did.did is Did.UNCLEAR:
            return replace(of, reason=did.reason)
        if did.parked:  # a model that something outside of Kubernetes loaded
            return replace(of, reason=f"every GPU rested and no GPU pod ran, and yet {did.parked} are in use: by whom is not known")
        reason = f"no GPU pod ran or waited and every GPU rested for {self.rules.window_minutes:g} minutes"
        return replace(of, status=Status.IDLE, reason=reason, resting=True)

    def told_from_within(self, pool: Pool) -> str | None:
        """Rest by the heartbeat of a cluster whose API does not answer. It is told and never acted on: `resting` stays False.

        Counters are no help without nodes: they may show work, and then the heartbeat alone decides nothing.
        """
        if self.cluster.tags is None or self.cluster.series:
            return None
        others = [source for source in self.cluster.sources if source.name not in ("kubernetes", "dcgm")]
        if any(self.problem(source) is not None for source in others):
            return None
        return second.rests(self.cluster, pool, self.now, self.rules)

    def activity(self, pool: Pool, mine: evidence.Mine) -> Activity:
        readings = self.readings
        found = activity(self.metered(pool, mine), self.rules)
        if found.did is Did.WORK:
            return found
        if readings.ahead:
            text = f"samples lie {readings.ahead / 60:.0f} minutes in the future: a clock is wrong"
            return replace(found, did=Did.UNCLEAR, reason=text)
        if readings.unplaced:
            return replace(found, did=Did.UNCLEAR, reason=f"{readings.unplaced} series do not say which GPU they are about")
        return found

    @cached_property
    def readings(self) -> Readings:
        until = self.now.timestamp()
        since = until - self.rules.window_minutes * 60
        window = Window(since, until, self.cluster.step_seconds, self.rules.skew_minutes * 60)
        return read(self.cluster.series, window, evidence.node_names(self.cluster))

    def metered(self, pool: Pool, mine: evidence.Mine) -> Metered:
        return Metered(
            nodes=mine.nodes,
            gpus_of={node.name: _gpus(node, pool) for node in mine.nodes},
            readings=self.readings.on(node.name for node in mine.nodes),
            counters=self.cluster.counters,
            expected=self.readings.window.expected,
            window_seconds=self.rules.window_minutes * 60,
            oldest_sample=self.readings.window.until - self.rules.stale_minutes * 60,
            tdp_w=_tdp(self.cluster, pool),
        )

    def unread(self, *, dcgm: bool) -> str | None:
        """A source that was not asked, did not answer, answered too long ago, or whose clock is ahead."""
        if self.cluster.tags is None:
            return "its tags were not read, and may keep the idle tools away"
        for name in ("kubernetes", "dcgm") if dcgm else ("kubernetes",):
            if all(source.name != name for source in self.cluster.sources):
                return f"{name} was not asked"
        asked = [source for source in self.cluster.sources if dcgm or source.name != "dcgm"]
        return next((problem for source in asked if (problem := self.problem(source)) is not None), None)

    def problem(self, source: Source) -> str | None:
        if source.error is not None:
            return f"{source.name} did not answer: {source.error}"
        age = self.now - source.read_at
        if age > timedelta(minutes=self.rules.stale_minutes):
            return f"the answer of {source.name} is {age.total_seconds() / 60:.0f} minutes old"
        if age < -timedelta(minutes=self.rules.skew_minutes):
            return f"the clock of {source.name} is {-age.total_seconds() / 60:.0f} minutes ahead"
        return None


def _cost(pool: Pool) -> float | None:
    """US dollars per hour of its machines; None where size or price is not known."""
    if pool.current == 0:
        return 0.0
    return None if pool.usd_per_node_hour is None or pool.current is None else pool.usd_per_node_hour * pool.current


def _prepaid(pool: Pool, now: datetime) -> bool:
    """Whether its machines are paid for now: outside of its window a capacity block covers nothing."""
    if pool.market not in (Market.CAPACITY_BLOCK, Market.CALENDAR):
        return False
    begun = pool.window_starts is None or pool.window_starts <= now
    return begun and (pool.window_ends is None or now < pool.window_ends)


def _with_parked(used: str, did: Activity) -> str:
    return f"{used}; its GPUs rest, with a model in memory" if did.did is Did.REST and did.parked else used


def _gpus(node: Node, pool: Pool) -> int | None:
    """The larger figure where node and machine differ: a node that lost a GPU still has it in the machine."""
    known = [count for count in (node.gpus, pool.gpus_per_node) if count is not None]
    return max(known, default=None)


def _tdp(cluster: Cluster, pool: Pool) -> float | None:
    machine = catalog.find_machine(cluster.cloud, pool.machine) if cluster.cloud and pool.machine else None
    if machine is None or machine.gpu_model is None:
        return None
    try:
        return catalog.gpus.gpu(machine.gpu_model).tdp_w
    except catalog.UnknownName:
        return None


def together(parts: Iterable[float | None]) -> float | None:
    """The sum; None while a part is not known."""
    figures = list(parts)
    return None if any(part is None for part in figures) else sum(part for part in figures if part is not None)
