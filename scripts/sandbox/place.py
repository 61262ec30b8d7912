"""Where a record lives: the accounts, regions and clusters of the simulated clouds."""

from __future__ import annotations

from dataclasses import dataclass

ACCOUNTS = {"aws": "123456789012", "gcp": "simulated-project", "azure": "00000000-0000-0000-0000-000000000000"}
"""The account of each cloud (account id, project id, subscription id) while nobody declares another; none belongs to anyone."""


@dataclass(frozen=True)
class Place:
    """A place of one cloud, or a Kubernetes cluster in it. `key` is what records carry.

    `account` is an AWS account id, a GCP project id or an Azure subscription id; `region` an AWS region, a GCP location (region or zone;
    `global` for all records but clusters' objects, whose ids tell the location), or the name of an Azure resource group.
    """

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
        """The place that holds the cluster."""
        return Place(self.cloud, self.account, self.region)

    @classmethod
    def of(cls, key: str) -> Place:
        parts = key.split("/")
        return cls(*parts[1:]) if parts[0] == "k8s" else cls(*parts)
