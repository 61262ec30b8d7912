"""The README tells what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts import command_table

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_of_commands_is_current() -> None:
    assert command_table.with_table(README) == README, "run: python -m scripts.command_table"


def test_without_its_markers_the_table_cannot_be_placed() -> None:
    with pytest.raises(ValueError, match="markers"):
        command_table.with_table("# a README")


def test_its_example_is_a_part_of_the_shipped_stack_file() -> None:
    example = re.search(r"```yaml\n(.*?)```", README, re.DOTALL)
    assert example
    shipped = (ROOT / "stacks" / "Pulumi.aws-training-dev.yaml").read_text(encoding="utf-8")
    plain = [line.partition("#")[0].strip() for line in example.group(1).splitlines()]
    assert [line for line in plain if line and "{name:" not in line and "network:" not in line and line not in shipped] == []


def test_its_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    assert [t for t in targets if not (ROOT / t).exists()] == []


def test_the_make_targets_that_it_names_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [t for t in set(re.findall(r"make ([a-z-]+)", README)) if not re.search(rf"^{t}:", makefile, re.MULTILINE) and t != "and"] == []
