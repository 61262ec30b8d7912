"""Who is asked about what: objects in the cluster by its API server, everything else by the stack's cloud."""

from __future__ import annotations

from dataclasses import dataclass

from scripts.engine.lookup import IN_CLUSTER, Answer, CloudLookup, Leftover
from scripts.engine.state import PendingOperation, State


@dataclass(frozen=True)
class StackLookup:
    cloud: CloudLookup
    cluster: CloudLookup

    def of(self, operation: PendingOperation, state: State) -> Answer:
        return self._asked(operation).of(operation, state)

    def settle(self, operation: PendingOperation, id_: str) -> None:
        self._asked(operation).settle(operation, id_)

    def _asked(self, operation: PendingOperation) -> CloudLookup:
        return self.cluster if operation.type.startswith(IN_CLUSTER) else self.cloud

    def outside(self, state: State) -> tuple[Leftover, ...]:
        """Objects in a cluster go with it: only the cloud is asked."""
        return self.cloud.outside(state)
