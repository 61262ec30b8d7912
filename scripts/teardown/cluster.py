"""What a teardown asks of the API server of the cluster that is to end."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from scripts.teardown.model import Thing


class Cluster(Protocol):
    """Every method raises Unreachable when the server does not answer, Failed when it refuses."""

    def find(self, kinds: Collection[str]) -> tuple[Thing, ...]:
        """Objects of these kinds in all namespaces; a kind that the server does not know has none. `detail` is the object's body."""
        ...

    def delete(self, thing: Thing) -> None:
        """Ask for its end; one that is gone already is no error."""
        ...

    def change(self, thing: Thing, body: Mapping[str, Any]) -> None:
        """Merge `body` into the object; one that is gone already is no error."""
        ...


class Unreachable(Exception):
    """The API server does not answer: nothing is known about what is in the cluster."""
