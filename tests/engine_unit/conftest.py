"""Stand-ins for `go`, `pulumi` and a checkout."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.engine import host_wrapper, recipe
from scripts.engine.checkout import Checkout

Script = Callable[[Path, str], Path]


@pytest.fixture
def script() -> Script:
    """Writes an executable shell script, and gives its path."""

    def write(path: Path, body: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return write


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty machine: nothing on PATH but the system's own tools, an empty cache. Gives the directory that stands on PATH."""
    path = tmp_path / "path"
    path.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join([str(path), "/usr/bin", "/bin"]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("GPUKIT_PULUMI", raising=False)
    monkeypatch.setenv("NO_GCE_CHECK", "true")  # Google's library would look for the metadata server of its own machines
    return path


@pytest.fixture
def pulumi(script: Script) -> Callable[..., Path]:
    """Puts a `pulumi` of a version into a directory, with Pulumi's own host beside it or with none."""

    def install(directory: Path, *, version: str = recipe.VERSION, host: bool = True) -> Path:
        if host:
            script(directory / host_wrapper.NAME, "exit 0")
        return script(directory / "pulumi", f"echo {version}")

    return install


@pytest.fixture
def go(script: Script, machine: Path) -> Callable[..., Path]:
    """Puts a `go` of a version on PATH. `install` is what its `go install` does; it also records arguments and environment."""

    def put(*, version: str = "go1.26.8", install: str = "") -> Path:
        log = machine / "go.log"
        return script(
            machine / "go",
            f'if [ "$1" = env ]; then echo {version}; exit 0; fi\n'
            f'echo "$@" >>{log}\necho "CGO_ENABLED=$CGO_ENABLED GOFLAGS=$GOFLAGS GOTOOLCHAIN=$GOTOOLCHAIN" >>{log}\n{install}',
        )

    return put


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A project with one stack file and a policy pack."""
    root = tmp_path / "project"
    (root / "stacks").mkdir(parents=True)
    (root / "policies").mkdir()
    (root / ".venv").mkdir()
    (root / "Pulumi.yaml").write_text("name: toy\nmain: stacks\nstackConfigDir: stacks\nruntime: python\n")
    (root / "stacks" / "Pulumi.dev.yaml").write_text("config:\n  aws:region: us-east-1\n")
    (root / "policies" / "PulumiPolicy.yaml").write_text("runtime: python\n")
    return Checkout(root)
