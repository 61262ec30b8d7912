from __future__ import annotations

import json

import pytest

from components.aws.kubeconfig import exec_kubeconfig

MADE = exec_kubeconfig(name="lab", endpoint="https://example.com", authority="Q0E=", region="eu-west-1")


@pytest.mark.failure("H7")
def test_the_same_cluster_gives_the_same_text() -> None:
    again = exec_kubeconfig(name="lab", endpoint="https://example.com", authority="Q0E=", region="eu-west-1")
    assert json.dumps(again) == json.dumps(MADE)


@pytest.mark.failure("H8")
def test_it_asks_for_a_token_and_holds_no_credential() -> None:
    [user] = MADE["users"]  # type: ignore[misc]
    assert set(user["user"]) == {"exec"}
    assert user["user"]["exec"]["args"][:4] == ["eks", "get-token", "--cluster-name", "lab"]
    assert not any(word in json.dumps(MADE) for word in ('"token"', "password", "client-key", "client-certificate"))


def test_the_token_is_asked_for_in_the_clusters_own_region() -> None:
    [user] = MADE["users"]  # type: ignore[misc]
    args = user["user"]["exec"]["args"]
    assert args[args.index("--region") + 1] == "eu-west-1"


def test_its_one_context_is_current_and_complete() -> None:
    [context] = MADE["contexts"]  # type: ignore[misc]
    assert MADE["current-context"] == context["name"]
    assert {context["context"]["cluster"], context["context"]["user"]} == {"lab"}
