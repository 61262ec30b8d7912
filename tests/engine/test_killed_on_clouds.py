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
STACK, REGION = "aws-inference-dev", "us-east-1"
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


def remove_roles(clouds: Clouds) -> None:
    iam = clouds.boto3("iam", REGION)
    for role in iam.list_roles()["Roles"]:
        name = role["RoleName"]
        for policy in iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
            iam.detach_role_policy(RoleName=name, PolicyArn=policy["PolicyArn"])
        for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]:
            iam.delete_role_policy(RoleName=name, PolicyName=policy)
        iam.delete_role(RoleName=name)


def remove_cluster(clouds: Clouds) -> None:
    eks = clouds.boto3("eks", REGION)
    for name in eks.list_nodegroups(clusterName=STACK)["nodegroups"]:
        eks.delete_nodegroup(clusterName=STACK, nodegroupName=name)
        eks.get_waiter("nodegroup_deleted").wait(clusterName=STACK, nodegroupName=name, WaiterConfig={"Delay": 1})
    eks.delete_cluster(name=STACK)
    eks.get_waiter("cluster_deleted").wait(name=STACK, WaiterConfig={"Delay": 1})


@pytest.mark.failure("H12")
@pytest.mark.parametrize("remove", [remove_roles, remove_cluster])
@pytest.mark.parametrize("first", ["up", "refresh"])
def test_after_a_killed_destroy_and_deletions_by_hand_an_up_makes_the_stack_whole(
    clouds: Clouds, remove: Callable[[Clouds], None], first: Action
) -> None:
    """The state calls made what nobody told it of: an `up` would believe it, and end at the first thing that needs what is gone."""
    whole = killed_destroy(clouds, STACK, "aws:eks/nodeGroup:NodeGroup")
    remove(clouds)
    assert clouds.act(first, STACK).exit is Exit.FINE
    outcome = clouds.act("up", STACK)
    assert outcome.exit is Exit.FINE, outcome.message
    assert clouds.world.status()["records"] == whole
    assert set(clouds.act("up", STACK).changes) <= {"same"}
    assert clouds.act("destroy", STACK).exit is Exit.FINE
    assert clouds.world.status()["records"] == {}


@pytest.mark.failure("H6")
def test_a_cluster_deleted_by_hand_is_told_of_and_made_again_by_the_next_up(clouds: Clouds) -> None:
    assert clouds.act("up", STACK).exit is Exit.FINE
    whole = clouds.world.status()["records"]
    remove_cluster(clouds)
    failed = clouds.act("up", STACK)
    assert failed.exit is Exit.FAILED
    assert f"run `gpukit up {STACK}` again" in failed.message
    again = clouds.act("up", STACK)
    assert again.exit is Exit.FINE, again.message
    assert clouds.world.status()["records"] == whole


@pytest.mark.failure("H6")
def test_a_refresh_is_not_stopped_by_a_cluster_that_is_gone(clouds: Clouds) -> None:
    assert clouds.act("up", STACK).exit is Exit.FINE
    remove_cluster(clouds)
    refreshed = clouds.act("refresh", STACK)
    assert refreshed.exit is Exit.FINE, refreshed.message
    assert "the cluster is gone from its cloud" in clouds.said.getvalue()
    assert clouds.act("destroy", STACK).exit is Exit.FINE
    assert clouds.world.status()["records"] == {}


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
