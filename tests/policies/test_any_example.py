"""The examples of all rules with values hidden, or replaced by anything: no crash, no mandatory rule that passes on an unknown, no secret."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.resource import ResourceSet
from policies import Finding, Level
from policies.rules import RULES, Rule, examples
from tests.policies import hostile
from tests.policies.mutation import changed, hidden, places
from tests.policies.test_examples import recorded, settings_of

MANDATORY = [rule for rule in RULES if rule.level is Level.MANDATORY]
NEVER_KNOWN = {("GPU-ACCESS-02", ("kubeconfig",))}
"""The kubeconfig of a cluster to come is known in no preview: what it will hold is no reason to refuse every first update."""


@cache
def failing(rule: Rule) -> ResourceSet:
    return recorded(examples.failing(rule.id), Path.cwd())


@cache
def spots(rule: Rule) -> list[tuple[str, tuple[str | int, ...]]]:
    return list(places(failing(rule)))


def judged(resources: ResourceSet, rule: Rule) -> tuple[Finding, ...]:
    return hostile.judged(resources, settings_of(examples.failing(rule.id)))


@cache
def before(rule: Rule) -> frozenset[Finding]:
    return frozenset(judged(failing(rule), rule))


def passes_silently(rule: Rule, urn: str, path: tuple[str | int, ...]) -> bool:
    """Whether nothing fails any more, and nothing new says that it cannot be told."""
    after = judged(hidden(failing(rule), urn, path), rule)
    spoken = any(f.rule == rule.id for f in after) or any(f.fails and f not in before(rule) for f in after)
    return not spoken and (rule.id, path) not in NEVER_KNOWN


@given(data=st.data(), rule=st.sampled_from(MANDATORY))
def test_a_mandatory_rule_never_passes_on_a_value_that_is_hidden(data: st.DataObject, rule: Rule) -> None:
    assert not passes_silently(rule, *data.draw(st.sampled_from(spots(rule))))


@pytest.mark.long
@pytest.mark.parametrize("rule", MANDATORY, ids=lambda rule: rule.id)
def test_a_mandatory_rule_never_passes_on_any_value_that_is_hidden(rule: Rule) -> None:
    assert [spot for spot in spots(rule) if passes_silently(rule, *spot)] == []


@given(data=st.data(), rule=st.sampled_from(RULES), value=hostile.hostile)
def test_no_value_anywhere_breaks_a_reader_or_rule(data: st.DataObject, rule: Rule, value: Any) -> None:
    judged(changed(failing(rule), *data.draw(st.sampled_from(spots(rule))), value), rule)


@given(data=st.data(), rule=st.sampled_from(RULES))
def test_a_reference_to_what_is_not_there_breaks_nothing(data: st.DataObject, rule: Rule) -> None:
    gone = data.draw(st.sampled_from([r.urn for r in failing(rule)]))
    left = tuple(r for r in failing(rule) if r.urn != gone)
    judged(ResourceSet(project="research", stack="dev", resources=left, config=failing(rule).config), rule)
