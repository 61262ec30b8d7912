"""Small Pulumi programs written on the spot."""

from __future__ import annotations

import faulthandler
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from scripts.plan.recorder import Recording, record

Run = Callable[..., Recording]


@pytest.fixture(autouse=True)
def watchdog() -> Iterator[None]:
    """A dependency cycle can make the SDK wait for ever: end with a trace instead."""
    faulthandler.dump_traceback_later(120, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Record a program given as source (and further modules as `name="source"`), in a folder of its own."""

    def recorded(
        source: str, *, folder: str = "program", config: dict[str, str] | None = None, secret_keys: Sequence[str] = (), **modules: str
    ) -> Recording:
        directory = tmp_path / folder
        directory.mkdir(exist_ok=True)
        for name, text in {"__main__": source, **modules}.items():
            (directory / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        return record(
            directory / "__main__.py",
            project="shop",
            stack="dev",
            config=config or {},
            secret_keys=secret_keys,
            directory=directory,
        )

    return recorded
