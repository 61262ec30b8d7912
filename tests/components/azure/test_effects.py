"""The told effect of each change against what is built before and after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.azure.effects import EFFECTS, readme_table
from components.effects import Effect
from components.resource import ResourceSet

from .specs import built, one, spec
from .test_every_field import HONOURED, Case

POOL = "containerservice:AgentPool"
README = Path(__file__).parents[3] / "stacks" / "README.md"
ROLLING = "orchestratorVersion"


def effect(before: ResourceSet, after: ResourceSet) -> Effect:
    """By AKS's name of the pool, which follows what cannot change, by the pool's place, and by the version of its nodes."""
    old, new = one(before, POOL), one(after, POOL)
    fixed = ("agentPoolName", "vnetSubnetID")
    if old.urn != new.urn or any(old.inputs[n] != new.inputs[n] for n in fixed) or old.property_dependencies != new.property_dependencies:
        return Effect.NEW_POOL
    return Effect.ROLLS if old.inputs[ROLLING] != new.inputs[ROLLING] else Effect.KEEPS


@pytest.mark.parametrize("case", [c for c in HONOURED if c.path in EFFECTS], ids=lambda case: case.path)
def test_a_change_does_to_nodes_what_is_told(case: Case) -> None:
    assert effect(built(spec(case.base)), built(spec(case.base, case.patch))) is EFFECTS[case.path]


def test_every_told_change_has_a_case() -> None:
    assert sorted(set(EFFECTS) - {case.path for case in HONOURED}) == []


def test_the_readme_has_the_table() -> None:
    assert readme_table() in README.read_text(encoding="utf-8")
