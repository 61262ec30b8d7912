"""What a cloud says about one cluster: its GPU pools with the names and sizes that the cloud knows them by, tags, and the way to its API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from scripts.idle.signals import Pool


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A cluster's API server."""

    url: str
    authority: str
    """Certificate, base64. Not used with a plain address, which only a simulated cluster has."""
    token: Callable[[], str]
    """A bearer token that is valid for some minutes. Raises Failed where none can be had."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Nodes of one pool as the cloud counts and names them."""

    group: str
    """The cloud's own name: node group, node pool, agent pool."""
    minimum: int
    desired: int
    maximum: int
    scales: bool = True
    """Whether an autoscaler moves it between minimum and maximum."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Nodes that a pool should have."""

    minimum: int
    desired: int
    maximum: int
    scales: bool = True
    """Whether an autoscaler moves it between the bounds."""

    def __post_init__(self) -> None:
        if not (0 <= self.minimum <= self.desired <= self.maximum and self.maximum >= 1):
            raise ValueError(f"sizes {self.minimum} <= {self.desired} <= {self.maximum}, with a maximum of at least 1, are expected")


@dataclass(frozen=True, kw_only=True)
class Watched:
    """What the idle watch on AWS wrote on a pool that it scaled to zero."""

    identity: str
    """ARN of the node group."""
    text: str
    """The tag `components.idle_tags.SIZES_KEY`."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """One cluster in its cloud."""

    there: bool
    """False: the cloud knows no such cluster."""
    read_at: datetime
    pools: tuple[Pool, ...] | None = None
    sizes: Mapping[str, Sizes] | None = None
    """By pool name; GPU pools only."""
    machines: Mapping[str, tuple[str, ...]] | None = None
    """By pool name: machines that bill, as the cloud's metrics name them (AWS: instance ids; GCP: names; Azure: scale sets' paths)."""
    watched: Mapping[str, Watched] = field(default_factory=dict[str, Watched])
    """By pool name; AWS alone."""
    tags: Mapping[str, str] | None = None
    endpoint: Endpoint | None = None
    identity: str = ""
    """Name of the cluster resource for tagging: ARN, or the path of its API."""
