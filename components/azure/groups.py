"""Resource groups of a cluster: one that goes with it, one for the data that outlives it."""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_azure_native import resources

from components.kept import kept_options, kept_tags
from components.naming import Identity


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Names of the groups. Azure deletes a group with all that is in it: what is kept must not lie in the cluster's."""

    cluster: pulumi.Output[str]
    nodes: pulumi.Output[str]
    """Made by AKS for scale sets, disks and load balancers, and deleted with the cluster. Its name is ours, so that a budget can name it."""
    data: pulumi.Output[str] | None

    @property
    def home_of_data(self) -> pulumi.Output[str]:
        """Where kept things lie. Raises ValueError where the cluster keeps nothing."""
        if self.data is None:
            raise ValueError("storage: no resource group was made for data that is kept")
        return self.data

    @property
    def every(self) -> tuple[pulumi.Output[str], ...]:
        return (self.cluster, self.nodes, *((self.data,) if self.data is not None else ()))


def resource_groups(name: str, identity: Identity, *, region: str, data: bool, parent: pulumi.Resource) -> Groups:
    """The groups of cluster `name`; `data`: whether anything is kept."""
    own = pulumi.ResourceOptions(parent=parent)
    cluster = resources.ResourceGroup(name, location=region, tags=identity.tags(name), opts=own)
    kept = None
    if data:
        kept = resources.ResourceGroup(
            f"{name}-data", location=region, tags=kept_tags(identity, f"{name}-data"), opts=kept_options(parent)
        ).name
    return Groups(cluster=cluster.name, nodes=cluster.name.apply(node_group), data=kept)


def node_group(cluster_group: str) -> str:
    """Name of the group that AKS makes; unique, since that of the cluster's is."""
    return f"{cluster_group}-nodes"
