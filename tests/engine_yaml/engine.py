"""What the real engine makes of a stack file: `pulumi config --json` in a throw-away project.

`python -m tests.engine_yaml.engine` records its answers for documents/*.yaml into recorded.json (after a change of the engine's version).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.engine import locate

HERE = Path(__file__).parent
DOCUMENTS = {path.stem: path for path in sorted((HERE / "documents").glob("*.yaml"))}
RECORDED = HERE / "recorded.json"
SECRET = "[secret]"
REFUSED = "refused"

Config = dict[str, str]


class ThrowAwayProject:
    """A project with one stack, `dev`, in a file backend of its own."""

    def __init__(self, command: Path, root: Path) -> None:
        self.command = command
        self.root = root
        (root / "stacks").mkdir(parents=True)
        (root / "backend").mkdir()
        (root / "Pulumi.yaml").write_text("name: gpukit\nmain: stacks\nstackConfigDir: stacks\nruntime: python\n")
        self._run("stack", "init", "dev").check_returncode()

    @property
    def stack_file(self) -> Path:
        return self.root / "stacks" / "Pulumi.dev.yaml"

    def config(self) -> Config | str:
        """Key to text as a program gets it, with secrets masked whole; `refused` where the engine cannot read the file."""
        result = self._run("config", "--json", "--stack", "dev")
        if result.returncode:
            return REFUSED
        entries: dict[str, dict[str, Any]] = json.loads(result.stdout)
        return {key: SECRET if entry["secret"] else entry["value"] for key, entry in entries.items()}

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "TZ": "UTC",
            "PULUMI_HOME": str(self.root / "home"),
            "PULUMI_BACKEND_URL": f"file://{self.root / 'backend'}",
            "PULUMI_CONFIG_PASSPHRASE": "",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        }
        command = [str(self.command), *arguments, "--non-interactive"]
        return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, check=False)


def record() -> int:
    engine = locate.find()
    if engine is None:
        sys.stderr.write("no Pulumi engine here: set GPUKIT_PULUMI, or run python -m scripts.engine.locate\n")
        return 1
    answers: dict[str, Config | str] = {}
    with tempfile.TemporaryDirectory() as folder:
        project = ThrowAwayProject(engine.command, Path(folder) / "project")
        for name, path in DOCUMENTS.items():
            project.stack_file.write_bytes(path.read_bytes())
            answers[name] = project.config()
    RECORDED.write_text(json.dumps({"engine": engine.version, "answers": answers}, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(record())
