"""An engine killed in the middle of an expensive create, on the simulated clouds: the next `up` finds the thing by its identity."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.engine import engine_lock
from scripts.engine.locate import Engine
from scripts.errors import Exit
from scripts.sandbox.client import World
from tests.engine.clouds import Clouds, copy_of_the_project
from tests.engine.conftest import meanwhile

pytestmark = [pytest.mark.engine]
STACK = "aws-inference-dev"
SPEED = 2000.0


@pytest.fixture
def clouds(tmp_path: Path, engine: Engine) -> Iterator[Clouds]:
    """A world in which time passes, so that an engine can be caught in the middle."""
    made = Clouds(copy_of_the_project(tmp_path / "checkout"))
    World.at(made.checkout.root, speed=SPEED).start()
    try:
        yield made
    finally:
        made.world.stop()


@pytest.mark.failure("H12")
@pytest.mark.parametrize(("kind", "wanted"), [("aws:eks/cluster:Cluster", 1), ("aws:eks/nodeGroup:NodeGroup", 2)])
def test_what_a_killed_engine_was_making_is_found_and_not_paid_twice(clouds: Clouds, kind: str, wanted: int) -> None:
    clouds.world.fault("latency", type=kind, seconds=SPEED * 10)

    def kill() -> None:
        (lock,) = engine_lock.locks(clouds.checkout.sandbox_state, project="gpukit", stack=STACK)
        os.kill(lock.pid, signal.SIGKILL)

    thread = meanwhile(lambda: clouds.world.status()["records"].get(kind, 0) > 0, kill)
    killed = clouds.act("up", STACK)
    thread.join()
    assert killed.exit is Exit.FAILED
    clouds.world.clear_faults()

    outcome = clouds.act("up", STACK)
    assert outcome.exit is Exit.FINE, outcome.message
    assert f"interrupted earlier: {kind}" in clouds.said.getvalue()
    assert clouds.world.status()["records"][kind] == wanted
    assert set(clouds.act("up", STACK).changes) <= {"same"}

    assert clouds.act("destroy", STACK).exit is Exit.FINE
    assert clouds.world.status()["clusters"] == []
