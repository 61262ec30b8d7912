"""What to do about a pool, and when: warn, wait, act. Pure; the past stands in the tags of the node group.

A warning starts a grace; only a pool that still rests at its end is scaled to zero, at whatever run that is. Anything but rest ends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from components import heartbeat, idle_tags

from .rest import Judged, Status

USABLE = "ACTIVE"
"""Status of a node group that takes changes (EKS API, Nodegroup)."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """A node group as EKS tells of it. Sizes in nodes."""

    arn: str
    name: str
    status: str
    minimum: int
    desired: int
    maximum: int
    tags: Mapping[str, str]
    scaling_groups: tuple[str, ...]


class Do(StrEnum):
    NOTHING = "nothing"
    FORGET = "forget the warning"
    WARN = "warn"
    WAIT = "wait"
    SCALE = "scale to zero"


@dataclass(frozen=True, kw_only=True)
class Step:
    do: Do
    reason: str
    due: datetime | None = None
    """When the grace ends."""


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What the stack file's `idle` allows."""

    grace_minutes: float
    acts: bool
    """False: people are told, and nothing is scaled."""


def kept(tags: Mapping[str, str]) -> bool:
    """Whether somebody asked to leave this cluster or node group alone."""
    return idle_tags.kept_by(tags) is not None


def step(group: Group, judged: Judged, policy: Policy, now: datetime) -> Step:
    """The next step for a pool that nobody protects."""
    warned = _warned(group, now)
    if group.minimum == group.desired == 0:
        return _leave(group, "it is at zero")
    if group.status != USABLE:
        return _leave(group, f"its node group is {group.status}")
    if judged.status is not Status.IDLE:
        return _leave(group, f"{judged.status}: {judged.reason}")
    due = (warned or now) + timedelta(minutes=policy.grace_minutes)
    if warned is None:
        return Step(do=Do.WARN, reason=judged.reason, due=due)
    if not policy.acts:
        return Step(do=Do.NOTHING, reason=f"{judged.reason}; people were told, and its stack allows no action")
    return Step(do=Do.WAIT if now < due else Do.SCALE, reason=judged.reason, due=due)


def to_record(group: Group, now: datetime) -> idle_tags.Recorded:
    """The sizes to write down before the group goes to zero: those already written, unless somebody has raised the minimum since.

    Raises ValueError for a record that cannot be read: the sizes in it would be lost for good.
    """
    before = idle_tags.recorded(group.tags.get(idle_tags.SIZES_KEY))
    if before is not None and group.minimum <= before.minimum:
        return before
    return idle_tags.Recorded(minimum=group.minimum, desired=group.desired, maximum=group.maximum, at=now)


def _warned(group: Group, now: datetime) -> datetime | None:
    """When people were warned. A time that cannot be read, or lies ahead, warns anew."""
    warned = idle_tags.time(group.tags.get(idle_tags.WARNED_KEY))
    ahead = warned is not None and warned > now + timedelta(minutes=heartbeat.SKEW_MINUTES)
    return None if ahead else warned


def _leave(group: Group, reason: str) -> Step:
    return Step(do=Do.FORGET if idle_tags.WARNED_KEY in group.tags else Do.NOTHING, reason=reason)
