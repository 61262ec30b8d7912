"""Every rule's example: the failing program fails by it, the repaired one does not. Both are run by the recorder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.demand import QuotaSnapshot
from components.resource import ResourceSet
from policies import Finding, Limits, Settings, Status, evaluate
from policies.explain import described, find, text
from policies.rules import RULES, Rule, examples
from scripts.plan.recorder import record

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
STATUSES = {
    "GPU-AKS-22": Status.UNCHECKED,
    "GPU-AKS-33": Status.UNCHECKED,
    "GPU-COST-02": Status.UNPRICED,
    "GPU-COST-03": Status.UNKNOWN,
    "GPU-IMG-05": Status.UNCHECKED,
    "GPU-LEASE-01": Status.UNCHECKED,
    "GPU-READ-01": Status.UNKNOWN,
}
"""What a rule says of its failing example where that is not that it is violated."""
BESIDE = {
    "GPU-ACCESS-01": "the provider's identity is one matter, the credential in its kubeconfig another",
    "GPU-DRV-02": "the container toolkit is no driver",
    "GPU-GKE-16": "objects for pods are missing in examples, whatever the networks are",
}
"""Rules that may speak beside another about the same thing and failure, with what they add."""


def directives(source: str) -> Iterator[tuple[str, Any]]:
    for line in source.splitlines():
        if line.startswith("#: "):
            what, _, value = line.removeprefix("#: ").partition(" ")
            yield what, yaml.safe_load(value)


def settings_of(source: str) -> Settings:
    given = list(directives(source))
    limits = {name: _limits(entry) for name, entry in given if name in ("limits", "base")}
    own = limits.get("limits", _limits({}))
    quotas = [entry for what, entry in given if what == "quota"]
    snapshot = QuotaSnapshot.from_json({"schema": "gpukit/quota/1", "taken": "2026-11-30", "quotas": quotas}) if quotas else None
    stack = next((entry for what, entry in given if what == "stack"), None)
    config = {"gpukit:cluster": stack} if stack is not None else {}
    proposed = own if "base" in limits else None
    return Settings.for_stack(config, limits=limits.get("base", own), proposed=proposed, snapshot=snapshot, now=NOW)


def _limits(said: dict[str, Any]) -> Limits:
    return Limits.from_json({"schema": "gpukit/limits/1"} | said)


@cache
def compiled(program: str, name: str) -> Any:
    return compile(program, name, "exec")


def recorded(source: str, directory: Path) -> ResourceSet:
    """What the example registers."""

    def program() -> None:
        names: dict[str, Any] = {}
        exec(compiled(examples.prelude(source), "prelude"), names)  # noqa: S102 # examples are programs, and ours
        exec(compiled(source, "example"), names)  # noqa: S102 # examples are programs, and ours

    found = record(program, project="research", stack="dev", config={"aws:region": "us-east-1"}, directory=directory)
    assert found.error is None, found.error
    anew = {name: tuple(paths) for what, entry in directives(source) if what == "replaced" for name, paths in entry.items()}
    return replace(found.resources, resources=tuple(replace(r, replaced=anew.get(r.name, r.replaced)) for r in found.resources))


@cache
def findings(source: str) -> tuple[Finding, ...]:
    return evaluate(recorded(source, Path.cwd()), settings_of(source))


def of_rule(source: str, rule: Rule) -> list[Finding]:
    return [f for f in findings(source) if f.rule == rule.id]


def cases() -> list[Any]:
    return [pytest.param(rule, id=rule.id, marks=[pytest.mark.failure(failure) for failure in rule.failures]) for rule in RULES]


@pytest.mark.parametrize("rule", cases())
def test_the_failing_example_fails_by_its_rule(rule: Rule) -> None:
    found = of_rule(examples.failing(rule.id), rule)
    assert STATUSES.get(rule.id, Status.VIOLATED) in {f.status for f in found}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_no_other_rule_tells_the_same_fault(rule: Rule) -> None:
    found = findings(examples.failing(rule.id))
    places = {f.urn for f in found if f.rule == rule.id}
    again = {f.rule for f in found if f.status is Status.VIOLATED and f.urn in places and set(f.failures) & set(rule.failures)}
    assert again - {rule.id} - set(BESIDE) == set()


@pytest.mark.parametrize("rule", cases())
def test_the_repaired_example_does_not(rule: Rule) -> None:
    assert [f.message for f in of_rule(examples.repaired(rule.id), rule)] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_both_sides_of_an_example_differ_and_are_short(rule: Rule) -> None:
    assert examples.failing(rule.id) != examples.repaired(rule.id)
    assert len(examples.text(rule.id).splitlines()) <= 20


def test_a_rule_is_explained_with_all_it_says() -> None:
    said = text(find("gpu-node-02"))
    assert "GPU-NODE-02: Root disks of GPU nodes hold their images." in said
    assert "thresholds.root_disk_gib" in said
    assert "B11" in said
    assert '"volume_size": 20' in said
    assert '"volume_size": 500' in said


def test_a_rule_is_described_for_machines() -> None:
    found = described(find("GPU-EFA-01"))
    assert (found["schema"], found["level"], list(found["failures"])) == ("gpukit/rule/1", "mandatory", ["A1"])
    assert "cidr_ipv4" in found["example"]["failing"]
    assert "cidr_ipv4" not in found["example"]["repaired"]


def test_a_rule_that_does_not_exist_names_its_neighbours() -> None:
    with pytest.raises(LookupError, match=r"GPU-ZONE-99.*GPU-ZONE-01, GPU-ZONE-02"):
        find("GPU-ZONE-99")
    with pytest.raises(LookupError, match="ids begin with one of: GPU-ACCESS, GPU-AKS"):
        find("nonsense")


def test_a_rule_that_does_not_exist_names_all_of_its_area_in_order() -> None:
    area = sorted(rule.id for rule in RULES if rule.id.startswith("GPU-GKE-"))
    with pytest.raises(LookupError, match=", ".join(area)):
        find("gpu-gke-99")


def test_an_explained_rule_says_that_a_finding_may_be_softer() -> None:
    assert "A single finding may be softer" in text(find("GPU-AKS-24"))
    assert "A single finding may be softer" not in text(find("GPU-CAP-06"))
