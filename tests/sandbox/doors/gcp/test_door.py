from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from google.api_core import exceptions
from google.cloud import compute_v1, container_v1, storage

from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.store import Record
from tests.sandbox.doors.gcp.conftest import LABELS
from tests.sandbox.gcp_cloud import PROJECT, REGION, ZONE, Gcp

Google = Callable[..., Any]
CLUSTER = f"projects/{PROJECT}/locations/{ZONE}/clusters/lab"


def test_machines_of_a_pool_are_seen_with_their_labels_accelerators_and_interfaces(lab: Record, google: Google):
    machines = list(google(compute_v1.InstancesClient).list(project=PROJECT, zone=ZONE))
    assert len(machines) == 2
    one = machines[0]
    assert LABELS.items() <= dict(one.labels).items()
    assert (one.status, one.scheduling.provisioning_model) == ("RUNNING", "STANDARD")
    assert one.guest_accelerators[0].accelerator_type.endswith("/acceleratorTypes/nvidia-l4")
    assert one.network_interfaces[0].subnetwork.endswith("/subnetworks/lab-nodes")
    disks = list(google(compute_v1.DisksClient).list(project=PROJECT, zone=ZONE))
    assert [d.users for d in disks] == [[m.self_link] for m in machines]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("labels.gpukit-stack=dev", 2),
        ('labels.gpukit-stack = "dev" AND status = RUNNING', 2),
        ("labels.gpukit-stack:*", 2),
        ("labels.gpukit-stack=other", 0),
        ("name != x", 2),
    ],
)
def test_lists_are_filtered_as_asked(lab: Record, google: Google, text: str, count: int):
    request = compute_v1.AggregatedListInstancesRequest(project=PROJECT, filter=text)
    found = [each for _, scope in google(compute_v1.InstancesClient).aggregated_list(request=request) for each in scope.instances]
    assert len(found) == count


def test_a_filter_that_is_none_is_refused(lab: Record, google: Google):
    with pytest.raises(exceptions.BadRequest, match="Invalid list filter"):
        list(google(compute_v1.InstancesClient).list(request=compute_v1.ListInstancesRequest(project=PROJECT, zone=ZONE, filter="(((")))


def test_long_lists_come_in_pages(gcp: Gcp, google: Google):
    for at in range(5):
        gcp.network(name=f"n{at}")
    request = compute_v1.ListNetworksRequest(project=PROJECT, max_results=2)
    assert [n.name for n in google(compute_v1.NetworksClient).list(request=request)] == [f"n{at}" for at in range(5)]


@pytest.mark.failure("K6")
def test_what_is_in_use_is_refused_with_googles_reason_and_then_goes(gcp: Gcp, google: Google):
    network = gcp.network(name="lab")
    gcp.subnetwork(network, name="nodes")
    with pytest.raises(exceptions.BadRequest, match="already being used by") as caught:
        google(compute_v1.NetworksClient).delete(project=PROJECT, network="lab")
    assert caught.value.errors[0]["reason"] == "resourceInUseByAnotherResource"
    google(compute_v1.SubnetworksClient).delete(project=PROJECT, region=REGION, subnetwork="nodes").result(timeout=5)
    google(compute_v1.NetworksClient).delete(project=PROJECT, network="lab").result(timeout=5)
    assert not gcp.all(t.NETWORK)


def test_what_is_not_there_is_not_found(gcp: Gcp, google: Google):
    with pytest.raises(exceptions.NotFound, match="was not found"):
        google(compute_v1.InstancesClient).get(project=PROJECT, zone=ZONE, instance="gone")


def test_a_group_replaces_a_machine_that_was_deleted_and_shrinks_when_told(gcp: Gcp, lab: Record, google: Google):
    before = {i.id for i in gcp.running()}
    instances = google(compute_v1.InstancesClient)
    instances.delete(project=PROJECT, zone=ZONE, instance=min(before).rsplit("/", 1)[-1]).result(timeout=5)
    after = {i.id for i in gcp.running()}
    assert (len(after), len(after & before)) == (2, 1)
    managers = google(compute_v1.InstanceGroupManagersClient)
    (group,) = managers.list(project=PROJECT, zone=ZONE)
    assert len(list(managers.list_managed_instances(project=PROJECT, zone=ZONE, instance_group_manager=group.name))) == 2
    managers.resize(project=PROJECT, zone=ZONE, instance_group_manager=group.name, size=0).result(timeout=5)
    assert not gcp.running()


def test_routers_show_their_nats(gcp: Gcp, google: Google):
    gcp.make(t.ROUTER, name="r", network=gcp.network().id, region=REGION)
    gcp.make(t.ROUTER_NAT, name="nat", router="r", region=REGION, sourceSubnetworkIpRangesToNat="ALL_SUBNETWORKS_ALL_IP_RANGES")
    router = google(compute_v1.RoutersClient).get(project=PROJECT, region=REGION, router="r")
    assert [nat.name for nat in router.nats] == ["nat"]


def test_declared_quotas_are_shown_with_what_is_in_use(gcp: Gcp, lab: Record, google: Google):
    with gcp.world.store.transaction():
        gcp.world.store.set_meta(quotas={"NVIDIA_L4_GPUS": 4, "GPUS_ALL_REGIONS": 8, "L-417A185B": 96})
    region = google(compute_v1.RegionsClient).get(project=PROJECT, region=REGION)
    assert [(q.metric, q.limit, q.usage) for q in region.quotas] == [("NVIDIA_L4_GPUS", 4, 2)]
    project = google(compute_v1.ProjectsClient).get(project=PROJECT)
    assert [(q.metric, q.limit, q.usage) for q in project.quotas] == [("GPUS_ALL_REGIONS", 8, 2)]


def test_machine_types_are_those_of_the_catalogue(gcp: Gcp, google: Google):
    client = google(compute_v1.MachineTypesClient)
    found = client.get(project=PROJECT, zone=ZONE, machine_type="a3-megagpu-8g")
    assert (found.guest_cpus, found.accelerators[0].guest_accelerator_count) == (208, 8)
    assert "g2-standard-8" in {m.name for m in client.list(project=PROJECT, zone=ZONE)}


def test_clusters_and_pools_are_listed_sized_and_bounded(gcp: Gcp, lab: Record, google: Google):
    gke = google(container_v1.ClusterManagerClient, transport="rest")
    (cluster,) = gke.list_clusters(parent=f"projects/{PROJECT}/locations/-").clusters
    assert (cluster.name, cluster.status.name, cluster.current_node_count) == ("lab", "RUNNING", 2)
    (pool,) = cluster.node_pools
    assert pool.config.accelerators[0].accelerator_type == "nvidia-l4"
    assert (pool.autoscaling.total_min_node_count, pool.autoscaling.total_max_node_count) == (0, 4)
    name = f"{CLUSTER}/nodePools/l4"
    gke.set_node_pool_size(request={"name": name, "node_count": 0})
    assert not gcp.running()
    bounds = {"enabled": True, "total_min_node_count": 1, "total_max_node_count": 1}
    gke.set_node_pool_autoscaling(request={"name": name, "autoscaling": bounds})
    assert len(gcp.running()) == 1
    gke.set_labels(request={"name": CLUSTER, "resource_labels": {"gpukit-expires": "2027-01-01"}})
    assert dict(gke.get_cluster(name=CLUSTER).resource_labels) == {"gpukit-expires": "2027-01-01"}


def test_deletion_protection_is_not_googles_and_does_not_stop_the_api(gcp: Gcp, google: Google):
    gcp.pool(gcp.cluster(deletionProtection=True))
    gke = google(container_v1.ClusterManagerClient, transport="rest")
    gke.delete_node_pool(
        name=gke.list_clusters(parent=f"projects/{PROJECT}/locations/-").clusters[0].node_pools[0].self_link.partition("/v1/")[2]
    )
    gke.delete_cluster(name=CLUSTER)
    assert not gcp.all(t.CLUSTER) + gcp.running()


def test_buckets_are_reached_through_the_emulators_variable(gcp: Gcp, address: str, monkeypatch: pytest.MonkeyPatch):
    gcp.make(t.BUCKET, name="lab-data", location="us-central1", tags={"gpukit-kept": "data"})
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", address)
    client = storage.Client(project=PROJECT)
    (bucket,) = client.list_buckets()
    assert (bucket.name, bucket.labels, list(client.list_blobs("lab-data"))) == ("lab-data", {"gpukit-kept": "data"}, [])
    bucket.labels = {"gpukit-kept": "data", "new": "yes"}
    bucket.patch()
    assert client.get_bucket("lab-data").labels["new"] == "yes"
    bucket.delete()
    with pytest.raises(exceptions.NotFound):
        client.get_bucket("lab-data")


def test_throttling_and_unknown_calls_are_told_in_googles_form(gcp: Gcp, address: str, google: Google):
    gcp.world.faults.add("throttle", {"service": "compute"})
    with pytest.raises(exceptions.Forbidden, match="Rate Limit Exceeded"):
        list(google(compute_v1.NetworksClient).list(project=PROJECT, retry=None))
    with httpx.Client(trust_env=False) as client:
        answer = client.get(f"{address}/v1/projects/p/unknown/things")
    assert answer.status_code == 404
    assert "nothing that answers GET /v1/projects/p/unknown/things" in answer.json()["error"]["message"]
    assert answer.headers["X-Gpukit-Simulated"] == "true"
