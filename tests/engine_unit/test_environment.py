from __future__ import annotations

import os
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.engine import environment as environments
from scripts.engine.checkout import Checkout
from scripts.engine.environment import environment, is_credential, unset_names


@dataclass(frozen=True)
class Endpoints:
    providers: dict[str, int] = field(default_factory=lambda: {"kubernetes": 41002, "aws": 41001})
    http: str = "http://127.0.0.1:41000"


CHECKOUT = Checkout(environments.Path("/project"))

REAL = {
    "AWS_ACCESS_KEY_ID": "AKIAREAL",
    "AWS_SECRET_ACCESS_KEY": "canary-1",
    "AWS_SESSION_TOKEN": "canary-2",
    "AWS_PROFILE": "production",
    "AWS_WEB_IDENTITY_TOKEN_FILE": "/var/run/canary-3",
    "GOOGLE_APPLICATION_CREDENTIALS": "/home/canary-4.json",
    "GOOGLE_OAUTH_ACCESS_TOKEN": "canary-5",
    "CLOUDSDK_CORE_PROJECT": "canary-6",
    "AZURE_CLIENT_SECRET": "canary-7",
    "ARM_SUBSCRIPTION_ID": "canary-8",
    "KUBECONFIG": "/home/canary-9",
    "PULUMI_ACCESS_TOKEN": "canary-10",
    "PULUMI_BACKEND_URL": "s3://canary-11",
    "NGC_API_KEY": "canary-12",
    "HF_TOKEN": "canary-13",
    "https_proxy": "http://canary-14:3128",
}


@pytest.mark.parametrize("name", REAL)
def test_nothing_real_reaches_a_sandbox_run(name: str) -> None:
    result = environment(CHECKOUT, Endpoints(), base={**REAL, "PATH": "/usr/bin"})
    assert result.get(name) != REAL[name]
    assert not any("canary" in value for value in result.values())


@given(st.sampled_from(["AWS_", "GOOGLE_", "AZURE_", "ARM_", "CLOUDSDK_", "KUBE", "PULUMI_"]), st.text("ABCXYZ_019", max_size=12))
def test_whatever_a_cloud_may_read_is_a_credential(prefix: str, rest: str) -> None:
    assert is_credential(prefix + rest)


@pytest.mark.parametrize("name", ["PATH", "HOME", "LANG", "GPUKIT_NOW", "VIRTUAL_ENV", "TERM", "TOKENIZERS_PARALLELISM"])
def test_ordinary_variables_stay(name: str) -> None:
    assert environment(CHECKOUT, Endpoints(), base={"PATH": "/usr/bin", name: "kept"})[name].endswith("kept")


def test_the_engine_meets_the_simulated_providers_and_the_clouds_their_address() -> None:
    result = environment(CHECKOUT, Endpoints(), base={"PATH": "/usr/bin"})
    assert result["PULUMI_DEBUG_PROVIDERS"] == "aws:41001,kubernetes:41002"
    assert result["AWS_ENDPOINT_URL"] == "http://127.0.0.1:41000/aws"
    assert result["PULUMI_BACKEND_URL"] == "file:///project/.gpukit/sandbox/state"
    assert result["GPUKIT_WORLD"] == "sandbox"


def test_the_loopback_is_reached_directly_and_everything_else_meets_the_world_that_refuses_it() -> None:
    result = environment(CHECKOUT, Endpoints(), base={"PATH": "/usr/bin", "NO_PROXY": "example.com"})
    assert result["HTTPS_PROXY"] == result["http_proxy"] == Endpoints().http
    assert "127.0.0.1" in result["NO_PROXY"].split(",")
    assert "example.com" not in result["NO_PROXY"]


def test_the_simulated_tools_and_then_the_projects_come_first_on_path_however_often_it_is_made() -> None:
    once = environment(CHECKOUT, Endpoints(), base={"PATH": "/usr/bin"})
    twice = environment(CHECKOUT, Endpoints(), base=once)
    assert once["PATH"] == twice["PATH"] == os.pathsep.join(["/project/.gpukit/sandbox/bin", "/project/.venv/bin", "/usr/bin"])


def test_a_shell_is_told_what_to_forget() -> None:
    base = {**REAL, "PATH": "/usr/bin"}
    forgotten = unset_names(base, environment(CHECKOUT, Endpoints(), base=base))
    assert "AWS_PROFILE" in forgotten
    assert "PULUMI_ACCESS_TOKEN" in forgotten
    assert "PATH" not in forgotten
