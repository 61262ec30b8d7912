from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox import objects
from scripts.sandbox.kinds import tokens as k8s
from scripts.sandbox.store import Record
from tests.sandbox.cloud import Cloud
from tests.sandbox.kinds.aws.test_network import refused

KEY = "k8s/aws/123456789012/us-east-1/lab"


@pytest.fixture
def lab(cloud: Cloud) -> Cloud:
    cloud.cluster()
    return cloud


def put(cloud: Cloud, kind: str = "ConfigMap", *, name: str = "x", api: str = "v1", **body: Any) -> Record:
    metadata = {"name": name, **body.pop("metadata", {})}
    with cloud.world.store.transaction():
        return objects.put(cloud.world, KEY, {"apiVersion": api, "kind": kind, "metadata": metadata, **body})


def remove(cloud: Cloud, record: Record) -> Record | None:
    with cloud.world.store.transaction():
        return objects.remove(cloud.world, cloud.now(record))


def test_an_object_gets_identity_namespace_and_version(lab: Cloud):
    made = put(lab)
    metadata = made.state["metadata"]
    assert made.id == "default/x"
    assert metadata["namespace"] == "default"
    assert metadata["uid"]
    assert int(metadata["resourceVersion"]) > 0


def test_a_second_one_of_a_name_is_refused_but_not_in_another_namespace(lab: Cloud):
    put(lab)
    with refused("AlreadyExists"):
        put(lab)
    assert put(lab, metadata={"namespace": "kube-system"}).id == "kube-system/x"


@pytest.mark.parametrize("name", ["", "Upper", "a_b", "-a", "a-"])
def test_names_that_are_none_are_refused(lab: Cloud, name: str):
    with refused("Invalid"):
        put(lab, name=name)


def test_an_object_in_a_namespace_that_is_not_there_is_refused(lab: Cloud):
    with refused("NotFound"):
        put(lab, metadata={"namespace": "none"})


def test_an_outdated_version_is_a_conflict_and_the_current_one_is_not(lab: Cloud):
    made = put(lab, data={"a": "1"})
    with lab.world.store.transaction():
        newer = objects.replace_body(lab.world, made, {**made.state, "data": {"a": "2"}})
    with refused("Conflict"), lab.world.store.transaction():
        objects.replace_body(lab.world, newer, {**made.state, "data": {"a": "3"}})
    assert newer.state["metadata"]["uid"] == made.state["metadata"]["uid"]


def test_an_object_with_a_finalizer_stays_until_the_finalizer_is_gone(lab: Cloud):
    made = put(lab, metadata={"finalizers": ["example.invalid/wait"]})
    left = remove(lab, made)
    assert left is not None
    assert "deletionTimestamp" in left.state["metadata"]
    with lab.world.store.transaction():
        freed = objects.replace_body(lab.world, left, {**left.state, "metadata": {**left.state["metadata"], "finalizers": []}})
    assert remove(lab, freed) is None
    assert not lab.there(made)


def test_a_namespace_takes_its_contents_along_and_waits_for_those_that_cannot_go(lab: Cloud):
    namespace = put(lab, "Namespace", name="work")
    plain = put(lab, metadata={"namespace": "work"})
    stuck = put(lab, name="stuck", metadata={"namespace": "work", "finalizers": ["example.invalid/wait"]})
    assert remove(lab, namespace) is not None
    assert not lab.there(plain)
    assert lab.now(namespace).state["status"]["phase"] == "Terminating"
    with lab.world.store.transaction():
        now = lab.now(stuck)
        freed = objects.replace_body(lab.world, now, {**now.state, "metadata": {**now.state["metadata"], "finalizers": []}})
        objects.remove(lab.world, freed)
    assert not lab.there(namespace)


def test_a_release_goes_with_its_namespace(lab: Cloud):
    namespace = put(lab, "Namespace", name="gpu-operator")
    with lab.world.store.transaction():
        release = lab.world.store.put(Record(kind=k8s.RELEASE, key=KEY, id="gpu-operator/gpu-operator", state={"chart": "gpu-operator"}))
    assert remove(lab, namespace) is None
    assert not lab.there(release)


def test_what_an_object_owns_goes_after_it(lab: Cloud):
    owner = put(lab, "Job", api="batch/v1")
    owned = put(lab, "Pod", name="p", metadata={"ownerReferences": [{"uid": owner.state["metadata"]["uid"], "name": "x", "kind": "Job"}]})
    remove(lab, owner)
    assert not lab.there(owned)


def test_types_and_api_names_translate_both_ways():
    for api_version, kind in (("v1", "Namespace"), ("apps/v1", "Deployment"), ("kueue.x-k8s.io/v1beta1", "ClusterQueue")):
        assert objects.kind_of(objects.token(api_version, kind)) == (api_version, kind)
    assert objects.token("v1", "Namespace") == k8s.NAMESPACE
