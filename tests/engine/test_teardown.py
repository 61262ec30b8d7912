"""`gpukit teardown` of the shipped training stack: the real engine on the simulated AWS."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scripts.engine.stack_lock import stack_lock
from scripts.errors import Exit, Refused
from scripts.teardown.stack_engine import StackEngine
from tests.engine.clouds import Clouds
from tests.engine.tearing_down import lose_the_state, teardown
from tests.killed import Killed
from tests.teardown import objects as o

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("teardown-engine")]
STACK, REGION = "aws-training-dev", "us-east-1"


@pytest.fixture
def clouds(clouds: Clouds) -> Clouds:
    up = clouds.act("up", STACK)
    assert up.exit is Exit.FINE, up.message
    return clouds


def put(clouds: Clouds, body: dict[str, Any], plural: str) -> None:
    """Make an object through the Kubernetes client at the door of the stack's cluster."""
    from kubernetes import client

    api = client.ApiClient(client.Configuration(host=f"{clouds.endpoints.http}/eks/{REGION}/{STACK}"))
    version, namespace = body["apiVersion"], body["metadata"].get("namespace")
    stem = f"/apis/{version}" if "/" in version else f"/api/{version}"
    path = f"{stem}/namespaces/{namespace}/{plural}" if namespace else f"{stem}/{plural}"
    api.call_api(path, "POST", header_params={"Content-Type": "application/json"}, body=body, _preload_content=False)


def left(clouds: Clouds) -> set[str]:
    """Kinds of what still carries the stack's identity."""
    pages = clouds.boto3("resourcegroupstaggingapi", REGION).get_paginator("get_resources")
    found = pages.paginate(TagFilters=[{"Key": "gpukit/stack", "Values": [STACK]}]).build_full_result()
    return {item["ResourceARN"].split(":")[2] for item in found["ResourceTagMappingList"]}


def populated(clouds: Clouds) -> None:
    put(clouds, o.service(), "services")
    put(clouds, o.storage_class(), "storageclasses")
    put(clouds, o.stateful_set(), "statefulsets")
    for _ in range(3):
        clouds.boto3("eks", REGION).list_clusters()


@pytest.mark.failure("K11")
def test_the_stack_of_make_up_is_refused_while_it_should_be_and_then_leaves_only_its_data(
    clouds: Clouds, capsys: pytest.CaptureFixture[str]
) -> None:
    """One `up` for all of it: each takes half a minute."""
    populated(clouds)
    clouds.world.load(STACK, "a100", nodes=1)
    with (
        stack_lock(clouds.checkout.locks, world="sandbox", stack=STACK, action="up"),
        pytest.raises(Refused, match="Another run is working on stack"),
    ):
        teardown(clouds, STACK)
    clouds.boto3("eks", REGION).update_cluster_config(name=STACK, deletionProtection=True)
    with pytest.raises(Refused, match="protected against deletion"):
        teardown(clouds, STACK)
    clouds.boto3("eks", REGION).update_cluster_config(name=STACK, deletionProtection=False)
    with pytest.raises(Refused, match="--force-running"):
        teardown(clouds, STACK)
    capsys.readouterr()
    assert teardown(clouds, STACK, force_running=True) == Exit.FINE
    ending = json.loads(capsys.readouterr().out)
    assert (ending["residue"], [thing["kind"] for thing in ending["kept"]]) == ([], ["bucket"])
    steps = {each["id"]: each for each in ending["steps"] if each["touched"]}
    assert [*steps] == ["gpu-pools", "balancers", "claims", "destroy"]
    assert left(clouds) == {"s3", "ec2"} or left(clouds) == {"s3"}  # ended instances stay listed for an hour

    assert teardown(clouds, STACK) == Exit.FINE, "a second run finds nothing to do"
    assert not any(each["touched"] for each in json.loads(capsys.readouterr().out)["steps"])


BY_NAME = {"stack": None, "cluster": STACK, "cloud": "aws", "region": REGION}


@pytest.mark.long
@pytest.mark.failure("H12")
@pytest.mark.parametrize("target", [{}, BY_NAME], ids=["by its stack file", "by the cluster's name"])
def test_a_stack_whose_state_was_lost_ends_by_its_tags(clouds: Clouds, capsys: pytest.CaptureFixture[str], target: dict[str, Any]) -> None:
    populated(clouds)
    with pytest.raises(Refused, match=f"run `gpukit teardown {STACK}`"):
        teardown(clouds, STACK, **BY_NAME)
    lose_the_state(clouds, STACK)
    capsys.readouterr()
    assert teardown(clouds, STACK, **target) == Exit.FINE
    ending = json.loads(capsys.readouterr().out)
    assert ([thing["id"] for thing in ending["residue"]], [thing["kind"] for thing in ending["kept"]]) == ([], ["bucket"])
    account = clouds.boto3("sts", REGION).get_caller_identity()["Account"]
    assert not clouds.boto3("budgets", REGION).describe_budgets(AccountId=account).get("Budgets")


@pytest.mark.long
@pytest.mark.failure("H12")
def test_the_idle_watch_of_a_stack_whose_state_was_lost_ends_with_it(clouds: Clouds, capsys: pytest.CaptureFixture[str]) -> None:
    """Function, rule with its target, alarms, topic and log: none of them is part of the cluster."""
    clouds.edit(STACK, lambda cluster: cluster.update(idle={"notify": ["ml-platform@example.com"], "watch": {}}))
    assert clouds.act("up", STACK).exit is Exit.FINE
    assert left(clouds) >= {"lambda", "events", "cloudwatch", "sns", "logs"}
    lose_the_state(clouds, STACK)
    capsys.readouterr()
    assert teardown(clouds, STACK) == Exit.FINE
    ending = json.loads(capsys.readouterr().out)
    assert ([thing["id"] for thing in ending["residue"]], [thing["kind"] for thing in ending["kept"]]) == ([], ["bucket"])
    assert left(clouds) <= {"s3", "ec2"}


@pytest.mark.long
@pytest.mark.failure("H6")
def test_a_cluster_that_someone_deleted_by_hand_does_not_stop_the_destroy_of_the_rest(clouds: Clouds) -> None:
    cloud = clouds.boto3("eks", REGION)
    for name in cloud.list_nodegroups(clusterName=STACK)["nodegroups"]:
        cloud.delete_nodegroup(clusterName=STACK, nodegroupName=name)
    cloud.delete_cluster(name=STACK)
    assert teardown(clouds, STACK) == Exit.FINE


@pytest.mark.long
def test_a_teardown_that_was_killed_goes_on_where_it_was(clouds: Clouds, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(_: object) -> str:
        raise Killed

    populated(clouds)
    with monkeypatch.context() as broken:
        broken.setattr(StackEngine, "destroy", killed)
        with pytest.raises(Killed):
            teardown(clouds, STACK)
    assert teardown(clouds, STACK) == Exit.FINE
