"""The one Protocol through which a teardown meets a cloud."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Protocol

from scripts.teardown.model import Scope, Thing


class Busy(Exception):
    """Something else still needs the thing: it is tried again until the step's time is over. The text is the cloud's own reason."""


@dataclass(frozen=True, kw_only=True)
class ClusterFacts:
    """A cluster as its cloud's API describes it."""

    name: str
    ready: bool
    protected: bool
    """The cloud refuses to delete it (H14)."""
    endpoint: str
    """Address of its API server; "" while there is none."""
    authority: str = ""
    """Certificate, base64."""
    token_command: tuple[str, ...] = ()
    """Prints an ExecCredential."""
    scope: Scope = field(default_factory=Scope)


class Cloud(Protocol):
    """Reads and deletes in one account and region. Every method raises Failed when the cloud does not answer."""

    def cluster(self) -> ClusterFacts | None:
        """The target's cluster; None only when the cloud has proven that there is none."""
        ...

    def namesakes(self) -> tuple[str, ...]:
        """The other places of the account in which a cluster of the target's name stands. What an account has once, such as a role, tells
        by the name alone whose it is.
        """
        ...

    def find(self, kinds: Collection[str], scope: Scope) -> tuple[Thing, ...]:
        """What carries the target's identity, or belongs to it by exact name and parent where its kind carries none."""
        ...

    def to_zero(self, pool: Thing) -> None:
        """No machine in `pool`, and nothing that starts one again."""
        ...

    def delete(self, thing: Thing) -> None:
        """Ask for the end of one thing; one that is gone already is no error. Raises Busy while something else needs it."""
        ...
