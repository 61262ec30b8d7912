"""The engine's commands on one stack."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts.engine import state as states
from scripts.engine.process import Ended, EngineRun, call
from scripts.engine.state import State
from scripts.engine.workspace import Workspace
from scripts.errors import Exit, Failed

_NO_SUCH_STACK = 6


class Session:
    """One stack in one workspace. Every method raises Failed when the engine or its backend fails."""

    def __init__(self, workspace: Workspace, stack: str) -> None:
        self.workspace = workspace
        self.stack = stack

    def state(self) -> State | None:
        """The stack's state; None when it was never made. Raises BadInput when it is corrupt."""
        directory = self.workspace.state_directory
        if directory is not None:
            return states.read_file(directory / ".pulumi" / "stacks" / self.workspace.project / f"{self.stack}.json")
        ended = self._call("stack", "export")
        if ended.code == _NO_SUCH_STACK or "no stack named" in ended.text:
            return None
        return states.parse(self._good(ended, "read its state"), source=f"stack {self.stack}")

    def make(self) -> None:
        """Make the stack, empty."""
        self._good(
            call([*self._command("stack", "init", stack=False), self.stack], cwd=self._directory, environment=self._environment), "make it"
        )

    def make_unless_there(self) -> None:
        if self.state() is None:
            self.make()

    def replace_state(self, state: State) -> None:
        """Write a repaired state back. The engine checks its integrity and drops pending operations."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(dict(state.document), file)
            file.flush()
            self._good(self._call("stack", "import", "--file", file.name), "write its repaired state")

    def export(self) -> State:
        """The state through the engine, in the form that `replace_state` takes."""
        return states.parse(self._good(self._call("stack", "export"), "read its state"), source=f"stack {self.stack}")

    def read_again(self, urns: Sequence[str]) -> None:
        """Refresh `urns` alone, so that the state holds what the cloud says of them."""
        targets = [word for urn in urns for word in ("--target", urn)]
        self._good(self._call("refresh", "--yes", "--skip-preview", *targets, seconds=600), "read what was found")

    def read_all(self) -> None:
        """Refresh everything that the state holds."""
        self._good(self._call("refresh", "--yes", "--skip-preview", seconds=1800), "read again what its state holds")

    def secret_output(self, name: str) -> str | None:
        """One output in plain text; None when the stack has none of that name."""
        ended = self._call("stack", "output", name, "--show-secrets")
        if ended.code == _NO_SUCH_STACK or "does not have output property" in ended.text:
            return None
        return self._good(ended, f"read its output {name}").rstrip("\n")

    def run(self, words: Sequence[str], note: Callable[[str], None]) -> EngineRun:
        """`words` (an action and its flags) as a run with events, not yet started."""
        return EngineRun(self._command(*words), cwd=self._directory, environment=self._environment, note=note)

    @property
    def _directory(self) -> Path:
        return self.workspace.directory

    @property
    def _environment(self) -> dict[str, str]:
        return dict(self.workspace.environment)

    def _command(self, *words: str, stack: bool = True) -> list[str]:
        named = ["--stack", self.stack] if stack else []
        return [str(self.workspace.engine.command), *words, *named, "--non-interactive", "--color", "never"]

    def _call(self, *words: str, seconds: float = 120) -> Ended:
        return call(self._command(*words), cwd=self._directory, environment=self._environment, seconds=seconds)

    def _good(self, ended: Ended, purpose: str) -> str:
        if ended.code != Exit.FINE:
            raise Failed(f"Stack {self.stack}: the engine could not {purpose}.\n{ended.text.strip()[-2000:]}")
        return ended.text
