"""A cluster of the simulated Azure ends by its tags, through Resource Manager."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.engine.environment import AZURE_ENDPOINT
from scripts.errors import Exit, Failed
from scripts.sandbox.doors.azure.door import door
from scripts.sandbox.doors.http import DoorServer
from scripts.sandbox.kinds.azure import tokens as t
from scripts.teardown import kinds as k
from scripts.teardown.clouds.azure import AzureCloud
from scripts.teardown.journal import Journal
from scripts.teardown.model import Target
from scripts.teardown.running import Pace
from scripts.teardown.step import Choices, Scene
from scripts.teardown.teardown import Teardown
from tests.sandbox.azure import A100, REGION, SUBSCRIPTION, Azure
from tests.teardown.lab import Ticks, ended_after_kills

TAGS = {"gpukit-stack": "lab", "gpukit-cluster": "lab"}
TARGET = Target(cloud="azure", account=SUBSCRIPTION, region=REGION, cluster="lab", world="sandbox")


@pytest.fixture
def azure(tmp_path: Path) -> Azure:
    return Azure(tmp_path)


@pytest.fixture
def environment(azure: Azure) -> Iterator[dict[str, str]]:
    server = DoorServer(0, {"/azure": door(azure.world)})
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield {AZURE_ENDPOINT: f"http://127.0.0.1:{server.port}/azure"}
    server.shutdown()
    server.server_close()


def teardown(environment: dict[str, str], tmp_path: Path, appended: Callable[[Any], None] = lambda _: None) -> Teardown:
    cloud, ticks = AzureCloud(TARGET, environment), Ticks()
    facts = cloud.cluster()
    choices = Choices(without_api=True)
    return Teardown(
        scene=Scene(target=TARGET, cloud=cloud, cluster=None, engine=None, cluster_gone=facts is None, choices=choices),
        facts=facts,
        journal=Journal(tmp_path / "teardown.jsonl", appended=appended),
        say=lambda _: None,
        pace=Pace(look_seconds=60, now=ticks.now, sleep=ticks.sleep),
    )


@pytest.mark.failure("K10")
def test_a_pool_that_no_state_knows_goes_with_its_cluster_and_the_group_last(
    azure: Azure, environment: dict[str, str], tmp_path: Path
) -> None:
    azure.cluster(tags=TAGS)
    azure.pool("a100", vmSize=A100, count=1)
    made = teardown(environment, tmp_path)
    plan = made.plan()
    assert [thing.name for thing in plan.steps[0].things] == ["a100"]
    named = {thing.name for step in plan.steps for thing in step.things if thing.kind == k.POOL}
    assert named == {"a100"}, "AKS refuses to delete the last system pool: it goes with its cluster"
    ending = made.act(plan)
    assert ending.exit is Exit.FINE
    assert not azure.all(t.CLUSTER)
    assert azure.all(t.RESOURCE_GROUP), "a group without the target's tags is not the target's"


def test_a_group_that_holds_kept_data_is_kept_and_an_empty_one_goes(azure: Azure, environment: dict[str, str], tmp_path: Path) -> None:
    for name in ("data-rg", "empty-rg", "foreign-rg"):
        azure.group(name, tags=TAGS)
    azure.make(t.STORAGE_ACCOUNT, resourceGroupName="data-rg", accountName="labdata", location=REGION, kind="StorageV2", sku={"name": "Standard_LRS"}, tags=TAGS)  # fmt: skip
    azure.make(t.IDENTITY, resourceGroupName="foreign-rg", resourceName="theirs", location=REGION)
    made = teardown(environment, tmp_path)
    ending = made.act(made.plan())
    groups = {each.inputs["resourceGroupName"] for each in azure.all(t.RESOURCE_GROUP)}
    assert groups == {"data-rg", "foreign-rg"}
    assert [(thing.kind, thing.name) for thing in ending.residue] == [(k.GROUP, "foreign-rg")], "someone else's identity is in it"
    assert {thing.kind for thing in ending.kept} == {k.BUCKET, k.GROUP}


@pytest.mark.failure("K11")
def test_a_lock_on_the_group_protects_the_cluster_in_it(azure: Azure, environment: dict[str, str]) -> None:
    azure.cluster(tags=TAGS)
    cloud = AzureCloud(TARGET, environment)
    facts = cloud.cluster()
    assert facts is not None
    assert not facts.protected
    scope = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/lab-rg"
    azure.make(t.LOCK, scope=scope, lockName="keep", level="CanNotDelete")
    locked = cloud.cluster()
    assert locked is not None
    assert locked.protected


@pytest.mark.long
def test_runs_that_are_killed_again_and_again_reach_the_same_end(azure: Azure, environment: dict[str, str], tmp_path: Path) -> None:
    azure.cluster(tags=TAGS)
    azure.pool("a100", vmSize=A100, count=1)
    kills, ending = ended_after_kills(lambda appended: teardown(environment, tmp_path, appended))
    assert kills > 1
    assert (ending.exit, ending.residue, ending.kept) == (Exit.FINE, (), ())
    assert not azure.all(t.CLUSTER)


def test_a_cloud_that_does_not_answer_is_a_failure_and_never_a_cluster_that_is_gone() -> None:
    with pytest.raises(Failed, match=r"did not answer .*Nothing was changed"):
        AzureCloud(TARGET, {AZURE_ENDPOINT: "http://127.0.0.1:9/azure"}).cluster()
