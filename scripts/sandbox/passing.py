"""What happens because time passed, in every cloud: looked at whenever a door is used, in the order of the moments at which things were due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scripts.sandbox import clouds

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation


def catch_up(world: Simulation) -> None:
    """Let everything happen that is due by now."""
    now = world.clock.now()
    due = sorted((each for cloud in clouds.used(world) for each in cloud.due(world) if each[0] <= now), key=lambda each: each[:2])
    if not due:
        return
    with world.store.transaction():
        for _, _, happen in due:
            happen()
        world.tick()
