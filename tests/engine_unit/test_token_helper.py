from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from scripts.engine import token_helper


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("tools") / "bin"
    token_helper.write(directory)
    return directory


@pytest.mark.parametrize(
    "command",
    [
        ["aws", "eks", "get-token", "--cluster-name", "lab"],
        ["gke-gcloud-auth-plugin"],
        ["kubelogin", "get-token", "--server-id", "simulated"],
    ],
)
def test_each_clouds_token_command_gives_the_simulated_token(tools: Path, command: list[str]) -> None:
    run = subprocess.run([tools / command[0], *command[1:]], capture_output=True, text=True, check=True)
    answer = json.loads(run.stdout)
    assert (answer["kind"], answer["status"]["token"]) == ("ExecCredential", token_helper.TOKEN)


@pytest.mark.parametrize("command", [["aws", "s3", "ls"], ["gke-gcloud-auth-plugin", "--purge"], ["kubelogin", "convert-kubeconfig"]])
def test_everything_else_is_refused_with_the_way_out(tools: Path, command: list[str]) -> None:
    run = subprocess.run([tools / command[0], *command[1:]], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "leave the sandbox's shell" in run.stderr
