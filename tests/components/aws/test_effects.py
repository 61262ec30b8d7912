"""The told effect of each change against what is built before and after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.aws.effects import EFFECTS, readme_table
from components.effects import Effect
from components.resource import Resource, ResourceSet
from scripts.sandbox import kinds

from .specs import built, spec
from .test_every_field import HONOURED, Case

NODE_GROUP, TEMPLATE = "aws:eks/nodeGroup:NodeGroup", "aws:ec2/launchTemplate:LaunchTemplate"
ROLLING = ("version", "releaseVersion")
README = Path(__file__).parents[3] / "stacks" / "README.md"


def of_pool(made: ResourceSet, kind: str) -> dict[str, Resource]:
    return {r.urn: r for r in made.of_type(kind) if not r.name.endswith("-system")}


def effect(before: ResourceSet, after: ResourceSet) -> Effect:
    old, new = of_pool(before, NODE_GROUP), of_pool(after, NODE_GROUP)
    replacing = {path.split(".")[0] for path in kinds.kind(NODE_GROUP).replace} - {"launchTemplate"}
    if old.keys() != new.keys() or any(changed(old[urn], new[urn], replacing) for urn in old):
        return Effect.NEW_POOL
    templates = of_pool(before, TEMPLATE), of_pool(after, TEMPLATE)
    rolled = any(changed(templates[0][urn], templates[1][urn], without_tags(templates[0][urn])) for urn in templates[0])
    return Effect.ROLLS if rolled or any(changed(old[urn], new[urn], ROLLING) for urn in old) else Effect.KEEPS


def without_tags(template: Resource) -> set[str]:
    """The inputs that make a new version: the template's own tags do not."""
    return set(template.inputs) - {"tags"}


def changed(old: Resource, new: Resource, names: set[str] | tuple[str, ...]) -> bool:
    wanted = old.property_dependencies, new.property_dependencies
    return any(old.inputs.get(n) != new.inputs.get(n) or wanted[0].get(n) != wanted[1].get(n) for n in names)


@pytest.mark.parametrize("case", [c for c in HONOURED if c.path in EFFECTS], ids=lambda case: case.path)
def test_a_change_does_to_nodes_what_is_told(case: Case) -> None:
    assert effect(built(spec(case.base)), built(spec(case.base, case.patch))) is EFFECTS[case.path]


def test_every_told_change_has_a_case() -> None:
    assert sorted(set(EFFECTS) - {case.path for case in HONOURED}) == []


def test_the_readme_has_the_table() -> None:
    assert readme_table() in README.read_text(encoding="utf-8")
