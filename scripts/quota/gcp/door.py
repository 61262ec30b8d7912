"""The way to a Google Cloud project's quotas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from components.demand import Ask
from components.inventory import NodePool
from scripts.quota.door import Extras, InUse, OpenRequest
from scripts.quota.readings import Readings, Wanted

from . import instances, limits, requests
from .session import Clients, clients_of_environment


@dataclass(frozen=True)
class GoogleDoor:
    project: str
    clients: Clients

    @classmethod
    def opened(cls, project: str) -> GoogleDoor:
        """Raises Failed without credentials. Every call names the project, so that no other one is read."""
        return cls(project, clients_of_environment())

    def read(self, wanted: Wanted) -> Readings:
        found = Readings()
        for place, codes in wanted.items():
            found += limits.read_place(self.clients, self.project, place, codes)
        return found

    def in_use(self, stacks: Sequence[str], regions: Sequence[str]) -> InUse:
        return instances.in_use(self.clients, self.project, stacks, regions)

    def extras(self, pools: Iterable[NodePool]) -> Extras:
        return instances.extras(self.clients, self.project, pools)

    def open_request(self, ask: Ask) -> OpenRequest | None:
        return requests.open_request(self.clients, self.project, ask)

    def send(self, ask: Ask) -> OpenRequest:
        return requests.send(self.clients, self.project, ask)
