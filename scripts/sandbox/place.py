"""Where a record lives: the accounts, regions and clusters of the simulated clouds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A place of one cloud: an AWS account and region, or a Kubernetes cluster in it. `key` is what records carry."""

    cloud: str
    account: str
    region: str
    cluster: str = ""

    @property
    def key(self) -> str:
        path = f"{self.cloud}/{self.account}/{self.region}"
        return f"k8s/{path}/{self.cluster}" if self.cluster else path

    def in_cluster(self, name: str) -> Place:
        return Place(self.cloud, self.account, self.region, name)

    @property
    def outside(self) -> Place:
        """The account and region that hold the cluster."""
        return Place(self.cloud, self.account, self.region)

    @classmethod
    def of(cls, key: str) -> Place:
        parts = key.split("/")
        return cls(*parts[1:]) if parts[0] == "k8s" else cls(*parts)
