"""Foreign Pulumi projects on disk, and what the engine wrote about one of them.

`fixtures/preview.json` and `fixtures/state.json` were written by Pulumi's engine (v3.274.1) for `fixtures/shop` on a simulated provider;
source positions, times and manifests are taken out.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent / "fixtures"

Write = Callable[..., Path]


@pytest.fixture
def project(tmp_path: Path) -> Write:
    """Write a project: `files` maps names to contents; Pulumi.yaml and an empty program are there unless given."""

    def write(files: dict[str, str] | None = None) -> Path:
        given = {"Pulumi.yaml": "name: shop\nruntime: python\n", "__main__.py": "import pulumi\n", **(files or {})}
        for name, text in given.items():
            path = tmp_path / "shop" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        return tmp_path / "shop"

    return write
