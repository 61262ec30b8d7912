"""The clusters to look at, as their stack files describe them: names, account, region, lease, what may be done to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from components.inventory import Cloud
from components.spec import InferenceSpec, TrainingSpec
from scripts.engine.checkout import Checkout
from scripts.engine.stack_settings import settings_of
from scripts.errors import GpukitError
from scripts.idle.intent import Policy, Strongest


@dataclass(frozen=True, kw_only=True)
class Target:
    """One cluster: a stack's, or one that was found beside them."""

    stack: str
    """Of a cluster that no stack file names: `cloud/account/region/name`."""
    cluster: str
    cloud: Cloud
    account: str
    region: str
    workload: str | None
    """None: no stack file says."""
    owner: str
    expires: date | None
    policy: Policy
    notify: tuple[str, ...]
    markets: dict[str, str]
    """How each pool is bought, by pool name: what the cloud's answer does not say."""
    discovered: bool = False
    """Found in an account, without a stack file: only spoken about."""


@dataclass(frozen=True, kw_only=True)
class Unread:
    """A stack whose file cannot be read: nothing is known about it."""

    stack: str
    error: str


def targets(checkout: Checkout, stacks: Sequence[str]) -> tuple[list[Target], list[Unread]]:
    """The clusters of `stacks`; one broken file hides no other."""
    found: list[Target] = []
    unread: list[Unread] = []
    for stack in stacks:
        try:
            found.append(target(checkout, stack))
        except GpukitError as error:
            unread.append(Unread(stack=stack, error=str(error)))
    return found, unread


def target(checkout: Checkout, stack: str) -> Target:
    """The cluster of `stack`. Raises BadInput with every error of its file."""
    settings = settings_of(checkout, stack)
    spec = settings.spec
    return Target(
        stack=stack,
        cluster=spec.name,
        cloud=spec.cloud,
        account=spec.account,
        region=settings.region,
        workload=spec.workload,
        owner=spec.owner,
        expires=spec.lease.expires if spec.lease else None,
        policy=policy(spec),
        notify=spec.idle.notify,
        markets={pool.name: str(pool.capacity.mode) for pool in spec.pools},
    )


def policy(spec: TrainingSpec | InferenceSpec) -> Policy:
    """What the stack file's `idle` allows."""
    return Policy(grace_minutes=spec.idle.grace_minutes, strongest=Strongest(spec.idle.strongest_action))
