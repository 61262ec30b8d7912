"""One look at every watched pool of one cluster. A pool that AWS refuses to tell of ends the run in an error, after the others."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from components import heartbeat, idle_tags

from .account import Account
from .rest import judged
from .step import Do, Group, Policy, Step, kept, step, to_record

SETTINGS = "GPUKIT_IDLE_WATCH"
"""The variable that holds the settings, as JSON with the names of `Settings`."""
SUBJECT = 100
"""Longest subject of an SNS message (SNS API reference, Publish)."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the component decided."""

    cluster: str
    stack: str
    topic: str
    grace_minutes: float
    acts: bool
    pools: Mapping[str, tuple[str, Mapping[str, int]]]
    """By pool: its node group, and the GPUs of each machine type that it may hold."""

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Settings:
        """Raises KeyError or ValueError where the component did not write them."""
        given = json.loads(environment[SETTINGS])
        return cls(
            cluster=str(given["cluster"]),
            stack=str(given["stack"]),
            topic=str(given["topic"]),
            grace_minutes=float(given["grace_minutes"]),
            acts=given["acts"] is True,
            pools={str(pool): (str(group), _counts(gpus)) for pool, (group, gpus) in given["pools"].items()},
        )

    @property
    def window_minutes(self) -> float:
        """The grace lies within what is looked at: whatever happened since the warning is seen."""
        return max(self.grace_minutes, heartbeat.WINDOW_MINUTES)


def _counts(gpus: Mapping[str, int]) -> Mapping[str, int]:
    return {str(machine): int(count) for machine, count in gpus.items()}


def handle(event: object, context: object) -> dict[str, str]:
    """Lambda's entry."""
    del event, context
    return watch(Settings.read(os.environ), _account(), datetime.now(UTC))


def watch(settings: Settings, account: Account, now: datetime) -> dict[str, str]:
    """What was done about each pool. Raises RuntimeError when a pool could not be looked at or changed."""
    if kept(account.cluster_tags(settings.cluster)):
        return dict.fromkeys(settings.pools, "protected: its cluster carries gpukit/idle=keep")
    done: dict[str, str] = {}
    failed: list[str] = []
    for pool in settings.pools:
        try:
            done[pool] = _one(pool, settings, account, now)
        except Exception as error:  # noqa: BLE001 # one pool's trouble, of whatever kind, must not hide the others; all of it is raised below
            failed.append(f"{pool}: {type(error).__name__}: {error}")
    print(json.dumps({"cluster": settings.cluster, "pools": done, "failed": failed}))  # noqa: T201 # Lambda logs what is printed
    if failed:
        raise RuntimeError(f"cluster {settings.cluster}: {'; '.join(failed)}")
    return done


def _one(pool: str, settings: Settings, account: Account, now: datetime) -> str:
    name, by_machine = settings.pools[pool]
    group = account.group(settings.cluster, name)
    if kept(group.tags):
        return "protected: its node group carries gpukit/idle=keep"
    gpus = account.gpus(group, by_machine)
    series = account.beats(settings.cluster, pool, now, settings.window_minutes)
    found = judged(series, gpus, now, settings.window_minutes)
    next_ = step(group, found, Policy(grace_minutes=settings.grace_minutes, acts=settings.acts), now)
    _carry_out(pool, group, next_, settings, account, now)
    return f"{next_.do}: {next_.reason}"


def _carry_out(  # noqa: PLR0913, PLR0917 # the parts of one step
    pool: str, group: Group, next_: Step, settings: Settings, account: Account, now: datetime
) -> None:
    """Told before it counts, written down before it changes: a run that is cut off anywhere goes on with the next one."""
    match next_.do:
        case Do.WARN:
            account.publish(settings.topic, _subject(f"pool {pool} of {settings.cluster} is idle"), _warning(pool, next_, settings))
            account.tag(group, {idle_tags.WARNED_KEY: idle_tags.time_text(now)})
        case Do.FORGET:
            account.untag(group, idle_tags.WARNED_KEY)
        case Do.SCALE:
            record = to_record(group, now)
            account.tag(group, {idle_tags.SIZES_KEY: record.text})
            account.to_zero(settings.cluster, group)
            account.publish(
                settings.topic, _subject(f"pool {pool} of {settings.cluster} went to zero"), _ended(pool, next_, record, settings)
            )
            account.untag(group, idle_tags.WARNED_KEY)
        case Do.NOTHING | Do.WAIT:
            pass


def _subject(text: str) -> str:
    return f"gpukit: {text}"[:SUBJECT]


def _warning(pool: str, next_: Step, settings: Settings) -> str:
    keep = f"To keep it: use it, or tag the cluster or the node group {idle_tags.KEEP_KEY}={idle_tags.KEEP}."
    if next_.due is None or not settings.acts:
        return f"Pool {pool} of cluster {settings.cluster}: {next_.reason}. Its stack allows no action, and it goes on billing. {keep}"
    due = idle_tags.time_text(next_.due)
    return f"Pool {pool} of cluster {settings.cluster}: {next_.reason}. If it still rests at {due}, it is scaled to zero. {keep}"


def _ended(pool: str, next_: Step, record: idle_tags.Recorded, settings: Settings) -> str:
    return (
        f"Pool {pool} of cluster {settings.cluster} is scaled to zero: {next_.reason}. "
        f"It had {record.desired} nodes ({record.minimum} to {record.maximum}); `gpukit resume {settings.stack}` brings them back."
    )


def _account() -> Account:
    import boto3

    def client(name: str) -> Any:
        return cast("Any", boto3).client(name)

    return Account(eks=client("eks"), autoscaling=client("autoscaling"), cloudwatch=client("cloudwatch"), sns=client("sns"))
