from __future__ import annotations

from typing import Any

import pytest

from scripts.engine.cluster_server import server_of
from scripts.engine.state import State

GKE = {
    "type": "gcp:container/cluster:Cluster",
    "outputs": {"name": "lab", "endpoint": "203.0.113.7", "masterAuth": {"clusterCaCertificate": "Y2E="}},
}
EKS = {"type": "aws:eks/cluster:Cluster", "outputs": {"name": "lab", "endpoint": "https://e", "certificateAuthority": {"data": "Y2E="}}}


def state(*resources: dict[str, Any]) -> State:
    return State({"deployment": {"resources": [{"urn": str(at), **each} for at, each in enumerate(resources)]}})


@pytest.mark.parametrize(("cluster", "url", "command"), [(EKS, "https://e", "aws"), (GKE, "https://203.0.113.7", "gke-gcloud-auth-plugin")])
def test_each_clouds_cluster_is_reached_by_its_own_outputs(cluster: dict[str, Any], url: str, command: str) -> None:
    server = server_of(state(cluster))
    assert server is not None
    assert (server.url, server.authority, server.token_command[0]) == (url, "Y2E=", command)


def test_a_simulated_address_keeps_its_scheme() -> None:
    address = "http://127.0.0.1:9/gke/p/l/lab"
    server = server_of(state({**GKE, "outputs": {**GKE["outputs"], "endpoint": address}}))
    assert server is not None
    assert server.url == address


@pytest.mark.parametrize("resources", [(), (EKS, GKE), ({**GKE, "outputs": {"name": "lab"}},)])
def test_without_exactly_one_cluster_that_has_an_address_nobody_is_asked(resources: tuple[dict[str, Any], ...]) -> None:
    assert server_of(state(*resources)) is None
