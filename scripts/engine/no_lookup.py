"""Stands in for clouds whose lookup is not built: nothing can be told there, so nothing is decided."""

from __future__ import annotations

from dataclasses import dataclass

from scripts.engine.lookup import Answer, CannotTell, Leftover
from scripts.engine.state import PendingOperation, State


@dataclass(frozen=True)
class NoLookup:
    cloud: str

    def of(self, operation: PendingOperation, state: State) -> Answer:
        del state
        return CannotTell(f"looking for a {operation.type} on {self.cloud} is not built yet")

    def settle(self, operation: PendingOperation, id_: str) -> None:
        """Nothing is ever found here."""

    def outside(self, state: State) -> tuple[Leftover, ...]:
        """Nothing is made on this cloud yet (its stack files are refused before), so nothing can be left there."""
        del state
        return ()
