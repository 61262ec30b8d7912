from __future__ import annotations

import json

import pytest

from components.aws.assembly import Assembly, token_command
from components.aws.kubeconfig import TokenCommand, exec_kubeconfig

from .specs import REGION, training

MADE = exec_kubeconfig(name="lab", endpoint="https://example.com", authority="Q0E=", token=TokenCommand(region="eu-west-1"))


@pytest.mark.failure("H7")
def test_the_same_cluster_gives_the_same_text() -> None:
    again = exec_kubeconfig(name="lab", endpoint="https://example.com", authority="Q0E=", token=TokenCommand(region="eu-west-1"))
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


def test_it_carries_the_profile_and_the_role_that_the_file_gives() -> None:
    role = "arn:aws:iam::123456789012:role/platform"
    made = exec_kubeconfig(
        name="lab", endpoint="https://example.com", authority="Q0E=", token=TokenCommand(region="eu-west-1", profile="work", role=role)
    )
    [user] = made["users"]  # type: ignore[misc]
    asked = user["user"]["exec"]
    assert asked["args"][-2:] == ["--role-arn", role]
    assert asked["env"] == [{"name": "AWS_PROFILE", "value": "work"}]


def test_its_one_context_is_current_and_complete() -> None:
    [context] = MADE["contexts"]  # type: ignore[misc]
    assert MADE["current-context"] == context["name"]
    assert {context["context"]["cluster"], context["context"]["user"]} == {"lab"}


def test_profile_and_role_come_from_the_stack_file() -> None:
    role = "arn:aws:iam::123456789012:role/platform"
    spec = training({"access": {"kubeconfig": {"profile": "work", "role": role}}})
    assert token_command(Assembly(spec=spec, region=REGION, stack="lab")) == TokenCommand(region=REGION, profile="work", role=role)
