"""Names and tokens of the shipped stacks are a contract: a changed URN replaces the resource, or makes a second one.

After a wanted change (with an alias where the resource must live on, and a line in the changelog): `python -m tests.stacks.test_urns`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from components.resource import ResourceSet
from scripts.plan.recorder import record

STACKS = Path(__file__).parents[2] / "stacks"
SNAPSHOT = Path(__file__).with_name("urns.json")
SHIPPED = sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in STACKS.glob("Pulumi.*.yaml"))


def urns(stack: str) -> list[str]:
    config: dict[str, Any] = yaml.safe_load((STACKS / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8"))["config"]
    # a capacity block in a shipped file is open on the catalogue's day, which is the sandbox's present
    with patch.dict(os.environ, {"GPUKIT_WORLD": "sandbox", "GPUKIT_NOW": ""}):
        return sorted(resource.urn for resource in recorded(stack, config))


def recorded(stack: str, config: dict[str, Any]) -> ResourceSet:
    text = {key: value if isinstance(value, str) else json.dumps(value) for key, value in config.items()}
    recording = record(STACKS / "__main__.py", project="gpukit", stack=stack, config=text, directory=STACKS)
    assert recording.error is None, recording.error
    return recording.resources


def kept() -> dict[str, list[str]]:
    return json.loads(SNAPSHOT.read_text(encoding="utf-8"))


def test_every_shipped_stack_is_kept_here() -> None:
    assert sorted(kept()) == SHIPPED


@pytest.mark.parametrize("stack", SHIPPED)
def test_no_urn_of_a_shipped_stack_changed_unnoticed(stack: str) -> None:
    assert urns(stack) == kept()[stack]


@pytest.mark.parametrize("stack", SHIPPED)
def test_tokens_of_components_name_their_family_and_class(stack: str) -> None:
    tokens = {part for urn in kept()[stack] for part in urn.split("::")[2].split("$") if part.startswith("gpukit:")}
    assert tokens
    assert {token.split(":")[1] for token in tokens} == {stack.partition("-")[0], "k8s"}


if __name__ == "__main__":
    SNAPSHOT.write_text(json.dumps({stack: urns(stack) for stack in SHIPPED}, indent=1) + "\n", encoding="utf-8")
