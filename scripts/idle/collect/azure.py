"""AKS clusters: agent pools, the machines that bill, tags, and a token for the cluster's API.

Agent pools of GPU machines are pools, by the tag `gpukit-pool`, else by the pool's own name.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from components import catalog, idle_tags, naming
from components.inventory import Market
from scripts.engine.environment import AZURE_ENDPOINT
from scripts.errors import Failed
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.found import Endpoint, Found, Sizes, Wanted
from scripts.idle.collect.listings import Listings, once
from scripts.idle.collect.pacing import Paces, Throttled
from scripts.idle.collect.prices import usd_per_hour
from scripts.idle.collect.targets import Target
from scripts.idle.signals import Pool

T = TypeVar("T")
_POOL_TAG = "aks-managed-poolName"
"""Tag that AKS puts on the scale set of an agent pool."""


@dataclass(frozen=True)
class Azure:
    """Calls to Azure for one target. `environment` holds credentials, or names the simulated cloud."""

    target: Target
    environment: Mapping[str, str]
    paces: Paces
    listings: Listings | None = None

    @classmethod
    def of(cls, target: Target, access: Access) -> Azure:
        return cls(target, access.environment, access.paces, access.listings)

    def ask(self, purpose: str, call: Callable[[], T]) -> T:
        """What `call` gives, within the subscription's rate. Raises Failed when Azure refuses or does not answer."""
        from azure.core.exceptions import AzureError, HttpResponseError

        def once() -> T:
            try:
                return call()
            except HttpResponseError as error:
                if error.status_code == 429:
                    raise Throttled(str(error.message)) from error
                raise Failed(f"Azure refused to {purpose}: {' '.join(str(error.message).split())[:300]}") from error
            except AzureError as error:
                raise Failed(f"Azure did not answer when asked to {purpose}: {' '.join(str(error).split())[:300]}") from error

        try:
            return self.paces.of("azure", "azure", self.target.account).call(once)
        except Throttled as refusal:
            raise Failed(f"Azure goes on refusing to {purpose}: {refusal}") from refusal

    def _client(self, kind: Callable[..., Any]) -> Any:
        from scripts.engine.azure_session import management_client

        return management_client(kind, self.target.account, self.environment)

    @cached_property
    def aks(self) -> Any:
        from azure.mgmt.containerservice import ContainerServiceClient

        return self._client(ContainerServiceClient)

    @cached_property
    def compute(self) -> Any:
        from azure.mgmt.compute import ComputeManagementClient

        return self._client(ComputeManagementClient)

    @cached_property
    def monitor(self) -> Any:
        from azure.mgmt.monitor import MonitorManagementClient

        return self._client(MonitorManagementClient)

    def clusters(self) -> list[Any]:
        """All of the subscription."""
        key = ("aks", self.target.account)
        return once(self.listings, key, lambda: self.ask("list clusters", lambda: list(self.aks.managed_clusters.list())))

    def cluster(self) -> Any:
        """The cluster of the target in whichever resource group; None: there is none. Azure compares names without regard to case."""
        name, region = self.target.cluster.casefold(), self.target.region.casefold()
        here = [c for c in self.clusters() if str(c.name).casefold() == name and str(c.location).casefold().replace(" ", "") == region]
        return here[0] if here else None

    def pools(self, cluster: Any) -> list[Any]:
        """By their own listing: that of the cluster may lack some."""
        return self.ask("list agent pools", lambda: list(self.aks.agent_pools.list(group_of(cluster), cluster.name)))

    def scale_sets(self, cluster: Any) -> dict[str, list[Any]]:
        """Scale sets by agent pool, as the nodes' resource group holds them."""
        group = str(cluster.node_resource_group)
        found: dict[str, list[Any]] = {}
        for each in self.ask("list scale sets", lambda: list(self.compute.virtual_machine_scale_sets.list(group))):
            found.setdefault(str((each.tags or {}).get(_POOL_TAG) or ""), []).append(each)
        return found

    def resize(self, sizes: Sizes, wanted: Wanted) -> None:
        """The pool as it is, with other numbers. While the autoscaler is on the number is its business, so it is set before that goes on."""
        self._put(sizes.group, replace(wanted, scales=False))
        if wanted.scales:
            self._put(sizes.group, wanted)

    def _put(self, name: str, wanted: Wanted) -> None:
        cluster = self._there()
        where = (group_of(cluster), cluster.name, name)
        pool = self.ask(f"read agent pool {name}", lambda: self.aks.agent_pools.get(*where))
        pool.count = wanted.desired
        pool.enable_auto_scaling = wanted.scales
        pool.min_count, pool.max_count = (wanted.minimum, wanted.maximum) if wanted.scales else (None, None)
        self.ask(f"resize agent pool {name}", lambda: self.aks.agent_pools.begin_create_or_update(*where, pool).result())

    def tag(self, tags: Mapping[str, str]) -> None:
        from azure.mgmt.containerservice.models import TagsObject

        cluster = self._there()
        wanted = TagsObject(tags={**(cluster.tags or {}), **tags})
        self.ask(
            f"tag cluster {cluster.name}",
            lambda: self.aks.managed_clusters.begin_update_tags(group_of(cluster), cluster.name, wanted).result(),
        )

    def _there(self) -> Any:
        cluster = replace(self, listings=None).cluster()
        if cluster is None:
            raise Failed(f"cluster {self.target.cluster} is gone")
        return cluster


def group_of(cluster: Any) -> str:
    """The resource group in a resource's path."""
    parts = str(cluster.id).split("/")
    return parts[[part.casefold() for part in parts].index("resourcegroups") + 1]


def look(azure: Azure, now: datetime) -> Found:
    """The cluster of the target. Raises Failed when Azure refuses or does not answer."""
    cluster = azure.cluster()
    if cluster is None:
        return Found(there=False, read_at=now)
    pools = [pool for pool in azure.pools(cluster) if _accelerated(pool)]
    sets = azure.scale_sets(cluster) if pools else {}
    counts = {pool: sum(int(each.sku.capacity or 0) for each in listed) for pool, listed in sets.items()}
    return Found(
        there=True,
        read_at=now,
        pools=tuple(_pool(azure.target, pool, counts.get(str(pool.name))) for pool in pools),
        machines={pool_of(pool): tuple(str(each.id) for each in sets.get(str(pool.name), ())) for pool in pools},
        sizes={pool_of(pool): _sizes(pool) for pool in pools if not _of_system(pool)},
        tags=dict(cluster.tags or {}),
        endpoint=_endpoint(azure, cluster),
        identity=str(cluster.id),
    )


def _accelerated(pool: Any) -> bool:
    machine = catalog.find_machine("azure", str(pool.vm_size))
    return machine is None or machine.accelerated


def _of_system(pool: Any) -> bool:
    """A system pool keeps a node at least (AKS documentation, system node pools): it bills and is told, and never resized."""
    return _word(pool.mode) == "system"


def _word(value: Any) -> str:
    """A value of one of Azure's closed sets in small letters: the SDK gives members of an enumeration, whose own text is not their value."""
    return str(getattr(value, "value", value) or "").casefold()


def pool_of(pool: Any) -> str:
    return str((pool.tags or {}).get(naming.tag_key("azure", "pool")) or pool.name)


def _sizes(pool: Any) -> Sizes:
    count = int(pool.count or 0)
    if not pool.enable_auto_scaling:
        return Sizes(group=str(pool.name), minimum=0, desired=count, maximum=max(count, 1), scales=False)
    return Sizes(group=str(pool.name), minimum=int(pool.min_count or 0), desired=count, maximum=max(int(pool.max_count or 0), 1))


def _pool(target: Target, pool: Any, machines: int | None) -> Pool:
    name, sizes = str(pool.vm_size), _sizes(pool)
    machine = catalog.find_machine("azure", name)
    written = target.markets.get(pool_of(pool))
    market = Market.SPOT if _word(pool.scale_set_priority) == "spot" else Market(written) if written else None
    return Pool(
        name=pool_of(pool),
        machine=name,
        market=market,
        gpus_per_node=int(machine.gpu_count) if machine is not None else None,
        current=machines,
        minimum=sizes.minimum,
        maximum=sizes.maximum,
        usd_per_node_hour=usd_per_hour("azure", target.region, name, market),
        opted_out=idle_tags.kept_by(pool.tags or {}) is not None,
    )


def _endpoint(azure: Azure, cluster: Any) -> Endpoint | None:
    """AKS gives the certificate of its API in the credentials that it lists for users alone, whose own secrets are left out here."""
    from components.azure.kubeconfig import endpoint_and_authority

    where = (group_of(cluster), cluster.name)
    listed = azure.ask("list the cluster's credentials", lambda: azure.aks.managed_clusters.list_cluster_user_credentials(*where))
    if not listed.kubeconfigs:
        return None
    try:
        url, authority = endpoint_and_authority(base64.b64encode(bytes(listed.kubeconfigs[0].value)).decode())
    except RuntimeError as error:
        raise Failed(str(error)) from error
    return Endpoint(url=url, authority=authority, token=lambda: token(azure))


def token(azure: Azure) -> str:
    """A token for AKS clusters of whoever is signed in, as kubelogin gets one. Raises Failed when nobody is."""
    from azure.core.exceptions import AzureError

    from components.azure.kubeconfig import AKS_SERVER_APP
    from scripts.engine.azure_session import credential

    if azure.environment.get(AZURE_ENDPOINT):
        return "simulated"
    try:
        return str(credential(azure.environment).get_token(f"{AKS_SERVER_APP}/.default").token)
    except AzureError as error:
        raise Failed(f"Azure gave no token for cluster {azure.target.cluster}: {str(error).splitlines()[0]}") from error
