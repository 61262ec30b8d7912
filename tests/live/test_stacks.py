"""Stack files of one's own on the real cloud: up, nothing to do, down. Needs credentials, costs money, asks nobody."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

STACKS = [name for name in os.environ.get("GPUKIT_LIVE_STACKS", "").split(",") if name]

pytestmark = pytest.mark.skipif(not STACKS, reason="needs a real account: name stack files in GPUKIT_LIVE_STACKS (tests/live/README.md)")


def gpukit(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "scripts.cli", *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("stack", STACKS or ["none"])
def test_a_stack_comes_up_stays_and_goes(stack: str) -> None:
    planned = json.loads(gpukit("plan", stack, "--json").stdout)
    assert {pool["nodes"]["min"] for each in planned["stacks"] for pool in each["fabric"]} == {0}, "a live test starts no GPU node"
    try:
        up = gpukit("up", stack, "--yes")
        assert up.returncode == 0, up.stderr
        again = gpukit("up", stack, "--yes", "--json")
        assert again.returncode == 0, again.stderr
        assert set(json.loads(again.stdout)["changes"]) <= {"same"}
    finally:
        down = gpukit("destroy", stack, "--yes")
    assert down.returncode == 0, down.stderr
