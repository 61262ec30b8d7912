"""What a cloud answers when asked whether something exists that the state does not know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scripts.engine.state import PendingOperation, State

IN_CLUSTER = "kubernetes:"
"""Begins the type tokens of objects in a cluster."""


@dataclass(frozen=True)
class Exists:
    """It is there, under these ids in the provider's own form (more than one where the search cannot tell them apart)."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Absent:
    """The cloud was asked in a way that would have found it, and it is not there; or making it again makes nothing twice."""

    why: str = "it was not made"


@dataclass(frozen=True)
class CannotTell:
    """Nobody was asked, or the answer proves nothing. Never taken for absence: a second one may cost as much as the first."""

    reason: str


Answer = Exists | Absent | CannotTell


@dataclass(frozen=True)
class Leftover:
    """Something with the stack's identity that its state does not hold."""

    name: str
    """ARN or self link."""
    resource: str
    """Logical name in its identity tags; "" without."""
    types: tuple[str, ...] = ()
    """Type tokens that it may have been made as; () for what no program makes itself, such as a pool's machines."""
    kept: bool = False
    """Data, or what data cannot do without: a destroy leaves it on purpose."""


class CloudLookup(Protocol):
    """Read-only questions to the clouds of one stack. All raise Failed when the cloud does not answer."""

    def of(self, operation: PendingOperation, state: State) -> Answer:
        """Whether the object of an interrupted create exists outside of `state`."""
        ...

    def settle(self, operation: PendingOperation, id_: str) -> None:
        """Wait until the found object is ready to be built upon; one whose delete is under way: gone. Raises Failed when it never is."""
        ...

    def outside(self, state: State) -> tuple[Leftover, ...]:
        """Everything with the stack's identity that `state` does not hold, sorted by name."""
        ...
