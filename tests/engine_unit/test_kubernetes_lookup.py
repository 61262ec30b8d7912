from __future__ import annotations

from typing import Any

import httpx
import pytest

from scripts.engine.cluster_server import server_of
from scripts.engine.kubernetes_lookup import RELEASE, KubernetesLookup, api_of
from scripts.engine.lookup import Absent, CannotTell, Exists
from scripts.engine.state import PendingOperation, State
from scripts.errors import Failed

CLUSTER = {"urn": "u", "type": "aws:eks/cluster:Cluster", "outputs": {"name": "c", "endpoint": "http://127.0.0.1:9/eks/us-east-1/c"}}
KINDS = {
    "api/v1": [("namespaces", "Namespace", False), ("namespaces/status", "Namespace", False), ("configmaps", "ConfigMap", True)],
    "apis/apps/v1": [("deployments", "Deployment", True)],
}
OBJECTS = {"api/v1/namespaces/gpu-operator", "apis/apps/v1/namespaces/web/deployments/site"}


def answer(request: httpx.Request) -> httpx.Response:
    path = request.url.path.removeprefix("/eks/us-east-1/c/")
    if path in KINDS:
        return httpx.Response(200, json={"resources": [{"name": n, "kind": k, "namespaced": s} for n, k, s in KINDS[path]]})
    if path == "api/v1/namespaces/gpu-operator/secrets":
        wanted = request.url.params["labelSelector"] == "owner=helm,name=operator"
        return httpx.Response(200, json={"items": [{}] if wanted else []})
    return httpx.Response(200, json={}) if path in OBJECTS else httpx.Response(404)


@pytest.fixture
def lookup(monkeypatch: pytest.MonkeyPatch) -> KubernetesLookup:
    def client(_: Any, server: Any) -> httpx.Client:
        return httpx.Client(base_url=server.url, transport=httpx.MockTransport(answer))

    monkeypatch.setattr(KubernetesLookup, "_client", client)
    return KubernetesLookup({}, direct=True)


def state(*resources: dict[str, Any]) -> State:
    return State({"deployment": {"resources": list(resources)}})


def pending(kind: str, **inputs: Any) -> PendingOperation:
    return PendingOperation("creating", {"urn": f"urn:pulumi:dev::p::{kind}::x", "type": kind, "inputs": inputs})


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (pending("kubernetes:core/v1:Namespace", metadata={"name": "gpu-operator"}), Exists(("gpu-operator",))),
        (pending("kubernetes:core/v1:Namespace", metadata={"name": "other"}), Absent()),
        (pending("kubernetes:apps/v1:Deployment", metadata={"name": "site", "namespace": "web"}), Exists(("web/site",))),
        (pending("kubernetes:apps/v1:Deployment", metadata={"name": "site"}), Absent()),
        (pending(RELEASE, name="operator", namespace="gpu-operator"), Exists(("gpu-operator/operator",))),
        (pending(RELEASE, name="other", namespace="gpu-operator"), Absent()),
        (pending("kubernetes:core/v1:Secret", metadata={"name": "s"}), Absent("its kind is not served, so it was not made")),
    ],
)
def test_objects_are_looked_for_by_name(lookup: KubernetesLookup, operation: PendingOperation, expected: Any) -> None:
    assert lookup.of(operation, state(CLUSTER)) == expected


def test_without_a_name_or_a_single_cluster_nothing_can_be_told(lookup: KubernetesLookup) -> None:
    named = pending("kubernetes:core/v1:Namespace", metadata={"name": "n"})
    assert isinstance(lookup.of(pending("kubernetes:core/v1:Namespace", metadata={}), state(CLUSTER)), CannotTell)
    assert isinstance(lookup.of(named, state()), CannotTell)
    assert isinstance(lookup.of(named, state(CLUSTER, CLUSTER)), CannotTell)


def test_a_cluster_out_of_reach_is_a_failure_and_no_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KubernetesLookup, "_token", lambda *_: "t")
    operation = pending("kubernetes:core/v1:Namespace", metadata={"name": "n"})
    with pytest.raises(Failed, match="Cluster c did not answer"):
        KubernetesLookup({}, direct=True).of(operation, state(CLUSTER))


def test_a_refusal_of_the_api_is_a_failure_and_no_absence(monkeypatch: pytest.MonkeyPatch) -> None:
    def client(_: Any, server: Any) -> httpx.Client:
        return httpx.Client(base_url=server.url, transport=httpx.MockTransport(lambda _: httpx.Response(403)))

    monkeypatch.setattr(KubernetesLookup, "_client", client)
    with pytest.raises(Failed, match="403"):
        KubernetesLookup({}, direct=True).of(pending("kubernetes:core/v1:Namespace", metadata={"name": "n"}), state(CLUSTER))


def test_api_paths_follow_group_and_version() -> None:
    assert api_of(pending("kubernetes:core/v1:Namespace")) == ("api/v1", "Namespace")
    assert api_of(pending("kubernetes:apps/v1:Deployment")) == ("apis/apps/v1", "Deployment")
    assert (
        api_of(pending("kubernetes:kueue.x-k8s.io/v1beta1:ClusterQueue", apiVersion="kueue.x-k8s.io/v1beta1"))[0]
        == "apis/kueue.x-k8s.io/v1beta1"
    )


def test_a_cluster_without_endpoint_is_no_server() -> None:
    assert server_of(state({**CLUSTER, "outputs": {"name": "c"}})) is None
