"""What a teardown speaks of: the target, the things in its clouds and clusters, and what is remembered about them. Plain values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

World = Literal["sandbox", "real"]


@dataclass(frozen=True, kw_only=True)
class Target:
    """The one cluster that is to end, with everything that belongs to it."""

    cloud: str
    account: str
    """Account id, project id or subscription id."""
    region: str
    cluster: str
    world: World
    stack: str = ""
    """"" when neither a stack file nor the cluster's tags tell it."""

    @property
    def name(self) -> str:
        """What a person types to confirm."""
        return self.stack or self.cluster

    @property
    def place(self) -> str:
        return f"cluster {self.cluster} in {self.cloud} account {self.account}, {self.region}"


@dataclass(frozen=True, kw_only=True)
class Thing:
    """Something in the cloud (`kind` in small letters, of `kinds.py`) or an object in the cluster (`kind` as Kubernetes spells it)."""

    kind: str
    id: str
    name: str = ""
    why: str = ""
    """How we know that it is the target's."""
    monthly_usd: float | None = 0.0
    """What leaving it costs; None: billed, but at a price that is not known, which is never nothing."""
    kept: str = ""
    """Why it is left on purpose; "" for what is to go."""
    detail: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def label(self) -> str:
        return f"{self.kind} {self.id}" + (f" ({self.name})" if self.name and self.name != self.id else "")

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "id": self.id,
            "name": self.name,
            "why": self.why,
            "monthly_usd": None if self.monthly_usd is None else round(self.monthly_usd, 2),
            "kept": self.kept,
        }


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What has to be remembered of the target because it cannot be asked for once its cluster is gone."""

    stack: str = ""
    network: str = ""
    """Id of its VPC or network."""
    issuer: str = ""
    """Address of its token issuer, by which its identity provider is known."""
    uid: str = ""
    """Uid of its namespace kube-system, which stands for the cluster in names and descriptions that GKE's controllers give."""
    reservations: str = ""
    """Names of the reservations that its pools name, with commas between."""
    group: str = ""
    """Azure: the cluster's resource group, and that of its nodes."""
    policies: Mapping[str, str] = field(default_factory=dict[str, str])
    """Volume id to the reclaim policy of its claim: `Delete` or `Retain`."""

    def with_(self, later: Scope) -> Scope:
        """The same, completed and corrected by what was seen later."""
        return Scope(
            stack=later.stack or self.stack,
            network=later.network or self.network,
            issuer=later.issuer or self.issuer,
            uid=later.uid or self.uid,
            reservations=later.reservations or self.reservations,
            group=later.group or self.group,
            policies={**self.policies, **later.policies},
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "stack": self.stack, "network": self.network, "issuer": self.issuer, "uid": self.uid, "reservations": self.reservations,
            "group": self.group, "policies": dict(self.policies),
        }  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One look at everything that was asked for. `things` holds cloud and cluster alike."""

    things: tuple[Thing, ...] = ()
    scope: Scope = field(default_factory=Scope)
    recorded: frozenset[str] = frozenset()
    """Ids in the stack's state; empty when the state is lost."""
    silent: bool = False
    """The API server was asked and did not answer: that no object was seen says nothing."""

    def of(self, kinds: Iterable[str]) -> tuple[Thing, ...]:
        wanted = frozenset(kinds)
        return tuple(thing for thing in self.things if thing.kind in wanted)

    def going(self, kinds: Iterable[str]) -> tuple[Thing, ...]:
        """Those of `kinds` that are not kept on purpose."""
        return tuple(thing for thing in self.of(kinds) if not thing.kept)


def monthly(things: Collection[Thing]) -> tuple[float, bool]:
    """Sum in USD per month, and whether some price in it is unknown."""
    return sum(thing.monthly_usd or 0.0 for thing in things), any(thing.monthly_usd is None for thing in things)


def usd_text(things: Collection[Thing]) -> str:
    """`about 412 USD a month`, `at least …` where a price is missing, "" for what costs nothing."""
    total, partial = monthly(things)
    if not total and not partial:
        return ""
    if not total:
        return "at a price that is not known"
    return f"{'at least' if partial else 'about'} {total:,.2f} USD a month"
