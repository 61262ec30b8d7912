"""The same verdict in the same words at every door, for all shipped stacks and every rule's example: no engine is needed for that."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from components.resource import ResourceSet, Secret
from policies import Limits, Settings
from policies.pack_settings import pack_config
from policies.rules import RULES, examples
from scripts.plan import stackfile
from scripts.plan.build import recorded
from tests.policies import doors, test_examples
from tests.policies.mutation import changed, places

ROOT = Path(__file__).parents[2]
CANARY = "canary-7f3a"
STACKS = stackfile.stack_names(ROOT)
EXAMPLES = [pytest.param(rule, marks=[] if i % 24 == 0 else [pytest.mark.long]) for i, rule in enumerate(rule.id for rule in RULES)]
"""All of them, the most in long runs alone."""
SIDES = {"failing": examples.failing, "repaired": examples.repaired}


def compare(resources: ResourceSet, settings: Settings, config: dict[str, dict[str, Any]], directory: Path) -> None:
    """Fails at the first door that says something else."""
    assert doors.through_a_preview(resources, settings, directory) == doors.offline(doors.as_a_preview_knows(resources), settings)
    assert doors.through_a_state(resources, settings, directory) == doors.offline(doors.as_a_state_knows(resources), settings)
    assert doors.through_the_pack(resources, config) == doors.offline(doors.as_the_pack_knows(resources), settings)


@pytest.mark.parametrize("stack", STACKS)
def test_a_shipped_stack_is_judged_alike_at_every_door(stack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUKIT_NOW", test_examples.NOW.isoformat())
    found = recorded(ROOT, stackfile.read(ROOT, stack))
    assert found.error is None
    settings = Settings.for_stack(found.resources.config, limits=Limits.load())
    compare(found.resources, settings, {}, tmp_path)


@cache
def example(rule: str, side: str) -> ResourceSet:
    return test_examples.recorded(SIDES[side](rule), Path.cwd())


def handed_over(rule: str, side: str) -> dict[str, dict[str, Any]]:
    """The example's limits and quotas as the pack gets them."""
    given = list(test_examples.directives(SIDES[side](rule)))
    limits = {"schema": "gpukit/limits/1"} | {k: v for what, entry in given if what == "limits" for k, v in entry.items()}
    quotas = [entry for what, entry in given if what == "quota"]
    snapshot = {"schema": "gpukit/quota/1", "taken": "2026-11-30", "quotas": quotas} if quotas else None
    return pack_config(limits=limits, limits_file="policies/limits.yaml", quota=snapshot)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("rule", EXAMPLES)
def test_a_rules_example_is_judged_alike_at_every_door(rule: str, side: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUKIT_NOW", test_examples.NOW.isoformat())
    source = SIDES[side](rule)
    if any(what in {"stack", "base"} for what, _ in test_examples.directives(source)):
        pytest.skip("what stands beside the program, a stack file or a base, reaches the pack with the engine alone")
    compare(example(rule, side), test_examples.settings_of(source), handed_over(rule, side), tmp_path)


@pytest.mark.parametrize("rule", EXAMPLES[::48])
def test_a_secret_is_judged_alike_and_shown_at_no_door(rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUKIT_NOW", test_examples.NOW.isoformat())
    program = example(rule, "failing")
    spots = list(places(program))
    for urn, path in spots[:: max(1, len(spots) // 4)]:
        secret = changed(program, urn, path, Secret(CANARY))
        compare(secret, test_examples.settings_of(examples.failing(rule)), handed_over(rule, "failing"), tmp_path)
        assert CANARY not in str(doors.through_the_pack(secret, {}))
