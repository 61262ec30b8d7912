"""Looking for what an interrupted run made, through the very API shapes that the discovery documents confirm."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.engine.environment import GCP_ENDPOINT
from scripts.engine.gcp_kinds import PLACED, REPEATABLE
from scripts.engine.gcp_lookup import GcpLookup
from scripts.engine.lookup import Absent, CannotTell, Exists
from scripts.engine.state import PendingOperation, State
from scripts.errors import Failed
from scripts.sandbox.doors.gcp import door
from scripts.sandbox.doors.http import DoorServer, Request, Response
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.store import Record
from tests.sandbox.gcp_cloud import PROJECT, REGION, ZONE, Gcp

MINE = {"gpukit-stack": "dev", "gpukit-resource": "dev"}


@pytest.fixture
def gcp(tmp_path: Path) -> Gcp:
    return Gcp(tmp_path)


@pytest.fixture
def environment(gcp: Gcp) -> Iterator[dict[str, str]]:
    server = DoorServer(0, {"/gcp": door.door(gcp.world)})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {GCP_ENDPOINT: f"http://127.0.0.1:{server.port}/gcp"}
    server.shutdown()
    server.server_close()


@pytest.fixture
def lookup(environment: dict[str, str]) -> GcpLookup:
    return GcpLookup(stack="dev", project=PROJECT, region=REGION, environment=environment)


def state(*ids: str) -> State:
    return State({"deployment": {"resources": [{"urn": id_, "type": "t", "id": id_} for id_ in ids]}})


def pending(kind: str, *, doing: str = "creating", **inputs: Any) -> PendingOperation:
    return PendingOperation(doing, {"urn": f"urn:pulumi:dev::p::{kind}::x", "type": kind, "inputs": inputs})


def made(gcp: Gcp) -> dict[str, tuple[Record, dict[str, Any]]]:
    """Something of most kinds, with the inputs by which it was made."""
    cluster = gcp.cluster()
    network = gcp.network(name="n")
    gcp.make(t.ROUTER, name="r", network="n", region=REGION)
    given: dict[str, dict[str, Any]] = {
        t.FIREWALL: {"name": "f", "network": "n", "allows": [{"protocol": "tcp"}]},
        t.ROUTER_NAT: {"name": "nat", "router": "r", "region": REGION, "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES"},
        t.SUBNETWORK: {"name": "s", "network": network.id, "region": REGION, "ipCidrRange": "10.200.0.0/24"},
        t.NODE_POOL: {"name": "p", "cluster": "lab", "location": ZONE, "nodeConfig": {"machineType": "e2-standard-4"}},
        t.SERVICE_ACCOUNT: {"accountId": "lab-nodes"},
        t.POLICY: {"name": "tight", "region": REGION},
        t.KEY_RING: {"name": "ring", "location": REGION},
        t.LOG_SINK: {"name": "sink", "destination": "storage.googleapis.com/x"},
        t.BUDGET: {"billingAccount": "B", "amount": {}, "displayName": "dev"},
        t.CHANNEL: {"type": "email", "displayName": "dev"},
    }
    found = {kind: (gcp.make(kind, **inputs), inputs) for kind, inputs in given.items()}
    return {**found, t.CLUSTER: (cluster, {"name": "lab", "location": ZONE}), t.NETWORK: (network, {"name": "n"})}


def test_objects_are_found_by_the_path_that_their_name_gives_under_the_providers_id(gcp: Gcp, lookup: GcpLookup) -> None:
    for kind, (record, inputs) in made(gcp).items():
        if kind != t.CLUSTER:
            assert lookup.of(pending(kind, **inputs), state()) == Exists((record.id,)), kind


def test_what_is_not_there_was_not_made(gcp: Gcp, lookup: GcpLookup) -> None:
    for kind, (_, inputs) in made(gcp).items():
        name = "accountId" if kind == t.SERVICE_ACCOUNT else "displayName" if kind in (t.BUDGET, t.CHANNEL) else "name"
        assert lookup.of(pending(kind, **{**inputs, name: "other-name"}), state()) == Absent(), kind


@pytest.mark.parametrize(
    ("labels", "expected"),
    [(MINE, Exists((f"projects/{PROJECT}/locations/{ZONE}/clusters/lab",))), ({"gpukit-stack": "other"}, CannotTell), ({}, CannotTell)],
)
def test_a_kind_with_labels_must_carry_the_stacks_own(gcp: Gcp, lookup: GcpLookup, labels: dict[str, str], expected: Any) -> None:
    cluster = gcp.cluster()
    with gcp.world.store.transaction():
        gcp.world.store.put(type(cluster)(**{**vars(cluster), "tags": labels}))
    answer = lookup.of(pending(t.CLUSTER, name="lab", location=ZONE), state())
    assert answer == expected or isinstance(answer, CannotTell) is (expected is CannotTell)


def test_what_the_state_holds_already_is_not_adopted_again(gcp: Gcp, lookup: GcpLookup) -> None:
    network = gcp.network(name="n")
    assert isinstance(lookup.of(pending(t.NETWORK, name="n"), state(network.id)), Absent)


@pytest.mark.parametrize("kind", REPEATABLE)
def test_what_can_be_done_again_needs_no_look(lookup: GcpLookup, kind: str) -> None:
    assert isinstance(lookup.of(pending(kind), state()), Absent)
    assert kind not in PLACED


@pytest.mark.parametrize(
    ("kind", "reason"), [(t.NETWORK, "its name is not in the state"), ("gcp:sql/database:Database", "does not know how to look")]
)
def test_what_cannot_be_looked_for_is_never_called_absent(lookup: GcpLookup, kind: str, reason: str) -> None:
    answer = lookup.of(pending(kind), state())
    assert isinstance(answer, CannotTell)
    assert reason in answer.reason


def test_everything_with_the_stacks_label_outside_its_state_is_named(gcp: Gcp, lookup: GcpLookup) -> None:
    cluster = gcp.cluster()
    with gcp.world.store.transaction():
        gcp.world.store.put(type(cluster)(**{**vars(cluster), "tags": MINE}))
    gcp.pool(cluster, config={"resourceLabels": {**MINE, "gpukit-resource": "pool"}})
    gcp.make(t.BUCKET, name="data", location="eu", tags={**MINE, "gpukit-kept": "data"})
    gcp.make(t.BUCKET, name="other", location="eu", tags={"gpukit-stack": "other"})
    left = {each.name: each for each in lookup.outside(state())}
    assert left[cluster.id].types == (t.CLUSTER,)
    assert left["data"].kept
    assert {name.split("/")[-2] for name in left if "/zones/" in name} == {"instances", "disks"}
    assert "other" not in left
    assert cluster.id not in {each.name for each in lookup.outside(state(cluster.id))}


def test_a_cluster_is_waited_for_until_it_runs_and_until_it_is_gone(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    lookup = GcpLookup(stack="dev", project=PROJECT, region=REGION, environment=environment, sleep=lambda _: None)
    seen = iter(["PROVISIONING", "PROVISIONING", "RUNNING", "STOPPING", "STOPPING", None, "RUNNING"])
    monkeypatch.setattr(lookup, "_status", lambda _: next(seen))
    lookup.settle(pending(t.CLUSTER), "c")
    lookup.settle(pending(t.CLUSTER, doing="deleting"), "c")
    lookup.settle(pending(t.CLUSTER, doing="deleting"), "c")
    lookup.settle(pending(t.NETWORK), "n")
    assert next(seen, "all were asked for") == "all were asked for"


def test_a_cloud_that_refuses_or_is_silent_is_a_failure_and_no_absence(gcp: Gcp) -> None:
    def refusing(_: Request) -> Response:
        return Response.of_json({"error": {"code": 403, "message": "Compute Engine API has not been used in project"}}, 403)

    server = DoorServer(0, {"/gcp": refusing})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        asked = GcpLookup(stack="dev", project="p", region=REGION, environment={GCP_ENDPOINT: f"http://127.0.0.1:{server.port}/gcp"})
        with pytest.raises(Failed, match=r"has not been used in project\. Nothing was changed"):
            asked.of(pending(t.NETWORK, name="n"), state())
    finally:
        server.shutdown()
        server.server_close()
    with pytest.raises(Failed, match="Google did not answer"):
        asked.of(pending(t.NETWORK, name="n"), state())
