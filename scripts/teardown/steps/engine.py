"""The Pulumi destroy."""

from __future__ import annotations

from scripts.teardown.clouds.cloud import Busy
from scripts.teardown.model import Seen, Thing
from scripts.teardown.step import Scene, Step

STATE = "in the state"
"""Kind prefix of what the engine's state holds."""


def _touches(seen: Seen) -> tuple[Thing, ...]:
    return tuple(thing for thing in seen.things if thing.kind.startswith(STATE))


def _act(scene: Scene, _: tuple[Thing, ...]) -> None:
    """Raises Busy with the engine's words where it stopped: what blocks it is the matter of the next steps, after which it is tried again."""
    if scene.engine is None:
        return
    if scene.cluster_gone:
        scene.engine.forget_objects()
    stopped = scene.engine.destroy()
    if stopped:
        raise Busy(stopped)


def step(id_: str, title: str, reason: str) -> Step:
    return Step(id=id_, title=title, reason=reason, needs=frozenset({STATE}), touches=_touches, act=_act, once=True)


DESTROY = step(
    "destroy", "Destroy the stack with Pulumi's engine, after its preview", "facts of the state and its order are the engine's own"
)
AGAIN = step("destroy-again", "Destroy what the engine could not end the first time", "K5: what blocked it has been deleted since")
