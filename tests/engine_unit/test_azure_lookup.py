"""What Azure is asked about a stack, on a simulated Azure behind its door."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.engine import azure_session
from scripts.engine.azure_lookup import AzureLookup
from scripts.engine.environment import AZURE_ENDPOINT
from scripts.engine.lookup import Absent, CannotTell, Exists
from scripts.engine.state import PendingOperation, State
from scripts.errors import Failed
from scripts.sandbox.doors.azure.door import door
from scripts.sandbox.doors.http import DoorServer
from scripts.sandbox.kinds.azure import tokens as t
from tests.sandbox.azure import A100, SUBSCRIPTION, Azure

TAGS = {"gpukit-stack": "dev", "gpukit-resource": "gpu"}


@pytest.fixture
def azure(tmp_path: Path) -> Azure:
    return Azure(tmp_path)


@pytest.fixture
def address(azure: Azure) -> Iterator[str]:
    server = DoorServer(0, {"/azure": door(azure.world)})
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.port}/azure"
    server.shutdown()
    server.server_close()


@pytest.fixture
def lookup(address: str) -> AzureLookup:
    return AzureLookup(stack="dev", subscription=SUBSCRIPTION, environment={AZURE_ENDPOINT: address}, look_seconds=0.01)


def pending(kind: str = t.AGENT_POOL, operation: str = "creating", **inputs: Any) -> PendingOperation:
    given = {"resourceGroupName": "lab-rg", "resourceName": "lab", "agentPoolName": "gpu", "tags": TAGS, **inputs}
    return PendingOperation(operation, {"urn": f"urn:pulumi:dev::gpukit::{kind}::gpu", "type": kind, "inputs": given})


def state(*ids: str) -> State:
    return State({"deployment": {"resources": [{"urn": id_, "type": "t", "id": id_} for id_ in ids]}})


@pytest.mark.failure("H12")
def test_a_pool_whose_create_was_cut_off_is_found_by_its_path(azure: Azure, lookup: AzureLookup) -> None:
    azure.cluster()
    assert lookup.of(pending(), state()) == Absent()
    pool = azure.pool(tags=TAGS)
    assert lookup.of(pending(), state()) == Exists((pool.id,))
    assert isinstance(lookup.of(pending(), state(pool.id.upper())), Absent)


def test_somebody_elses_of_the_same_name_is_not_taken(azure: Azure, lookup: AzureLookup) -> None:
    azure.cluster()
    azure.pool(tags={**TAGS, "gpukit-stack": "other"})
    assert isinstance(lookup.of(pending(), state()), CannotTell)


def test_what_carries_no_tags_is_told_by_its_path_alone(azure: Azure, lookup: AzureLookup) -> None:
    subnet = azure.ground()
    found = lookup.of(pending(t.SUBNET, virtualNetworkName="net", subnetName="nodes", tags=None), state())
    assert found == Exists((subnet.id,))


@pytest.mark.parametrize(
    ("kind", "inputs", "words"),
    [
        ("azure-native:web:WebApp", {}, "does not know how to look for"),
        (t.AGENT_POOL, {"agentPoolName": None}, "its name is not in the state"),
    ],
)
def test_what_cannot_be_asked_is_not_taken_for_absent(lookup: AzureLookup, kind: str, inputs: dict[str, Any], words: str) -> None:
    answer = lookup.of(pending(kind, **inputs), state())
    assert isinstance(answer, CannotTell)
    assert words in answer.reason


def test_settings_of_a_service_can_be_put_again(lookup: AzureLookup) -> None:
    assert isinstance(lookup.of(pending(t.BLOB_SERVICE), state()), Absent)


def test_all_of_a_stack_outside_its_state_is_listed(azure: Azure, lookup: AzureLookup) -> None:
    group = azure.group(tags={**TAGS, "gpukit-resource": "lab"})
    vnet = azure.vnet(tags=TAGS)
    azure.vnet("other", tags={"gpukit-stack": "other"})
    kept = azure.make(
        t.STORAGE_ACCOUNT, accountName="labdata", kind="StorageV2", sku={"name": "Standard_LRS"}, tags={**TAGS, "gpukit-kept": "data"}
    )
    found = {each.name: each for each in lookup.outside(state())}
    assert found.keys() == {group.id, vnet.id, kept.id}
    assert [found[id_].kept for id_ in (vnet.id, kept.id)] == [False, True]
    assert (found[vnet.id].types, found[vnet.id].resource) == ((t.VNET,), "gpu")
    assert [each.name for each in lookup.outside(state(group.id, vnet.id))] == [kept.id]


def test_machines_of_a_pool_are_named_until_their_pool_is_gone(azure: Azure, lookup: AzureLookup) -> None:
    azure.cluster()
    pool = azure.pool(tags=TAGS)
    names = {each.name.rsplit("/", 2)[1] for each in lookup.outside(state(pool.id))}
    assert {"virtualMachineScaleSets", "disks"} <= names
    azure.delete(pool)
    assert lookup.outside(state()) == ()


@pytest.mark.failure("K10")
def test_pools_that_the_state_does_not_hold_are_found_in_their_cluster(azure: Azure, lookup: AzureLookup) -> None:
    cluster = azure.cluster(tags=TAGS)
    pool = azure.pool(tags=TAGS)
    held = {"urn": "c", "type": t.CLUSTER, "id": cluster.id, "inputs": {"agentPoolProfiles": [{"name": "system"}]}}
    found = lookup.outside(State({"deployment": {"resources": [held]}}))
    assert [each.name for each in found if each.types == (t.AGENT_POOL,)] == [pool.id]
    assert [each for each in lookup.outside(state(cluster.id, pool.id)) if each.types == (t.AGENT_POOL,)] == []


@pytest.mark.parametrize(("operation", "status"), [("creating", "Succeeded"), ("deleting", "gone")])
def test_a_thing_on_its_way_is_waited_for(azure: Azure, address: str, operation: str, status: str) -> None:
    azure.cluster()
    pool = azure.pool(vmSize=A100)
    looks: list[float] = []

    def arrive(seconds: float) -> None:
        looks.append(seconds)
        if status == "gone":
            azure.delete(pool)
        else:
            with azure.world.store.transaction():
                azure.world.store.put(replace(azure.now(pool), status="Succeeded"))

    with azure.world.store.transaction():
        way = {"provisioningState": "Deleting"} if operation == "deleting" else {}
        present = azure.world.store.put(azure.now(pool).with_state(**way))
        azure.world.store.put(replace(present, status="Creating" if operation == "creating" else present.status))
    lookup = AzureLookup(stack="dev", subscription=SUBSCRIPTION, environment={AZURE_ENDPOINT: address}, sleep=arrive)
    lookup.settle(pending(operation=operation), pool.id)
    assert len(looks) == 1


def test_a_cloud_out_of_reach_is_a_failure_in_words(address: str) -> None:
    del address
    nowhere = AzureLookup(stack="dev", subscription=SUBSCRIPTION, environment={AZURE_ENDPOINT: "http://127.0.0.1:1/azure"})
    with pytest.raises(Failed, match=r"Azure did not answer .*Nothing was changed"):
        nowhere.outside(state())


@pytest.mark.parametrize(("times", "told"), [(1, False), (3, True)])
def test_a_busy_azure_is_asked_again_and_then_told_in_its_own_words(
    azure: Azure, lookup: AzureLookup, monkeypatch: pytest.MonkeyPatch, times: int, told: bool
) -> None:
    monkeypatch.setattr(azure_session, "RETRIES", (0, 0))
    azure.world.faults.add("throttle", {"service": "resources", "times": times})
    if not told:
        assert lookup.outside(state()) == ()
        return
    with pytest.raises(Failed, match="TooManyRequests"):
        lookup.outside(state())


def test_a_subscription_that_is_not_there_is_told(address: str) -> None:
    elsewhere = AzureLookup(stack="dev", subscription="another", environment={AZURE_ENDPOINT: address})
    with pytest.raises(Failed, match="Subscription another is not there"):
        elsewhere.outside(state())
