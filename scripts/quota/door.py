"""The way to one account's quotas: what each cloud's part of this command offers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from components.demand import Ask
from components.inventory import NodePool

from .nodes_in_use import RunningNodes
from .readings import Gap, Readings, Wanted


@dataclass(frozen=True, kw_only=True)
class OpenRequest:
    """An increase that the cloud has not decided yet."""

    id: str
    status: str
    value: float | None


@dataclass(frozen=True, kw_only=True)
class InUse:
    nodes: tuple[RunningNodes, ...] = ()
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Extras:
    """What the account tells about capacity beside quotas. Advice: a quota is no promise of machines (J3)."""

    lines: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()


class Door(Protocol):
    """One account. Every method raises Failed where the credentials are missing, expired or of another account."""

    def read(self, wanted: Wanted) -> Readings:
        """Limits and usage. What one region or permission withholds is a gap, and the rest is answered."""
        ...

    def in_use(self, stacks: Sequence[str], regions: Sequence[str]) -> InUse:
        """Running nodes that carry the identity of one of `stacks`."""
        ...

    def extras(self, pools: Iterable[NodePool]) -> Extras:
        """Where the machines of `pools` are offered, and how likely spot capacity is."""
        ...

    def open_request(self, ask: Ask) -> OpenRequest | None:
        """An undecided increase of the same quota. Raises Failed where that cannot be told: asking twice is worse than not at all."""
        ...

    def send(self, ask: Ask) -> OpenRequest:
        """File the increase. Raises Failed when the cloud refuses it."""
        ...
