"""What the neutral parts of the world ask of each cloud: where its clusters are, what their nodes offer, how its pools grow, what is due.

Each cloud answers in its package `kinds/CLOUD/cloud.py`, which is imported when that cloud is first asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from scripts.sandbox.place import Place
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

NAMES = ("aws", "azure", "gcp")
PACKAGES = {"aws": "aws", "azure": "azure-native", "gcp": "gcp"}
"""Pulumi's package of each cloud."""

Due = tuple[datetime, str, Callable[[], None]]
"""When something is due, a name that orders what is due at once, and what then happens (in an open transaction)."""


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A set of like machines behind a cluster, as load and status see it."""

    record: Record
    """What the program made: node group, node pool, agent pool."""
    stack: str
    name: str
    """From its identity tags; else the cloud's own name of it."""
    cluster_key: str
    machine: str
    minimum: int
    maximum: int
    selector: Mapping[str, str]
    """The label by which a pod asks for this pool."""
    resize: Callable[[int], Refusal | None]
    """Bring it to a number of nodes within its bounds, in the open transaction; returns why it did not get there."""
    instances: Callable[[], list[Record]]
    """Running ones, oldest first."""


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """One cloud's answers."""

    name: str
    cluster: str
    """Type token of its Kubernetes clusters."""
    ready: str
    """Status of a cluster that answers."""
    door: str
    """First word of its clusters' addresses (`eks`)."""
    find_cluster: Callable[[Simulation, Place], Record | None]
    """The cluster of a place inside one."""
    cluster_place: Callable[[Simulation, list[str]], Place]
    """The place that a cluster's address names, from the `path_words` words behind the first."""
    path_words: int
    version: Callable[[Record], str]
    """The Kubernetes version that a cluster's API server tells, such as `1.35.0-eks-simulated`."""
    instance: str
    """Type token of its machines."""
    machine: Callable[[Record], str]
    """Catalogue name of an instance's machine."""
    node_name: Callable[[Record], str]
    extended_resources: Callable[[Simulation, Record], dict[str, str]]
    """Accelerators and fast interfaces that a node offers, from the plugins that are installed now."""
    pools: Callable[[Simulation], Iterable[Pool]]
    declare_reservation: Callable[[Simulation, Mapping[str, object]], Record]
    """A reservation that a person declares, in the open transaction. Raises BadInput for what is missing."""
    due: Callable[[Simulation], Iterator[Due]]
    """What happens because time passes."""


@lru_cache(maxsize=8)
def of(name: str) -> Cloud:
    """Raises KeyError for a cloud that this world does not know."""
    if name not in NAMES:
        raise KeyError(name)
    return importlib.import_module(f"scripts.sandbox.kinds.{name}.cloud").CLOUD


def every() -> tuple[Cloud, ...]:
    return tuple(of(name) for name in NAMES)


def used(world: Simulation) -> tuple[Cloud, ...]:
    """Those in which something is: the others need not be loaded."""
    present = world.store.clouds()
    return tuple(of(name) for name in NAMES if name in present)


DOORS = {"eks": "aws", "gke": "gcp", "aks": "azure"}
"""First word of a cluster's address to its cloud."""


def addressed(world: Simulation, path: str) -> tuple[Place, list[str]] | None:
    """The cluster that a path such as `/eks/us-east-1/lab/api/v1` names, and the words behind it; None when it names none."""
    first, *words = path.strip("/").split("/")
    name = DOORS.get(first)
    if name is None:
        return None
    cloud = of(name)
    if len(words) < cloud.path_words or not all(words[: cloud.path_words]):
        return None
    return cloud.cluster_place(world, words[: cloud.path_words]), [word for word in words[cloud.path_words :] if word]


def cluster_of(world: Simulation, place: Place) -> Record | None:
    """The cluster of a place inside one, when its API server answers: there, ready, and not cut off by a fault."""
    cloud = of(place.cloud)
    cluster = cloud.find_cluster(world, place)
    if cluster is None or cluster.status != cloud.ready or world.faults.unreachable(place.cluster):
        return None
    return cluster
