"""Who is asked about what: objects in the cluster by its API server, everything else by the stack's cloud."""

from __future__ import annotations

from dataclasses import dataclass

from scripts.engine.kubernetes_lookup import PREFIX
from scripts.engine.lookup import Answer, CloudLookup, Leftover
from scripts.engine.state import PendingOperation, State


@dataclass(frozen=True)
class StackLookup:
    cloud: CloudLookup
    cluster: CloudLookup

    def of(self, operation: PendingOperation, state: State) -> Answer:
        asked = self.cluster if operation.type.startswith(PREFIX) else self.cloud
        return asked.of(operation, state)

    def outside(self, state: State) -> tuple[Leftover, ...]:
        """Objects in a cluster go with it: only the cloud is asked."""
        return self.cloud.outside(state)
