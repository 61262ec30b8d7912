"""Where things are in one checkout: the project's own files, and what runs leave in the git-ignored `.gpukit/`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Checkout:
    """Paths under `root`, the directory of Pulumi.yaml. Nothing is created by asking."""

    root: Path

    @property
    def stacks(self) -> Path:
        return self.root / "stacks"

    @property
    def local(self) -> Path:
        """State of this checkout alone; safe to delete when nothing runs and nothing is left in the simulated world."""
        return self.root / ".gpukit"

    @property
    def locks(self) -> Path:
        return self.local / "locks"

    @property
    def sandbox(self) -> Path:
        return self.local / "sandbox"

    @property
    def sandbox_project(self) -> Path:
        """Copy of the project on which sandbox runs work: the engine edits and deletes stack files."""
        return self.sandbox / "project"

    @property
    def sandbox_state(self) -> Path:
        return self.sandbox / "state"

    def stack_file(self, stack: str) -> Path:
        return self.stacks / f"Pulumi.{stack}.yaml"

    def stack_names(self) -> tuple[str, ...]:
        """Names of the stack files, sorted."""
        return tuple(sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in self.stacks.glob("Pulumi.*.yaml")))


def here() -> Checkout:
    """The checkout in which this package is installed editable, whatever the current directory: there is one world per checkout."""
    return Checkout(Path(__file__).resolve().parents[2])


def cache() -> Path:
    """`gpukit` in the user's cache directory (XDG_CACHE_HOME, else ~/.cache)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpukit"
