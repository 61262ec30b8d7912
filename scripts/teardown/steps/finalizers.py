"""Finalizers that nobody serves, taken off on request."""

from __future__ import annotations

from scripts.teardown.model import Seen, Thing
from scripts.teardown.objects import body
from scripts.teardown.step import Scene, Step
from scripts.teardown.steps import balancers, claims, karpenter, operators, recreators, workloads

_OBJECTS = (
    *(*balancers.OBJECTS, claims.CLAIM, claims.PERSISTENT, recreators.NODE_POOL, karpenter.NODE_CLAIM),
    *(*workloads.JOBS, *workloads.QUEUES, *operators.CLAIMS, *operators.CONFIGURATION),
)


def _touches(seen: Seen) -> tuple[Thing, ...]:
    """Objects that are being deleted and are still there."""
    return tuple(
        each for each in seen.of(_OBJECTS) if "deletionTimestamp" in body(each)["metadata"] and body(each)["metadata"].get("finalizers")
    )


def _act(scene: Scene, things: tuple[Thing, ...]) -> None:
    if scene.cluster is not None:
        for thing in things:
            scene.cluster.change(thing, {"metadata": {"finalizers": None}})


STEP = Step(
    id="finalizers",
    title="Take finalizers off objects whose controllers did not serve them",
    reason="K9, asked for: with a living controller they would come back",
    needs=frozenset(_OBJECTS),
    touches=_touches,
    act=_act,
    minutes=5,
    in_cluster=True,
)
