"""All sources of all clusters at once, into one record. What one source or cluster refuses hides no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime

from components.inventory import Cloud
from scripts.errors import GpukitError
from scripts.idle.collect import clouds, kubernetes, prometheus, second
from scripts.idle.collect.clouds import Access
from scripts.idle.collect.found import Found
from scripts.idle.collect.targets import Target
from scripts.idle.rules import Rules
from scripts.idle.signals import Cluster, Requests, Source

AT_ONCE = 32
"""Clusters of one cloud, account and region that are asked at the same time; each API's own pace holds the calls back."""

Metering = Callable[[Target], prometheus.Metrics | None]
Progress = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How to ask."""

    access: Access
    metering: Metering
    rules: Rules
    now: datetime
    step_seconds: float = 60.0
    cloud_metrics: bool = False
    """Whether the cloud's own metrics are asked too: once asked, what they do not answer makes a cluster unknown."""

    def shared(self) -> Asking:
        """For one look at many clusters (`Access.shared`)."""
        return replace(self, access=self.access.shared())


@dataclass(frozen=True, kw_only=True)
class Looked:
    """One target after its sources were asked."""

    target: Target
    cluster: Cluster
    found: Found | None
    """None: its cloud did not answer."""
    errors: tuple[str, ...] = ()

    @property
    def there(self) -> bool:
        return self.found is None or self.found.there


def look(targets: Sequence[Target], asking: Asking, *, progress: Progress | None = None) -> list[Looked]:
    """Each target's signals, in the order of `targets`."""
    asking = asking.shared()

    def one(target: Target) -> Looked:
        looked = of(target, asking)
        if progress is not None:
            progress(f"asked {target.stack}")
        return looked

    with ExitStack() as open_:
        places = Counter((target.cloud, target.account, target.region) for target in targets)
        # A place with a slow limit holds up its own threads only: with one pool for all, those of every other place would wait behind it.
        pools = {place: open_.enter_context(ThreadPoolExecutor(max_workers=min(AT_ONCE, count))) for place, count in places.items()}
        asked = [pools[target.cloud, target.account, target.region].submit(one, target) for target in targets]
        return [each.result() for each in asked]


def of(target: Target, asking: Asking) -> Looked:
    """One target's signals: its cloud, its own API, its metrics. Whatever does not answer leaves its part unknown and says why."""
    bare = _described(target, asking)
    try:
        found = clouds.look(target, asking.access, asking.now)
    except GpukitError as error:
        return Looked(target=target, cluster=bare, found=None, errors=(f"{target.stack}: {error}",))
    cluster = bare.model_copy(update={"pools": found.pools, "tags": found.tags})
    if not found.there:
        return Looked(target=target, cluster=cluster, found=found)
    cluster, kube_error = _with_kubernetes(cluster, target.cloud, found, asking)
    cluster, metrics_error = _with_metrics(cluster, target, asking)
    cluster, second_error = _with_second(cluster, target, found, asking)
    return Looked(target=target, cluster=cluster, found=found, errors=tuple(_told(target, (kube_error, metrics_error, second_error))))


def again(looked: Looked, asking: Asking) -> Looked:
    """The cluster's own API and its cloud asked once more, metrics as they were: has anything begun to use it since?"""
    fresh = of(looked.target, replace(asking, access=asking.access.fresh(), metering=lambda _: None))
    keep = {"series": looked.cluster.series, "counters": looked.cluster.counters, "step_seconds": looked.cluster.step_seconds}
    sources = (*(s for s in fresh.cluster.sources if s.name != "dcgm"), *(s for s in looked.cluster.sources if s.name == "dcgm"))
    requests = fresh.cluster.requests or looked.cluster.requests
    return replace(fresh, cluster=fresh.cluster.model_copy(update={**keep, "sources": sources, "requests": requests}))


def _told(target: Target, errors: Iterable[str | None]) -> Iterable[str]:
    return (f"{target.stack}: {error}" for error in errors if error is not None)


def _described(target: Target, asking: Asking) -> Cluster:
    return Cluster.model_validate(
        {
            "name": target.cluster,
            "cloud": target.cloud,
            "account": target.account,
            "region": target.region,
            "stack": None if target.discovered else target.stack,
            "workload": target.workload,
            "owner": target.owner,
            "expires": target.expires,
            "allowed": {"grace_minutes": target.policy.grace_minutes, "strongest_action": target.policy.strongest.value},
            "step_seconds": asking.step_seconds,
        }
    )


def _with_kubernetes(cluster: Cluster, cloud: Cloud, found: Found, asking: Asking) -> tuple[Cluster, str | None]:
    groups = {sizes.group: pool for pool, sizes in (found.sizes or {}).items()}
    try:
        if found.endpoint is None:
            error = "its API has no address yet"
            return _sourced(cluster, Source(name="kubernetes", read_at=asking.now, error=error)), error
        seen = kubernetes.look(found.endpoint, cluster.name, cloud, groups, asking.now)
    except GpukitError as error:
        return _sourced(cluster, Source(name="kubernetes", read_at=asking.now, error=str(error))), str(error)
    told = {"nodes": seen.nodes, "pods": seen.pods, "queues": seen.queues, "requests": seen.requests()}
    return _sourced(cluster.model_copy(update=told), Source(name="kubernetes", read_at=seen.read_at)), None


def _with_metrics(cluster: Cluster, target: Target, asking: Asking) -> tuple[Cluster, str | None]:
    metrics = asking.metering(target)
    if metrics is None:
        return cluster, None
    try:
        told = prometheus.look(
            metrics,
            now=asking.now,
            window_minutes=asking.rules.window_minutes,
            step=asking.step_seconds,
            requests_hours=asking.rules.rare_requests_hours,
        )
    except GpukitError as error:
        return _sourced(cluster, Source(name="dcgm", read_at=asking.now, error=str(error))), str(error)
    parts = {"counters": told.counters, "series": (*cluster.series, *told.series), "requests": _requests(cluster.requests, told.requests)}
    return _sourced(cluster.model_copy(update=parts), Source(name="dcgm", read_at=told.read_at)), None


def _with_second(cluster: Cluster, target: Target, found: Found, asking: Asking) -> tuple[Cluster, str | None]:
    if not asking.cloud_metrics:
        return cluster, None
    try:
        told = second.look(target, asking.access, found, now=asking.now, window_minutes=asking.rules.window_minutes)
    except GpukitError as error:
        return _sourced(cluster, Source(name="cloud", read_at=asking.now, error=str(error))), str(error)
    cluster = cluster.model_copy(update={"figures": told.figures, "heartbeats": told.heartbeats})
    return _sourced(cluster, Source(name="cloud", read_at=asking.now)), None


def _requests(by_objects: Requests | None, by_metrics: Requests | None) -> Requests | None:
    """Counted requests outweigh that nothing serves now: a server may have been there an hour ago."""
    return by_metrics if by_metrics is not None and (by_objects is None or by_metrics.count) else by_objects


def _sourced(cluster: Cluster, source: Source) -> Cluster:
    return cluster.model_copy(update={"sources": (*cluster.sources, source)})
