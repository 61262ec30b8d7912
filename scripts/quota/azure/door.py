"""The way to an Azure subscription's quotas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from components.demand import Ask
from components.inventory import NodePool
from scripts.quota.door import Extras, InUse, OpenRequest
from scripts.quota.readings import Readings, Wanted, regions_of

from . import requests, scale_sets, usages
from .session import Clients, clients_of_environment


@dataclass(frozen=True)
class AzureDoor:
    subscription: str
    clients: Clients

    @classmethod
    def opened(cls, subscription: str) -> AzureDoor:
        """Every call names the subscription, so that no other one is read."""
        return cls(subscription, clients_of_environment(subscription))

    def read(self, wanted: Wanted) -> Readings:
        found = Readings()
        for region in regions_of(wanted):
            found += usages.read_region(self.clients, region, wanted[region])
        return found

    def in_use(self, stacks: Sequence[str], regions: Sequence[str]) -> InUse:
        return scale_sets.in_use(self.clients, stacks, regions)

    def extras(self, pools: Iterable[NodePool]) -> Extras:
        return scale_sets.extras(self.clients, pools)

    def open_request(self, ask: Ask) -> OpenRequest | None:
        return requests.open_request(self.clients, self.subscription, ask)

    def send(self, ask: Ask) -> OpenRequest:
        return requests.send(self.clients, self.subscription, ask)
