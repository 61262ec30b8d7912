"""What a cluster tells of itself: by pool, GPUs that sent counters, busy ones, GPU pods, queued workloads. Pure.

A GPU without a sample is not counted, so that the count differs from what the cloud bills and nothing follows: silence is never rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from scripts.idle import evidence
from scripts.idle.activity import busy_gpus
from scripts.idle.collect.kubernetes import Seen
from scripts.idle.collect.lines import What
from scripts.idle.collect.prometheus import Told
from scripts.idle.counters import COVERING
from scripts.idle.metered import Metered
from scripts.idle.readings import Readings, Window, read
from scripts.idle.rules import Rules
from scripts.idle.signals import Cluster, Pool
from scripts.idle.which_gpu import counted

WINDOW_MINUTES = 5.0
STEP_SECONDS = 60.0
NO_POOL = "(none)"
"""Stands for the pools of a cluster without GPU nodes, so that it goes on telling of itself."""


@dataclass(frozen=True, kw_only=True)
class Beat:
    """One pool at one moment."""

    pool: str
    gpus: int
    busy_gpus: int
    gpu_pods: int
    """Running and waiting ones; those that wait for whichever pool count for each."""
    queued_workloads: int
    last_active: float | None = None
    """Seconds since 1970; None: nothing was seen at work since the program began."""

    @property
    def used(self) -> bool:
        return bool(self.busy_gpus or self.gpu_pods or self.queued_workloads)

    def values(self) -> Mapping[What, float]:
        """What is sent."""
        plain = {What.GPUS: self.gpus, What.BUSY: self.busy_gpus, What.PODS: self.gpu_pods, What.QUEUED: self.queued_workloads}
        last = {} if self.last_active is None else {What.LAST_ACTIVE: self.last_active}
        return {**{what: float(value) for what, value in plain.items()}, **last}


def beats(seen: Seen, told: Told, now: datetime, last: Mapping[str, float], rules: Rules) -> list[Beat]:
    """A beat for each pool. `last`: when each was seen at work before.

    Raises ValueError where counters cannot be told apart by GPU, or lie in the future: then nothing may be said of any.
    """
    until = now.timestamp()
    cluster = Cluster(name="here", nodes=seen.nodes, pods=seen.pods, queues=seen.queues)
    window = Window(until - WINDOW_MINUTES * 60, until, STEP_SECONDS, rules.skew_minutes * 60)
    readings = read(told.series, window, evidence.node_names(cluster))
    if readings.unplaced:
        raise ValueError(f"{readings.unplaced} series do not say which GPU they are about")
    if readings.ahead:
        raise ValueError(f"samples lie {readings.ahead / 60:.0f} minutes in the future: a clock is wrong")
    return [_beat(name, cluster, readings, until, last, rules) for name in _pools(seen)]


def _pools(seen: Seen) -> list[str]:
    named = {node.pool for node in seen.nodes if node.gpus != 0} | {pod.pool for pod in seen.pods if pod.pool}
    return sorted(named) or [NO_POOL]


def _beat(  # noqa: PLR0913, PLR0917 # the parts of one beat
    name: str, cluster: Cluster, readings: Readings, until: float, last: Mapping[str, float], rules: Rules
) -> Beat:
    mine = evidence.of(cluster, Pool(name=name))
    here = readings.on(node.name for node in mine.nodes)
    pool = Metered(
        nodes=mine.nodes,
        gpus_of={},
        readings=here,
        counters=None,
        expected=readings.window.expected,
        window_seconds=WINDOW_MINUTES * 60,
        oldest_sample=readings.window.since,
        tdp_w=None,
    )
    told = {gpu.whole for gpu, measures in here.items() if any(what in measures and measures[what].samples for what in COVERING)}
    beat = Beat(
        pool=name,
        gpus=counted(told),
        busy_gpus=counted(busy_gpus(pool, rules)),
        gpu_pods=len(mine.running) + len(mine.waiting),
        queued_workloads=sum(queue.pending + queue.admitted for queue in cluster.queues or ()),
        last_active=last.get(name),
    )
    return beat if not beat.used else replace(beat, last_active=until)
