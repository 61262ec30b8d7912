"""Another revision of a git repository, laid out in a directory of its own for as long as it is needed."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.errors import BadInput, Failed

_SECONDS = 120
_NO_HOOKS = ("-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false")
"""A checkout of someone's revision runs none of its hooks."""


@dataclass(frozen=True)
class Revision:
    """`root` is the repository's root at that revision."""

    name: str
    commit: str
    root: Path


@contextmanager
def revision(name: str, inside: Path) -> Generator[tuple[Revision, Path]]:
    """The revision `name` of the repository around `inside`, and where `inside` lies in it. Gone when the block ends.

    Raises BadInput when there is no such revision or no repository, or when that revision has no such directory; Failed when git fails.
    """
    repository = _repository(name, inside)
    commit = _commit(name, repository)
    with tempfile.TemporaryDirectory(prefix="gpukit-base-") as scratch:
        root = Path(scratch) / "tree"
        _git(repository, *_NO_HOOKS, "worktree", "add", "--quiet", "--detach", str(root), commit)
        try:
            there = root / inside.resolve().relative_to(repository)
            if not there.is_dir():
                raise BadInput(f"--base {name} has no directory {inside.resolve().relative_to(repository)}: nothing there can be compared.")
            yield Revision(name=name, commit=commit, root=root), there
        finally:
            _git(repository, "worktree", "remove", "--force", str(root))


def _repository(name: str, inside: Path) -> Path:
    run = _run(inside, "rev-parse", "--show-toplevel")
    if run.returncode:
        raise BadInput(f"--base {name} is no file, and {inside} lies in no git repository: give a plan that `gpukit plan --json` wrote.")
    return Path(run.stdout.strip()).resolve()


def _commit(name: str, repository: Path) -> str:
    run = _run(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if run.returncode:
        raise BadInput(
            f"--base {name} is neither a file nor a revision of this repository: give a branch, tag or commit that is there "
            "(`git fetch` brings others), or a plan that `gpukit plan --json` wrote."
        )
    return run.stdout.strip()


def _git(repository: Path, *arguments: str) -> None:
    run = _run(repository, *arguments)
    if run.returncode:
        raise Failed(f"git {arguments[-1]}: {run.stderr.strip() or 'it failed without a word'}")


def _run(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Without the variables that a hook's git sets, which would lead to another repository."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(
            ["git", *arguments], cwd=directory, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except FileNotFoundError:
        raise Failed("git is not installed: --base with a revision needs it; a saved plan does not.") from None
    except subprocess.TimeoutExpired:
        raise Failed(f"git did not end within {_SECONDS} s.") from None
