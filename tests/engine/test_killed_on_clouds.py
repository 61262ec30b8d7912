"""An engine killed in the middle, on the simulated clouds: the next `up` finds out what it had made and what it had deleted."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Mapping

import pytest

from scripts.engine import engine_lock
from scripts.engine.outcome import Outcome
from scripts.engine.run import Action
from scripts.errors import Exit, Refused
from scripts.sandbox.client import World
from tests.engine.clouds import Clouds
from tests.engine.conftest import meanwhile

pytestmark = [pytest.mark.engine, pytest.mark.long]
STACK = "aws-inference-dev"
SPEED = 2000.0
SLOW = 100.0
"""At which a node group's delete takes a second or more, in which an engine can be killed."""


@pytest.fixture
def clouds(clouds: Clouds) -> Clouds:
    """A world in which time passes, so that an engine can be caught in the middle."""
    World.at(clouds.checkout.root, speed=SPEED).start()
    return clouds


def act_and_kill(clouds: Clouds, action: Action, stack: str, when: Callable[[Mapping[str, int]], bool]) -> Outcome:
    """Run `action` and kill its engine as soon as the world's records (counts by kind) are as wanted."""

    def kill() -> None:
        (lock,) = engine_lock.locks(clouds.checkout.sandbox_state, project="gpukit", stack=stack)
        os.kill(lock.pid, signal.SIGKILL)

    thread = meanwhile(lambda: when(clouds.world.status()["records"]), kill)
    outcome = clouds.act(action, stack)
    thread.join()
    return outcome


def killed_destroy(clouds: Clouds, stack: str, kind: str) -> dict[str, int]:
    """Make `stack`, then kill the engine in its destroy once something of `kind` is gone; gives the records of the whole stack."""
    assert clouds.act("up", stack).exit is Exit.FINE
    whole = clouds.world.status()["records"]
    at_speed(clouds, SLOW)
    killed = act_and_kill(clouds, "destroy", stack, lambda records: records.get(kind, 0) < whole[kind])
    at_speed(clouds, SPEED)
    assert killed.exit is Exit.FAILED
    assert 0 < sum(killed.changes.values()) < sum(whole.values()) / 2, "only what was done is told"
    assert clouds.world.status()["clusters"] != []
    return whole


def at_speed(clouds: Clouds, speed: float) -> None:
    clouds.world.stop()
    World.at(clouds.checkout.root, speed=speed).start()


@pytest.mark.failure("H12")
@pytest.mark.parametrize(
    ("stack", "kind"),
    [
        (STACK, "aws:eks/nodeGroup:NodeGroup"),
        ("aws-training-dev", "aws:autoscaling/tag:Tag"),
        ("gcp-inference-dev", "gcp:container/nodePool:NodePool"),
    ],
)
def test_after_a_killed_destroy_an_up_makes_the_stack_whole_again(clouds: Clouds, stack: str, kind: str) -> None:
    """The engine forgets objects in the cluster before it deletes the cluster, and only another destroy repeats its deletes."""
    whole = killed_destroy(clouds, stack, kind)

    outcome = clouds.act("up", stack)
    assert outcome.exit is Exit.FINE, outcome.message
    assert clouds.world.status()["records"] == whole
    assert set(clouds.act("up", stack).changes) <= {"same"}

    assert clouds.act("destroy", stack).exit is Exit.FINE
    left = clouds.world.status()["records"]
    assert {kind for kind in left if not kind.startswith("aws:s3/")} == set()  # buckets are kept on purpose


@pytest.mark.failure("H12")
def test_objects_in_the_cluster_that_nobody_remembers_are_named_before_anything_is_made(clouds: Clouds) -> None:
    """As after a destroy by plain `pulumi`, or on another machine."""
    killed_destroy(clouds, STACK, "aws:eks/nodeGroup:NodeGroup")
    shutil.rmtree(clouds.checkout.local / "destroying")

    with pytest.raises(Refused, match=r"(?s)kubernetes:core/v1:Namespace gpu-operator.*Release gpu-operator/gpu-operator.*gpukit destroy"):
        clouds.act("up", STACK)
    assert clouds.act("destroy", STACK).exit is Exit.FINE
    assert clouds.world.status()["records"] == {}


@pytest.mark.failure("H12")
@pytest.mark.parametrize(
    ("stack", "kind", "wanted"),
    [
        (STACK, "aws:eks/cluster:Cluster", 1),
        (STACK, "aws:eks/nodeGroup:NodeGroup", 2),
        ("gcp-inference-dev", "gcp:container/cluster:Cluster", 1),
        ("gcp-inference-dev", "gcp:container/nodePool:NodePool", 2),
        ("gcp-inference-dev", "gcp:compute/routerNat:RouterNat", 1),
    ],
)
def test_what_a_killed_engine_was_making_is_found_and_not_paid_twice(clouds: Clouds, stack: str, kind: str, wanted: int) -> None:
    clouds.world.fault("latency", type=kind, seconds=SPEED * 10)

    killed = act_and_kill(clouds, "up", stack, lambda records: records.get(kind, 0) > 0)
    assert killed.exit is Exit.FAILED
    clouds.world.clear_faults()

    outcome = clouds.act("up", stack)
    assert outcome.exit is Exit.FINE, outcome.message
    assert f"interrupted earlier: {kind}" in clouds.said.getvalue()
    assert clouds.world.status()["records"][kind] == wanted
    assert set(clouds.act("up", stack).changes) <= {"same"}

    assert clouds.act("destroy", stack).exit is Exit.FINE
    assert clouds.world.status()["clusters"] == []
