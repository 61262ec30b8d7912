"""A raw program of another team in a project of its own: judged offline, inside the engine, and from the engine's JSON."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from scripts.check.sources import from_preview, from_program, from_state
from scripts.engine.checkout import Checkout
from scripts.engine.events import Report
from scripts.engine.prepare import pack_of, workspace_of
from scripts.engine.process import Ended
from scripts.engine.session import Session
from scripts.plan.judgement import yardsticks
from scripts.plan.model import StackPlan
from tests.engine.clouds import ROOT

Found = set[tuple[str, str]]
"""Findings as rule and message."""


def project_of(root: Path, program: str, stacks: dict[str, str]) -> Checkout:
    """`program` in the project `theirs` at `root`, with the config (YAML lines) of each stack."""
    (root / "stacks").mkdir(parents=True)
    (root / ".venv").symlink_to(sys.prefix)
    (root / "policies").symlink_to(ROOT / "policies")
    (root / "Pulumi.yaml").write_text(
        "name: theirs\nmain: stacks\nstackConfigDir: stacks\nruntime: {name: python, options: {toolchain: pip, virtualenv: .venv}}\n"
    )
    (root / "stacks" / "__main__.py").write_text(program)
    for stack, config in stacks.items():
        (root / "stacks" / f"Pulumi.{stack}.yaml").write_text("config:\n" + "".join(f"  {line}\n" for line in config.splitlines()))
    return Checkout(root)


def found(checked: StackPlan) -> Found:
    assert checked.error is None
    return {(f.rule, f.message) for f in checked.findings}


def through_the_program(project: Checkout, stack: str) -> Found:
    return found(from_program(project.root, stack, yardsticks(), timeout_s=120))


class InTheEngine:
    """A stack in the simulated cloud, with what is said about it inside the engine and from the engine's JSON."""

    def __init__(self, project: Checkout, stack: str) -> None:
        self.root, self.stack = project.root, stack
        self._json = project.root / "engine.json"
        self.workspace = workspace_of(project, "sandbox", lambda _: None)
        self.session = Session(self.workspace, stack)
        self.session.make_unless_there()

    def make(self) -> None:
        ended, _ = self.run("up", "--yes", "--skip-preview")
        assert ended.code == 0, ended.text[-6000:]

    def set(self, key: str, value: str) -> None:
        assert self.words("config", "set", key, value).returncode == 0

    def by_the_pack(self) -> Found:
        pack = pack_of(self.workspace)
        assert pack is not None
        _, report = self.run("preview", "--policy-pack", str(pack.directory))
        said = [finding.message.split(": ", 1) for finding in report.findings]
        return {(rule.split(" ")[0], message) for rule, message in said}

    def from_its_preview(self) -> Found:
        return found(from_preview(self.write(self._json, "preview", "--json", "--show-sames"), yardsticks()))

    def from_its_state(self) -> Found:
        return found(from_state(self.write(self._json, "stack", "export"), yardsticks()))

    def run(self, *words: str) -> tuple[Ended, Report]:
        run = self.session.run(list(words), lambda _: None)
        return run.follow(lambda _: None, lambda: None), run.report

    def write(self, file: Path, *words: str) -> Path:
        """What the engine prints of `words`, as `file`."""
        ended = self.words(*words)
        assert ended.returncode == 0, ended.stdout.decode()[-6000:]
        file.write_bytes(ended.stdout)
        return file

    def words(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        command = [str(self.workspace.engine.command), *words, "--stack", self.stack, "--non-interactive"]
        return subprocess.run(command, cwd=self.workspace.directory, env=dict(self.workspace.environment), capture_output=True, check=False)
