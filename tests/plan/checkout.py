"""A copy of the shipped stacks in which one thing is changed."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from policies import Limits
from scripts.plan.judgement import Yardsticks

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def copy_of_stacks(root: Path) -> Path:
    """`root` with the stack program and its files."""
    shutil.copytree(ROOT / "stacks", root / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    return root


def edit(root: Path, stack: str, old: str, new: str) -> None:
    """Replace `old` by `new` in one stack file."""
    file = root / "stacks" / f"Pulumi.{stack}.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def by_default() -> Yardsticks:
    return Yardsticks(now=NOW, limits=Limits.load())
