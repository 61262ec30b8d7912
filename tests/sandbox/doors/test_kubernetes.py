"""The Kubernetes door through the kubernetes client."""

from __future__ import annotations

from typing import Any

import pytest
import urllib3
from kubernetes import client, watch
from kubernetes.client.exceptions import ApiException

from scripts.sandbox.kinds.aws import tokens as t
from tests.sandbox.cloud import Cloud

QUEUE = ("kueue.x-k8s.io", "v1beta1", "clusterqueues")


def pod(name: str = "p", **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, **metadata}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


def deployment(replicas: int = 2) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "d"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    return {"metadata": {"name": "d"}, "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "d"}}, "template": template}}


def queue(**metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "ClusterQueue",
        "metadata": {"name": "q", **metadata},
        "spec": {"cohort": "all"},
    }


def status(action: Any) -> tuple[int, str]:
    with pytest.raises(ApiException) as caught:
        action()
    return caught.value.status, caught.value.body


def test_it_says_which_version_it_simulates(api: client.ApiClient):
    assert client.VersionApi(api).get_code().git_version == "v1.35.0-eks-simulated"


def test_nodes_of_the_clusters_groups_are_listed(cloud: Cloud, api: client.ApiClient):
    cluster = cloud.all(t.CLUSTER)[0]
    cloud.group(cluster, desired=2, labels={"pool": "system"})
    nodes = client.CoreV1Api(api).list_node(label_selector="pool=system").items
    assert len(nodes) == 2
    assert {n.status.allocatable["cpu"] for n in nodes} == {"2"}
    assert {n.spec.provider_id.rsplit("/", 1)[1] for n in nodes} == {i.id for i in cloud.running()}


def test_a_node_can_be_cordoned(cloud: Cloud, api: client.ApiClient):
    cloud.group(cloud.all(t.CLUSTER)[0])
    core = client.CoreV1Api(api)
    name = core.list_node().items[0].metadata.name
    core.patch_node(name, {"spec": {"unschedulable": True}})
    assert core.read_node(name).spec.unschedulable
    assert [n.metadata.name for n in core.list_node(field_selector="spec.unschedulable=true").items] == [name]


def test_objects_are_created_read_changed_and_deleted(api: client.ApiClient):
    core = client.CoreV1Api(api)
    core.create_namespace({"metadata": {"name": "work"}})
    made = core.create_namespaced_config_map("work", {"metadata": {"name": "c"}, "data": {"a": "1"}})
    core.patch_namespaced_config_map("c", "work", {"data": {"b": "2"}})
    assert core.read_namespaced_config_map("c", "work").data == {"a": "1", "b": "2"}
    made.data = {"a": "3"}
    assert status(lambda: core.replace_namespaced_config_map("c", "work", made))[0] == 409
    core.delete_namespaced_config_map("c", "work")
    assert status(lambda: core.read_namespaced_config_map("c", "work"))[0] == 404


def test_errors_are_status_objects_with_reason_and_code(api: client.ApiClient):
    core = client.CoreV1Api(api)
    assert status(lambda: core.create_namespace({"metadata": {"name": "default"}}))[1].count('"reason": "AlreadyExists"') == 1
    assert status(lambda: core.create_namespace({"metadata": {"name": "Not_Valid"}}))[0] == 422
    assert status(lambda: core.create_namespaced_pod("none", pod()))[0] == 404


def test_lists_take_label_selectors_and_pages(api: client.ApiClient):
    core = client.CoreV1Api(api)
    for name, team in (("a", "red"), ("b", "blue"), ("c", "red")):
        core.create_namespaced_pod("default", pod(name, labels={"team": team}))
    assert [p.metadata.name for p in core.list_pod_for_all_namespaces(label_selector="team in (red),team").items] == ["a", "c"]
    assert [p.metadata.name for p in core.list_namespaced_pod("default", label_selector="team!=red").items] == ["b"]
    first = core.list_namespaced_pod("default", limit=2)
    rest = core.list_namespaced_pod("default", limit=2, _continue=first.metadata._continue)
    assert [p.metadata.name for p in (*first.items, *rest.items)] == ["a", "b", "c"]


def test_a_deployment_is_scaled_through_its_scale(api: client.ApiClient):
    apps = client.AppsV1Api(api)
    apps.create_namespaced_deployment("default", deployment())
    apps.patch_namespaced_deployment_scale("d", "default", {"spec": {"replicas": 0}})
    assert apps.read_namespaced_deployment("d", "default").spec.replicas == 0
    assert apps.read_namespaced_deployment_scale("d", "default").status.replicas == 0


def test_a_status_is_written_apart_from_the_rest(api: client.ApiClient):
    core = client.CoreV1Api(api)
    core.create_namespaced_pod("default", pod())
    core.patch_namespaced_pod_status("p", "default", {"status": {"phase": "Running"}, "metadata": {"labels": {"not": "taken"}}})
    read = core.read_namespaced_pod("p", "default")
    assert read.status.phase == "Running"
    assert read.metadata.labels is None


def test_custom_objects_need_no_definition_and_wait_for_their_finalizer(api: client.ApiClient):
    custom = client.CustomObjectsApi(api)
    custom.create_cluster_custom_object(*QUEUE, queue(finalizers=["kueue.x-k8s.io/in-use"]))
    assert [q["spec"] for q in custom.list_cluster_custom_object(*QUEUE)["items"]] == [{"cohort": "all"}]
    custom.delete_cluster_custom_object(*QUEUE, "q")
    assert "deletionTimestamp" in custom.get_cluster_custom_object(*QUEUE, "q")["metadata"]
    custom.patch_cluster_custom_object(*QUEUE, "q", {"metadata": {"finalizers": []}})
    assert status(lambda: custom.get_cluster_custom_object(*QUEUE, "q"))[0] == 404


def test_what_the_provider_made_is_there_without_its_secrets(cloud: Cloud, api: client.ApiClient):
    from scripts.sandbox import objects, wire

    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"password": wire.secret("hunter2")}}
    with cloud.world.store.transaction():
        objects.put(cloud.world, "k8s/aws/123456789012/us-east-1/lab", cloud.world.vault.hide(body))
    read = client.CoreV1Api(api).read_namespaced_secret("s", "default")
    assert "not kept" in read.string_data["password"]


@pytest.mark.failure("K7")
def test_an_eviction_that_a_budget_forbids_is_refused(api: client.ApiClient):
    core, policy = client.CoreV1Api(api), client.PolicyV1Api(api)
    core.create_namespaced_pod("default", pod(labels={"app": "x"}))
    selector = {"matchLabels": {"app": "x"}}
    policy.create_namespaced_pod_disruption_budget(
        "default", {"metadata": {"name": "b"}, "spec": {"maxUnavailable": 0, "selector": selector}}
    )
    assert status(lambda: core.create_namespaced_pod_eviction("p", "default", {"metadata": {"name": "p"}}))[0] == 429


@pytest.mark.failure("K7")
def test_an_eviction_that_no_budget_forbids_ends_the_pod(api: client.ApiClient):
    core = client.CoreV1Api(api)
    core.create_namespaced_pod("default", pod())
    core.create_namespaced_pod_eviction("p", "default", {"metadata": {"name": "p"}})
    assert core.list_namespaced_pod("default").items == []


def test_a_watch_begins_with_what_is_there(api: client.ApiClient):
    events = watch.Watch().stream(client.CoreV1Api(api).list_namespace, timeout_seconds=1)
    assert {(e["type"], e["object"].metadata.name) for e in events} >= {("ADDED", "default"), ("ADDED", "kube-system")}


def test_json_patches_test_replace_and_remove(api: client.ApiClient):
    core = client.CoreV1Api(api)
    core.create_namespaced_config_map("default", {"metadata": {"name": "c"}, "data": {"a": "1", "b": "2"}})
    operations = [{"op": "test", "path": "/data/a", "value": "1"}, {"op": "remove", "path": "/data/b"}]
    core.patch_namespaced_config_map("c", "default", operations)
    assert core.read_namespaced_config_map("c", "default").data == {"a": "1"}
    assert status(lambda: core.patch_namespaced_config_map("c", "default", [{"op": "remove", "path": "/data/none"}]))[0] == 422


def test_strategic_patches_merge_containers_by_name(api: client.ApiClient):
    apps = client.AppsV1Api(api)
    apps.create_namespaced_deployment("default", deployment())
    extra = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "s"}, {"name": "c", "image": "new"}]}}}}
    apps.patch_namespaced_deployment("d", "default", extra)
    containers = apps.read_namespaced_deployment("d", "default").spec.template.spec.containers
    assert [(c.name, c.image) for c in containers] == [("c", "new"), ("side", "s")]


@pytest.mark.parametrize("gone", ["absent", "cut off"])
def test_a_cluster_that_is_gone_or_cut_off_hangs_up(cloud: Cloud, api: client.ApiClient, gone: str):
    if gone == "absent":
        cloud.delete(cloud.all(t.CLUSTER)[0])
    else:
        cloud.world.faults.add("api_unreachable", {"cluster": "lab"})
    api.configuration.retries = False
    with pytest.raises(urllib3.exceptions.HTTPError):
        client.CoreV1Api(client.ApiClient(api.configuration)).list_node()


def test_an_unknown_resource_is_not_found(api: client.ApiClient):
    assert status(lambda: client.CustomObjectsApi(api).list_cluster_custom_object("none.invalid", "v1", "things"))[0] == 404
