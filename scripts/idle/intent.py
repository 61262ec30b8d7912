"""What should be done about a verdict, and when: warn, wait, act. Pure; the past comes in as a record, the present as a time.

A warning starts a grace that ends only in an action if the cluster is still idle then, at whatever run that is: a missed run catches up.
Anything but idle or expired ends the grace: the next one begins anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from .verdict import Status, Verdict, together


class Strongest(StrEnum):
    """The most that may happen to a cluster."""

    NOTIFY = "notify"
    SCALE_TO_ZERO = "scale_to_zero"
    DESTROY = "destroy"


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What the stack file's `idle` allows; these defaults where nothing says otherwise."""

    grace_minutes: float = 60.0
    strongest: Strongest = Strongest.NOTIFY
    """A cluster without a stack file of its own is only spoken about."""
    known: bool = True
    """False: the file that is judged does not say what the stack allows."""
    why_not: str = ""
    """Why nothing is allowed, where it is not the stack that says so."""


@dataclass(frozen=True, kw_only=True)
class Past:
    """What earlier runs did about a cluster."""

    warned_at: datetime | None = None
    acted_at: datetime | None = None
    action: str = ""


class Do(StrEnum):
    NOTHING = "nothing"
    TELL = "tell"
    """Say what is the matter; no action will follow from it."""
    WARN = "warn"
    """Say what will happen, and begin the grace."""
    WAIT = "wait"
    """The grace runs."""
    SCALE = "scale to zero"
    DESTROY = "destroy"


ENDS_NODES = (Do.SCALE, Do.DESTROY)


@dataclass(frozen=True, kw_only=True)
class Intent:
    """One cluster's next step."""

    cluster: str
    do: Do
    reason: str
    pools: tuple[str, ...] = ()
    """Pools to scale to zero."""
    usd_per_hour: float | None = None
    """What acting would save; None while it is not known."""
    due: datetime | None = None
    """When the grace ends."""
    past: Past = Past()
    """The record for the next run, once the step is done."""


def intent(verdict: Verdict, policy: Policy, past: Past) -> Intent:
    """The next step for one cluster. Only proven rest is ever ended; `Strongest.DESTROY` destroys only what rests as a whole."""
    if verdict.status in (Status.HUNG, Status.UNKNOWN):
        return Intent(cluster=verdict.cluster, do=Do.TELL, reason=verdict.reason)
    if verdict.status in (Status.ACTIVE, Status.PROTECTED):
        return Intent(cluster=verdict.cluster, do=Do.NOTHING, reason=verdict.reason)
    resting = tuple(pool for pool in verdict.pools if pool.resting and pool.nodes and not pool.prepaid)
    destroys = policy.strongest is Strongest.DESTROY and verdict.resting
    if not resting and not destroys:
        return _without_action(verdict)
    if policy.strongest is Strongest.NOTIFY:
        allows = policy.why_not or ("its stack allows no action" if policy.known else "what its stack allows is not in the file")
        return Intent(cluster=verdict.cluster, do=Do.TELL, reason=f"{verdict.reason}; {allows}")
    saved = verdict.usd_per_hour if destroys else together(pool.usd_per_hour for pool in resting)
    since = past.warned_at
    due = (since or verdict.at) + timedelta(minutes=policy.grace_minutes)
    pools = tuple(pool.pool for pool in resting)
    if since is None:
        return Intent(
            cluster=verdict.cluster,
            do=Do.WARN,
            reason=verdict.reason,
            pools=pools,
            usd_per_hour=saved,
            due=due,
            past=Past(warned_at=verdict.at),
        )
    if verdict.at < due:
        return Intent(cluster=verdict.cluster, do=Do.WAIT, reason=verdict.reason, pools=pools, usd_per_hour=saved, due=due, past=past)
    do = Do.DESTROY if destroys else Do.SCALE
    done = Past(warned_at=since, acted_at=verdict.at, action=str(do))
    return Intent(cluster=verdict.cluster, do=do, reason=verdict.reason, pools=pools, usd_per_hour=saved, due=due, past=done)


def _without_action(verdict: Verdict) -> Intent:
    """Nothing to end: no nodes, nodes that are paid for, or nodes of which nobody knows whether they rest."""
    untouched = any(pool.status is Status.IDLE and pool.nodes and not pool.resting for pool in verdict.pools)
    if untouched or (verdict.status is Status.EXPIRED and not verdict.resting):
        return Intent(cluster=verdict.cluster, do=Do.TELL, reason=verdict.reason)
    return Intent(cluster=verdict.cluster, do=Do.NOTHING, reason=f"{verdict.reason}; no node that bills can be taken away")


@dataclass(frozen=True, kw_only=True)
class Reach:
    """The most that one run may end. Beyond any of them nothing is touched at all: a wrong rule must not end a fleet."""

    clusters: int = 10
    share: float = 0.5
    """Of the clusters that were judged; counts from four clusters on, as of two one is half already."""
    usd_per_hour: float = 500.0

    def __post_init__(self) -> None:
        if self.clusters < 1:
            raise ValueError(f"the limit of clusters is {self.clusters}: give at least 1")
        if not 0 < self.share <= 1:
            raise ValueError(f"the limit of the share is {self.share:g}: give more than 0 and at most 1")
        if not self.usd_per_hour > 0:
            raise ValueError(f"the limit of US dollars per hour is {self.usd_per_hour:g}: give more than 0")


FEW = 4
"""Under so many clusters a share says nothing."""


def beyond(intents: Sequence[Intent], reach: Reach) -> str | None:
    """Why the whole run must stop; None when it may go on. An unknown price is beyond any limit."""
    acting = [each for each in intents if each.do in ENDS_NODES]
    if len(acting) > reach.clusters:
        return f"{len(acting)} clusters would be acted upon, the limit is {reach.clusters}"
    if len(intents) >= FEW and len(acting) > reach.share * len(intents):
        return f"{len(acting)} of {len(intents)} clusters would be acted upon, the limit is {reach.share:.0%}"
    unpriced = [each.cluster for each in acting if each.usd_per_hour is None]
    if unpriced:
        return f"what {unpriced[0]} costs is not known, so the limit of {reach.usd_per_hour:g} USD per hour cannot be kept"
    total = sum(each.usd_per_hour or 0.0 for each in acting)
    return f"{total:,.2f} USD per hour would be ended, the limit is {reach.usd_per_hour:,.2f}" if total > reach.usd_per_hour else None
