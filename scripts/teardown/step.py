"""What a step is: a pure choice of what it touches, and how it asks for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from scripts.teardown.clouds.cloud import Cloud
from scripts.teardown.cluster import Cluster
from scripts.teardown.model import Seen, Target, Thing


class Engine(Protocol):
    """The Pulumi side of a stack whose state is known."""

    def recorded(self) -> tuple[Thing, ...]:
        """What the state still holds, but for the stack itself and its components."""
        ...

    def ids(self) -> frozenset[str]: ...

    def destroy(self) -> str:
        """Preview and destroy. Returns "" when nothing is left in the state, else what the engine said."""
        ...

    def forget_objects(self) -> None:
        """Drop what the state holds inside of a cluster that is proven gone: no provider could delete it (H6)."""
        ...


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What a person has asked for beyond the default."""

    force_running: bool = False
    without_api: bool = False
    strip_finalizers: bool = False
    cancel_reservations: bool = False
    delete_data: frozenset[str] = frozenset()
    minutes: dict[str, float] = field(default_factory=dict[str, float])
    """Step id to its longest wait."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What the steps act on."""

    target: Target
    cloud: Cloud
    cluster: Cluster | None
    """None when there is no API server to ask: gone, or left out on request."""
    engine: Engine | None
    """None when the state is lost."""
    cluster_gone: bool = False
    """The cloud has proven that there is no cluster."""
    choices: Choices = field(default_factory=Choices)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step. It is done when it touches nothing any more, and so may be repeated at any time."""

    id: str
    title: str
    reason: str
    """Why it stands here in the order; the known failures that it prevents."""
    needs: frozenset[str]
    """Kinds of things that it looks at."""
    touches: Callable[[Seen], tuple[Thing, ...]]
    """Pure: what is still to go."""
    act: Callable[[Scene, tuple[Thing, ...]], None]
    """Asks for all of it; asked again at every look, so it must be harmless to repeat. Raises Busy where the cloud says: not yet."""
    minutes: float = 10
    """Longest wait until nothing is left."""
    in_cluster: bool = False
    """Needs the API server; left out, with a note, where there is none."""
    once: bool = False
    """Its act takes as long as it takes and is not repeated by looking again."""


def delete_all(scene: Scene, things: tuple[Thing, ...]) -> None:
    """Ask for the end of each, in order. Raises Busy, after having tried all, with the first reason."""
    from scripts.teardown.clouds.cloud import Busy

    busy: Busy | None = None
    for thing in things:
        try:
            if in_cluster(thing):
                if scene.cluster is not None:
                    scene.cluster.delete(thing)
            else:
                scene.cloud.delete(thing)
        except Busy as reason:
            busy = busy or reason
    if busy is not None:
        raise busy


def in_cluster(thing: Thing) -> bool:
    """Whether it is an object of the cluster."""
    return "object" in thing.detail
