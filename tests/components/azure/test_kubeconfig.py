from __future__ import annotations

import base64
import json

import pytest
import yaml

from components.azure.cluster import exec_text
from components.azure.kubeconfig import endpoint_and_authority

GIVEN = {
    "clusters": [{"name": "lab", "cluster": {"server": "https://lab.example.com:443", "certificate-authority-data": "Q0E="}}],
    "users": [{"name": "clusterUser", "user": {"token": "canary-of-a-token"}}],
}


def listed(config: object) -> str:
    return base64.b64encode(yaml.safe_dump(config).encode()).decode()


MADE = exec_text("lab", listed(GIVEN))


@pytest.mark.failure("H7")
def test_the_same_cluster_gives_the_same_text() -> None:
    assert exec_text("lab", listed(GIVEN)) == MADE


@pytest.mark.failure("H8")
def test_it_asks_for_a_token_and_holds_no_credential_whatever_aks_lists() -> None:
    [user] = json.loads(MADE)["users"]
    assert set(user["user"]) == {"exec"}
    assert (user["user"]["exec"]["command"], user["user"]["exec"]["args"][0]) == ("kubelogin", "get-token")
    assert "canary" not in MADE
    assert not any(word in MADE for word in ('"token"', "password", "client-key", "client-certificate"))


def test_address_and_certificate_are_the_clusters() -> None:
    [cluster] = json.loads(MADE)["clusters"]
    assert cluster["cluster"] == {"server": "https://lab.example.com:443", "certificate-authority-data": "Q0E="}


@pytest.mark.parametrize("given", [{}, {"clusters": []}, {"clusters": [{"cluster": {}}]}, [], "text"])
def test_credentials_without_a_cluster_are_told(given: object) -> None:
    with pytest.raises(RuntimeError, match="no cluster"):
        endpoint_and_authority(listed(given))
