"""The commands that the README shows for the simulated clouds, run from its very text in a shell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.engine.locate import Engine
from scripts.sandbox.client import World

pytestmark = [pytest.mark.engine]

ROOT = Path(__file__).parents[2]
PACKAGES = ("components", "policies", "scripts", "stacks")


def commands_of(section: str) -> list[str]:
    """The `$` lines of the first console block below the heading `section`."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split(f"## {section}\n")[1]
    block = text.split("```console\n")[1].split("```")[0]
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture
def checkout(tmp_path: Path, engine: Engine) -> Path:
    """The project as a checkout of its own: its `gpukit` works on its own world."""
    root = tmp_path / "checkout"
    root.mkdir()
    for name in PACKAGES:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Pulumi.yaml", root)
    (root / ".venv").symlink_to(sys.prefix)
    return root


@pytest.fixture
def shell_environment(checkout: Path, engine: Engine) -> dict[str, str]:
    """Packages are found in the copy before the installed ones; the shell has a credential that must not survive."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GPUKIT_", "AWS_", "PULUMI_"))}
    setting = {"GPUKIT_PULUMI": str(engine.command), "GPUKIT_SANDBOX_SPEED": "0"}
    return {**kept, **setting, "PYTHONPATH": str(checkout), "AWS_SECRET_ACCESS_KEY": "canary-secret"}


def test_every_command_for_the_simulated_clouds_works_as_it_is_written(checkout: Path, shell_environment: dict[str, str]) -> None:
    enter, *others = commands_of("The simulated clouds")
    answers = "export PULUMI_SKIP_CONFIRMATIONS=true"  # stands for the person who answers plain `pulumi up`
    seen = 'echo "SEEN $AWS_SECRET_ACCESS_KEY $(command -v gpukit)"'
    script = "\n".join(["set -e", enter, answers, seen, *(f"{command}" for command in others)])
    try:
        run = subprocess.run(["bash", "-c", script], cwd=checkout, env=shell_environment, capture_output=True, text=True, check=False)
    finally:
        World.at(checkout).stop()
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    lines = run.stdout.splitlines()
    assert f"SEEN simulated {checkout / '.venv' / 'bin' / 'gpukit'}" in lines
    assert "canary-secret" not in run.stdout + run.stderr
    (desired,) = re.findall(r"a100: (\d+) nodes desired, 2 pods running", run.stdout)
    counted = [int(line) for line in lines if line.isdigit()]
    assert len(counted) == 2, "one line from boto3, one from the Kubernetes client"
    assert counted[0] == counted[1] > int(desired)
