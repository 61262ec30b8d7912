"""Where the real servers are: on PATH, else among what `make real` has built into the cache."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scripts.engine.checkout import cache

HOW = "run `make real` once (Go 1.26 or newer), or put it on PATH"

_BUILT_IN = {
    "prometheus": "prometheus",
    "promtool": "prometheus",
    "etcd": "kube",
    "kube-apiserver": "kube",
    "kube-controller-manager": "kube",
}
"""Program to the folder of the cache that it is built into."""


def built(name: str) -> Path:
    """Where `make real` puts it."""
    return cache() / _BUILT_IN[name] / "bin" / name


def find(name: str) -> Path | None:
    """The program, None where there is none."""
    on_path = shutil.which(name)
    if on_path is not None:
        return Path(on_path)
    return built(name) if built(name).is_file() else None


def needed(*names: str) -> tuple[Path, ...]:
    """The programs; skips the test, by name and with what to do, where one is absent."""
    found = {name: find(name) for name in names}
    absent = sorted(name for name, path in found.items() if path is None)
    if absent:
        pytest.skip(f"{', '.join(absent)} not found: {HOW}")
    return tuple(path for path in found.values() if path is not None)
