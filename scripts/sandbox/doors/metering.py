"""What the clouds' own metrics are made of: traffic of the simulated GPU machines, from their load, and the metrics that were sent in.

Simplified: a machine moves 500 MB/s each way while its GPUs are wholly busy and 20 kB/s at rest, without delay. A metric that was sent in
is kept for three hours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from scripts.sandbox import clouds
from scripts.sandbox.place import Place
from scripts.sandbox.simulation import Simulation
from scripts.sandbox.store import Record

REST_BYTES, BUSY_BYTES = 2e4, 5e8
KEPT_SECONDS = 3 * 3600.0
_META = "metrics"


@dataclass(frozen=True)
class Machine:
    """A machine of a pool, and how busy its GPUs were."""

    record: Record
    node: str
    cluster: str
    since: float
    history: tuple[tuple[float, float], ...]
    """(seconds since 1970, busy share), oldest first."""

    def busy(self, at: float) -> float:
        return next((share for moment, share in reversed(self.history) if moment <= at), 0.0)

    def bytes_per_second(self, start: float, end: float) -> float:
        """The mean of ten moments of a time."""
        step = (end - start) / 10
        return sum(REST_BYTES + BUSY_BYTES * self.busy(start + (n + 0.5) * step) for n in range(10)) / 10


def machines(world: Simulation, cloud: str) -> Iterator[Machine]:
    """Those of a cloud's pools."""
    for each in clouds.used(world):
        if each.name != cloud:
            continue
        for pool in each.pools(world):
            cluster = Place.of(pool.cluster_key).cluster if pool.cluster_key else ""
            for instance in pool.instances():
                history = tuple((seconds(at), float(share)) for at, share in instance.state.get("gpuBusyHistory", ()))
                yield Machine(instance, each.node_name(instance), cluster, seconds(instance.created), history)


def periods(world: Simulation, start: float, end: float, step: float) -> Iterator[tuple[float, float]]:
    """Whole periods of a span, up to now."""
    last = min(end, world.clock.now().timestamp())
    at = math.ceil(start / step) * step
    while at + step <= last:
        yield at, at + step
        at += step


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A value that somebody sent in."""

    scope: str
    """Namespace, project or resource, in lower case."""
    name: str
    dimensions: Mapping[str, str]
    at: float
    value: float


def keep(world: Simulation, values: list[Sent]) -> None:
    now = world.clock.now().timestamp()
    fresh = [each for each in world.store.meta(_META, []) if now - each["at"] <= KEPT_SECONDS]
    with world.store.transaction():
        world.store.set_meta(**{_META: [*fresh, *({**vars(each), "dimensions": dict(each.dimensions)} for each in values)]})


def sent(world: Simulation, scope: str, name: str | None = None) -> list[Sent]:
    kept = (Sent(**each) for each in world.store.meta(_META, []))
    return [each for each in kept if each.scope == scope.lower() and name in (None, each.name)]


def seconds(text: object) -> float:
    """Seconds since 1970."""
    return datetime.fromisoformat(str(text)).timestamp()
