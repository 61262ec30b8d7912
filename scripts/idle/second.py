"""What the cloud's own metrics say about a pool, and its heartbeat: a second source that finds use or doubt, and never rest that is acted on.

A cluster whose API cannot be reached may come out as idle by its heartbeat alone; then people are told, and nothing is ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from .rules import Rules
from .signals import Cluster, Figure, Heartbeat, Pool


def use(cluster: Cluster, pool: Pool, now: datetime, rules: Rules) -> str | None:
    """Why the second source says that the pool is in use; None when it does not."""
    if pool.current == 0:
        return None
    for figure in _figures(cluster, pool, "utilisation", strays=True):
        if _recent(figure.last_at, now, rules) and figure.highest >= rules.busy_percent:
            of = figure.machine or "its machines"
            return f"{figure.metric} of {of} went up to {figure.highest:g} (works from {rules.busy_percent:g})"
    for beat in (*_beats(cluster, pool), *_strays(cluster)):
        if _recent(beat.last_at, now, rules) and (beat.busy_gpus or beat.pods or beat.queued):
            return f"its heartbeat tells of {beat.busy_gpus} busy GPUs, {beat.pods} GPU pods and {beat.queued} queued workloads"
    return None


def traffic(cluster: Cluster, pool: Pool, rules: Rules) -> str | None:
    """The machine that exchanged more than an unused one does; None when there is none."""
    for figure in _figures(cluster, pool, "network", strays=True):
        if figure.highest >= rules.busy_network_bytes_per_second:
            return f"{figure.machine or 'a machine'} exchanged up to {figure.highest / 1e6:.0f} MB/s ({figure.metric})"
    return None


def doubt(cluster: Cluster, pool: Pool, rules: Rules) -> str | None:
    """Why the second source does not bear out that nothing uses the pool; None when it does, or was not asked."""
    if cluster.figures is None or not pool.current:
        return None
    if (exchanged := traffic(cluster, pool, rules)) is not None:
        return f"its GPUs rest, and yet {exchanged}"
    known: dict[str, float] = {}
    for figure in _figures(cluster, pool, "network"):
        if figure.machine is not None:
            share = min(figure.samples / figure.expected, 1.0)
            known[figure.machine] = min(share, known.get(figure.machine, 1.0))
    thin = next((machine for machine, share in sorted(known.items()) if share < rules.coverage), None)
    if thin is not None:
        return f"the cloud's metrics of {thin} cover {known[thin]:.0%} of the window, {rules.coverage:.0%} are needed"
    if len(known) < pool.current:
        return f"the cloud's metrics speak of {len(known)} of {pool.current} machines"
    return None


def rests(cluster: Cluster, pool: Pool, now: datetime, rules: Rules) -> str | None:
    """How the heartbeat shows, for a cluster whose API does not answer, that nothing used the pool; None when it does not show it."""
    if not cut_off(cluster) or pool.current is None or doubt(cluster, pool, rules) is not None or _stirs(cluster, pool):
        return None
    beats = _beats(cluster, pool) if pool.current else tuple(cluster.heartbeats or ())
    beat = next((each for each in beats if _whole(each, now, rules)), None)
    if beat is None:
        return None
    if pool.current == 0:
        return "it has no machines, and no pod waits for one by the cluster's heartbeat"
    wanted = None if pool.gpus_per_node is None else pool.current * pool.gpus_per_node
    if not beat.gpus_least == beat.gpus_most == wanted:  # a machine that came within the window, or whose counters are missing
        return None
    return f"its API does not answer; by its heartbeat ({beat.source}) all {wanted} GPUs rested and no GPU pod ran or waited"


def cut_off(cluster: Cluster) -> bool:
    """Whether the cluster's API was asked and did not answer, so that the heartbeat is all there is."""
    refused = any(source.name == "kubernetes" and source.error is not None for source in cluster.sources)
    return refused and cluster.nodes is None and cluster.pods is None and cluster.queues is None


def _stirs(cluster: Cluster, pool: Pool) -> bool:
    return any(beat.busy_gpus or beat.pods or beat.queued for beat in _beats(cluster, pool))


def _whole(beat: Heartbeat, now: datetime, rules: Rules) -> bool:
    age = now - beat.last_at
    fresh = -timedelta(minutes=rules.skew_minutes) <= age <= timedelta(minutes=rules.stale_minutes)
    return fresh and beat.samples / beat.expected >= rules.coverage


def _recent(at: datetime, now: datetime, rules: Rules) -> bool:
    return now - at <= timedelta(minutes=rules.window_minutes)


def _figures(cluster: Cluster, pool: Pool, what: str, *, strays: bool = False) -> Iterator[Figure]:
    """`strays`: those of pools that nobody knows too, since they may be this one's under another name."""
    known = {each.name for each in cluster.pools or ()}
    return (
        figure
        for figure in cluster.figures or ()
        if figure.what == what and (figure.pool in (None, pool.name) or (strays and figure.pool not in known))
    )


def _beats(cluster: Cluster, pool: Pool) -> tuple[Heartbeat, ...]:
    return tuple(beat for beat in cluster.heartbeats or () if beat.pool == pool.name)


def _strays(cluster: Cluster) -> tuple[Heartbeat, ...]:
    """Heartbeats of pools that nobody knows: they prove no rest, and use of them may be use of any."""
    known = {each.name for each in cluster.pools or ()}
    return tuple(beat for beat in cluster.heartbeats or () if beat.pool not in known)
