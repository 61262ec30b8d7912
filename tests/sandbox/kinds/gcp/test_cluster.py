from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox import clouds
from scripts.sandbox.kinds import tokens as k8s
from scripts.sandbox.kinds.gcp import tokens as t
from tests.sandbox.gcp_cloud import PROJECT, REGION, ZONE, Gcp
from tests.sandbox.kinds.gcp.test_network import refused

INSIDE = f"k8s/gcp/{PROJECT}/{ZONE}/lab"


def test_a_cluster_answers_at_its_endpoint_with_its_first_namespaces(gcp: Gcp):
    cluster = gcp.cluster()
    assert cluster.id == f"projects/{PROJECT}/locations/{ZONE}/clusters/lab"
    found = clouds.addressed(gcp.world, cluster.state["endpoint"].removeprefix("http://127.0.0.1:1"))
    assert found is not None
    assert found[0].key == INSIDE
    assert clouds.cluster_of(gcp.world, found[0]) is not None
    assert "kube-system" in {n.id for n in gcp.world.store.of_kind(k8s.NAMESPACE, INSIDE)}
    assert cluster.state["masterVersion"].startswith("1.35.")


def test_a_first_pool_comes_with_three_nodes_in_each_zone(gcp: Gcp):
    gcp.cluster(location=REGION, removeDefaultNodePool=None, initialNodeCount=None, nodeConfig={"machineType": "e2-standard-4"})
    assert len(gcp.running()) == 9
    assert {str(i.state["zone"]) for i in gcp.running()} == {f"{REGION}-{letter}" for letter in "abc"}


def test_a_first_pool_that_is_removed_leaves_nothing(gcp: Gcp):
    gcp.cluster()
    assert not gcp.running() + gcp.all(t.NODE_POOL)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"ipAllocationPolicy": {"clusterSecondaryRangeName": "nope"}}, "does not exist in network"),
        ({"enableMultiNetworking": True, "datapathProvider": "LEGACY_DATAPATH"}, "requires Dataplane V2"),
        ({"enableMultiNetworking": True, "networkingMode": "ROUTES"}, "requires a VPC-native cluster"),
        ({"subnetwork": "gone"}, "subnetworks/gone"),
        ({"name": "l" * 41}, "at most 40 characters"),
    ],
)
def test_what_gke_refuses_of_a_cluster(gcp: Gcp, changes: dict[str, Any], match: str):
    refused(lambda: gcp.cluster(**changes), match)


def test_a_name_is_taken_once_in_a_location(gcp: Gcp):
    cluster = gcp.cluster()
    refused(lambda: gcp.make(t.CLUSTER, **cluster.inputs), "Already exists: projects/")


def test_a_control_plane_goes_up_and_not_down(gcp: Gcp):
    cluster = gcp.change(gcp.cluster(), minMasterVersion="1.36")
    assert cluster.state["masterVersion"].startswith("1.36.")
    refused(lambda: gcp.change(cluster, minMasterVersion="1.34"), "cannot be downgraded")


@pytest.mark.failure("H14")
def test_deletion_protection_is_on_unless_written_otherwise(gcp: Gcp):
    cluster = gcp.cluster(deletionProtection=None)
    refused(lambda: gcp.delete(cluster), "deletion_protection is set to true")
    gcp.delete(gcp.change(cluster, deletionProtection=False))
    assert not gcp.there(cluster)


@pytest.mark.failure("K6")
def test_a_cluster_holds_its_network_and_everything_in_it_goes_with_it(gcp: Gcp):
    cluster = gcp.cluster()
    gcp.pool(cluster)
    (network,), (subnetwork,) = gcp.all(t.NETWORK), gcp.all(t.SUBNETWORK)
    refused(lambda: gcp.delete(subnetwork), "already being used by")
    gcp.delete(cluster)
    assert not gcp.running()
    assert not gcp.all(t.NODE_POOL) + gcp.all(t.GROUP) + gcp.all(t.DISK) + gcp.all(t.FIREWALL)
    assert not gcp.world.store.in_place(INSIDE)
    gcp.delete(subnetwork)
    gcp.delete(network)


def test_a_world_that_was_killed_while_a_cluster_came_up_finishes_it(gcp: Gcp):
    cluster = gcp.cluster()
    with gcp.world.store.transaction():
        gcp.world.store.put(type(cluster)(**{**vars(cluster), "status": "PROVISIONING"}))
    again = gcp.restarted()
    found = again.world.store.by_ref(cluster.ref)
    assert found is not None
    assert found.status == "RUNNING"
