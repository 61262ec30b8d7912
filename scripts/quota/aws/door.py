"""The way to an AWS account's quotas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from components.demand import Ask
from components.inventory import NodePool
from scripts.errors import Failed, Refused
from scripts.quota.door import Extras, InUse, OpenRequest
from scripts.quota.readings import Gap, Readings, Wanted, regions_of

from . import instances, limits, offers, requests
from .session import Clients, ask, clients_of_environment


@dataclass(frozen=True)
class AwsDoor:
    account: str | None
    """The account that the credentials must open."""
    clients: Clients

    @classmethod
    def opened(cls, account: str | None, region: str) -> AwsDoor:
        """Raises Refused when the credentials are another account's, Failed when there are none or they do not hold."""
        door = cls(account, clients_of_environment())
        door.refuse_another_account(region)
        return door

    def refuse_another_account(self, region: str) -> None:
        """Limits of another account would be recorded as this one's."""
        found = ask(region, "sts:GetCallerIdentity", lambda: str(self.clients("sts", region).get_caller_identity()["Account"]))
        if isinstance(found, Gap):
            raise Failed(f"AWS did not say whose the credentials are. {found}")
        if self.account is not None and found != self.account:
            raise Refused(
                f"the stacks belong to AWS account {self.account}, the credentials to {found}: switch credentials, or name other stacks."
            )

    def read(self, wanted: Wanted) -> Readings:
        found = Readings()
        for region in regions_of(wanted):
            found += limits.read_region(self.clients, region, wanted[region])
        return found

    def in_use(self, stacks: Sequence[str], regions: Sequence[str]) -> InUse:
        return instances.in_use(self.clients, stacks, regions)

    def extras(self, pools: Iterable[NodePool]) -> Extras:
        return offers.extras(self.clients, pools)

    def open_request(self, ask: Ask) -> OpenRequest | None:
        return requests.open_request(self.clients, ask)

    def send(self, ask: Ask) -> OpenRequest:
        return requests.send(self.clients, ask)
