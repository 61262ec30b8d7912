"""GKE clusters: node pools, the machines that bill, labels, and a token for the cluster's API.

Node pools with accelerators are pools, by the label `gpukit-pool` of their machines, else by the pool's own name. GKE counts nodes per zone
except where a field says total (D7); sizes here are totals.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from components import catalog, idle_tags, naming
from components.inventory import Market
from scripts.engine.environment import GCP_ENDPOINT
from scripts.errors import Failed
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.found import Endpoint, Found, Sizes, Wanted
from scripts.idle.collect.listings import Listings, once
from scripts.idle.collect.pacing import Paces, Throttled
from scripts.idle.collect.prices import usd_per_hour
from scripts.idle.collect.targets import Target
from scripts.idle.signals import Pool

T = TypeVar("T")
_GROUP = re.compile(r"/zones/(?P<zone>[^/]+)/instanceGroup(?:Manager)?s/(?P<name>[^/]+)$")


@contextmanager
def quiet_imports() -> Generator[None]:
    """Google's packages announce the end of a Python version when they are imported, into the middle of a report."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


@dataclass(frozen=True)
class Gcp:
    """Calls to Google for one target. `environment` names the simulated cloud; else the machine's own credentials are used."""

    target: Target
    environment: Mapping[str, str]
    paces: Paces
    listings: Listings | None = None

    @classmethod
    def of(cls, target: Target, access: Access) -> Gcp:
        return cls(target, access.environment, access.paces, access.listings)

    def ask(self, api: str, purpose: str, call: Callable[[], T]) -> T:
        """What `call` gives, within the API's rate. Raises Failed when Google refuses or does not answer."""
        with quiet_imports():
            from google.api_core.exceptions import GoogleAPICallError, TooManyRequests
        from google.auth.exceptions import GoogleAuthError

        def once() -> T:
            try:
                return call()
            except TooManyRequests as error:
                raise Throttled(str(error)) from error
            except GoogleAuthError as error:
                raise Failed(f"Google gave no access to {purpose}: {error}") from error
            except GoogleAPICallError as error:
                raise Failed(f"Google refused to {purpose}: {error}") from error
            except OSError as error:
                raise Failed(f"Google did not answer when asked to {purpose}: {error}") from error

        try:
            return self.paces.of(api, "gcp", self.target.account).call(once)
        except Throttled as refusal:
            raise Failed(f"Google goes on refusing to {purpose}: {refusal}") from refusal

    def _client(self, kind: Any, **options: Any) -> Any:
        address = self.environment.get(GCP_ENDPOINT)
        if not address:
            return kind(**options)
        from google.api_core.client_options import ClientOptions
        from google.auth.credentials import AnonymousCredentials

        return kind(credentials=AnonymousCredentials(), client_options=ClientOptions(api_endpoint=address), **options)

    @cached_property
    def gke(self) -> Any:
        with quiet_imports():
            from google.cloud import container_v1

        return self._client(container_v1.ClusterManagerClient, transport="rest")

    @cached_property
    def managers(self) -> Any:
        with quiet_imports():
            from google.cloud import compute_v1

        return self._client(compute_v1.InstanceGroupManagersClient)

    def clusters(self) -> list[Any]:
        """All of the project that GKE knows of. Raises Failed when a part of it did not answer."""
        listed = self._listed()
        if listed.missing_zones:
            raise Failed(f"Google left out {', '.join(listed.missing_zones)} when asked to list clusters: run this again")
        return list(listed.clusters)

    def cluster(self) -> Any:
        """The cluster of the target, in its region or one of its zones; None: there is none. Raises Failed where it may be left out."""
        listed = self._listed()
        here = [c for c in listed.clusters if c.name == self.target.cluster and self._within(str(c.location))]
        if not here and any(self._within(zone) for zone in listed.missing_zones):
            raise Failed(f"Google did not answer for {self.target.region} when asked to list clusters: run this again")
        return here[0] if here else None

    def _within(self, location: str) -> bool:
        """Whether a location is the target's region or a zone in it: europe-west12 is no part of europe-west1."""
        return location == self.target.region or location.startswith(f"{self.target.region}-")

    def _listed(self) -> Any:
        parent = f"projects/{self.target.account}/locations/-"
        return once(self.listings, ("gke", parent), lambda: self.ask("gke", "list clusters", lambda: self.gke.list_clusters(parent=parent)))

    def path(self, cluster: Any) -> str:
        return f"projects/{self.target.account}/locations/{cluster.location}/clusters/{cluster.name}"

    def machines(self, pool: Any) -> tuple[str, ...]:
        """Names of the machines of a node pool, in any state. On GKE they are those of the nodes."""
        found: list[str] = []
        for url in pool.instance_group_urls:
            place = _GROUP.search(url)
            if place is None:
                raise Failed(f"node pool {pool.name} has a group without a zone: {url}")
            where = {"project": self.target.account, "zone": place["zone"], "instance_group_manager": place["name"]}
            listed = self.ask("compute", "list machines", lambda where=where: list(self.managers.list_managed_instances(**where)))
            found += [str(machine.instance).rpartition("/")[2] for machine in listed]
        return tuple(found)

    def resize(self, sizes: Sizes, wanted: Wanted) -> None:
        """Bounds of the autoscaler first, then the number of nodes, each as the pool counts them."""
        cluster = self._there()
        pool = next((each for each in cluster.node_pools if each.name == sizes.group), None)
        if pool is None:
            raise Failed(f"node pool {sizes.group} is gone")
        name, zones = f"{self.path(cluster)}/nodePools/{pool.name}", max(len(pool.locations), 1)
        if pool.autoscaling.enabled:
            bounds = (
                {"total_min_node_count": wanted.minimum, "total_max_node_count": wanted.maximum}
                if pool.autoscaling.total_max_node_count
                else {"min_node_count": wanted.minimum // zones, "max_node_count": -(-wanted.maximum // zones)}
            )
            scaling = {"enabled": True, "location_policy": pool.autoscaling.location_policy, **bounds}
            order = {"name": name, "autoscaling": scaling}
            self.ask("gke", f"bound node pool {pool.name}", lambda: self.gke.set_node_pool_autoscaling(request=order))
        size = {"name": name, "node_count": -(-wanted.desired // zones)}
        self.ask("gke", f"resize node pool {pool.name}", lambda: self.gke.set_node_pool_size(request=size))

    def tag(self, tags: Mapping[str, str]) -> None:
        """Labels are set as a whole, under a fingerprint that refuses a set that has changed since."""
        cluster = self._there()
        labels = {**dict(cluster.resource_labels), **tags}
        order = {"name": self.path(cluster), "resource_labels": labels, "label_fingerprint": cluster.label_fingerprint}
        self.ask("gke", f"label cluster {cluster.name}", lambda: self.gke.set_labels(request=order))

    def _there(self) -> Any:
        cluster = replace(self, listings=None).cluster()
        if cluster is None:
            raise Failed(f"cluster {self.target.cluster} is gone")
        return cluster


def look(gcp: Gcp, now: datetime) -> Found:
    """The cluster of the target. Raises Failed when Google refuses or does not answer."""
    cluster = gcp.cluster()
    if cluster is None:
        return Found(there=False, read_at=now)
    pools = {pool_of(pool): (pool, gcp.machines(pool)) for pool in cluster.node_pools if _accelerated(pool)}
    return Found(
        there=True,
        read_at=now,
        pools=tuple(_pool(gcp.target, pool, len(machines)) for pool, machines in pools.values()),
        sizes={name: _sizes(pool, len(machines)) for name, (pool, machines) in pools.items()},
        machines={name: machines for name, (_, machines) in pools.items()},
        tags=dict(cluster.resource_labels),
        endpoint=_endpoint(gcp, cluster),
        identity=gcp.path(cluster),
    )


def _accelerated(pool: Any) -> bool:
    machine = catalog.find_machine("gcp", pool.config.machine_type)
    return bool(pool.config.accelerators) or machine is None or machine.accelerated


def pool_of(pool: Any) -> str:
    return str(pool.config.resource_labels.get(naming.tag_key("gcp", "pool")) or pool.name)


def _sizes(pool: Any, machines: int) -> Sizes:
    """GKE tells no number that it desires but at the making of a pool: what runs stands for it."""
    zones = max(len(pool.locations), 1)
    scaling = pool.autoscaling
    if not scaling.enabled:
        return Sizes(group=str(pool.name), minimum=0, desired=machines, maximum=max(machines, 1), scales=False)
    total = bool(scaling.total_max_node_count)
    low = int(scaling.total_min_node_count if total else scaling.min_node_count * zones)
    high = int(scaling.total_max_node_count if total else scaling.max_node_count * zones)
    return Sizes(group=str(pool.name), minimum=low, desired=machines, maximum=max(high, machines, 1))


def _pool(target: Target, pool: Any, machines: int) -> Pool:
    name = str(pool.config.machine_type)
    machine = catalog.find_machine("gcp", name)
    gpus = sum(int(each.accelerator_count) for each in pool.config.accelerators)
    market = _market(target, pool)
    sizes = _sizes(pool, machines)
    attached = bool(pool.config.accelerators) and (machine is None or not machine.gpu_count)
    return Pool(
        name=pool_of(pool),
        machine=name,
        market=market,
        gpus_per_node=gpus or (int(machine.gpu_count) if machine is not None else None),
        current=machines,
        minimum=sizes.minimum,
        maximum=sizes.maximum,
        usd_per_node_hour=None if attached else usd_per_hour("gcp", target.region, name, market),  # GPUs on N1 are priced apart
        opted_out=idle_tags.kept_by(pool.config.resource_labels) is not None,
    )


def _market(target: Target, pool: Any) -> Market | None:
    if pool.config.spot or pool.config.preemptible:
        return Market.SPOT
    if getattr(pool.config, "flex_start", False):
        return Market.FLEX_START
    written = target.markets.get(pool_of(pool))
    return Market(written) if written is not None else None


def _endpoint(gcp: Gcp, cluster: Any) -> Endpoint | None:
    if not cluster.endpoint:
        return None
    url = cluster.endpoint if "://" in cluster.endpoint else f"https://{cluster.endpoint}"
    return Endpoint(url=url, authority=str(cluster.master_auth.cluster_ca_certificate), token=lambda: token(gcp))


def token(gcp: Gcp) -> str:
    """An access token of the machine's own credentials, as GKE's plugin for kubeconfigs gives one. Raises Failed without credentials."""
    from scripts.engine.gcp_session import Google, NoCredentials

    if gcp.environment.get(GCP_ENDPOINT):
        return "simulated"
    try:
        return Google(gcp.environment).token()
    except NoCredentials as error:
        raise Failed(f"there are no Google credentials to reach cluster {gcp.target.cluster}: {error}") from error
