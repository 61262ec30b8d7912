"""A cluster of the simulated GCP ends by its labels, through Google's REST API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.engine.environment import GCP_ENDPOINT
from scripts.errors import Exit, Failed
from scripts.sandbox.kinds.gcp import tokens as t
from scripts.teardown import kinds as k
from scripts.teardown.clouds.gcp.cloud import GcpCloud
from scripts.teardown.kube_cluster import connect
from scripts.teardown.model import Scope
from tests.sandbox.gcp_cloud import Gcp
from tests.teardown.gcp_lab import TARGET, served, teardown
from tests.teardown.lab import ended_after_kills


@pytest.fixture
def gcp(tmp_path: Path) -> Gcp:
    return Gcp(tmp_path)


@pytest.fixture
def environment(gcp: Gcp) -> Iterator[dict[str, str]]:
    with served(gcp) as found:
        yield found


def test_pools_go_to_zero_then_the_cluster_and_its_data_stays(gcp: Gcp, environment: dict[str, str], tmp_path: Path) -> None:
    made = teardown(environment, tmp_path)
    plan = made.plan()
    assert [thing.name for thing in plan.steps[0].things] == ["l4"]
    ending = made.act(plan)
    assert ending.exit is Exit.FINE
    assert [(thing.kind, thing.id) for thing in ending.kept] == [(k.BUCKET, "lab-checkpoints")]
    assert not gcp.running()
    assert not gcp.all(t.CLUSTER)
    assert [each.step for each in ending.done if each.touched][:2] == ["gpu-pools", "pools"]


@pytest.mark.failure("K6")
def test_a_firewall_rule_that_gke_left_is_found_by_name_in_the_clusters_own_network_alone(gcp: Gcp, environment: dict[str, str]) -> None:
    other = gcp.network(name="other-net")
    own = next(each for each in gcp.all(t.NETWORK) if each.state["name"] == "lab-net")
    rule: dict[str, Any] = {"direction": "INGRESS", "allows": [{"protocol": "tcp"}], "sourceRanges": ["10.0.0.0/8"]}
    for name, network in (("gke-lab-0123abcd-all", own), ("gke-lab-2-0123abcd-all", own), ("gke-lab-4567abcd-all", other)):
        gcp.make(t.FIREWALL, name=name, network=network.id, **rule)
    found = GcpCloud(TARGET, environment).find({k.FIREWALL}, Scope(network="lab-net"))
    names = {thing.name for thing in found}
    assert "gke-lab-0123abcd-all" in names
    assert not {"gke-lab-2-0123abcd-all", "gke-lab-4567abcd-all"} & names
    assert GcpCloud(TARGET, environment).find({k.FIREWALL}, Scope()) == ()


def test_labels_of_another_stack_or_a_longer_name_make_nothing_ours(gcp: Gcp, environment: dict[str, str]) -> None:
    for name, labels in (
        ("theirs", {"gpukit-stack": "lab-2"}),
        ("longer", {"gpukit-cluster": "lab-2"}),
        ("elsewhere", {"goog-k8s-cluster-name": "lab", "goog-k8s-cluster-location": "europe-west4-a"}),
    ):
        gcp.make(t.BUCKET, name=name, location="US-CENTRAL1", labels=labels, tags=labels)
    assert {thing.id for thing in GcpCloud(TARGET, environment).find({k.BUCKET}, Scope(stack="lab"))} == {"lab-checkpoints"}


def test_the_clusters_own_api_server_answers_at_the_address_that_gke_tells(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scripts.teardown.kube_cluster._token", lambda *_: "simulated")
    facts = GcpCloud(TARGET, environment).cluster()
    assert facts is not None
    api = connect(facts, {}, direct=True)
    assert api is not None
    assert {thing.name for thing in api.find({"Namespace"})} >= {"default", "kube-system"}


def test_runs_that_are_killed_again_and_again_reach_the_same_end(gcp: Gcp, environment: dict[str, str], tmp_path: Path) -> None:
    kills, ending = ended_after_kills(lambda appended: teardown(environment, tmp_path, appended))
    assert kills > 1
    assert (ending.exit, ending.residue) == (Exit.FINE, ())
    assert [(thing.kind, thing.id) for thing in ending.kept] == [(k.BUCKET, "lab-checkpoints")]
    assert not gcp.all(t.CLUSTER)
    assert not gcp.running()


def test_a_cloud_that_does_not_answer_is_a_failure_and_never_a_cluster_that_is_gone() -> None:
    with pytest.raises(Failed, match=r"did not answer .*Nothing was changed"):
        GcpCloud(TARGET, {GCP_ENDPOINT: "http://127.0.0.1:9/gcp"}).cluster()
