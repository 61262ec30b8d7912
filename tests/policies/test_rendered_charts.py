"""helm.v3.Chart tells nothing of itself: where the source shows its objects, they tell which chart it is and what it was given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from components.inventory import Chart
from components.resource import ResourceSet
from components.unknown import Unknown
from policies import Finding, Status, evaluate
from policies.readers import inventory, types
from tests.policies.raw import SETTINGS, Raw, said, training

POLICY, DEPLOYMENT = "kubernetes:nvidia.com/v1:ClusterPolicy", "kubernetes:apps/v1:Deployment"


def labelled(label: str) -> dict[str, Any]:
    return {"name": label, "labels": {"helm.sh/chart": label}}


def shown(*objects: tuple[str, str, Any], **inputs: Any) -> ResourceSet:
    """The training program whose chart `operator` is rendered, with the objects under it: type, label and spec."""
    program: Raw = training().without("operator").plus(types.CHART_V3, "operator", **inputs)
    for i, (kind, label, spec) in enumerate(objects):
        program = program.plus(kind, f"o{i}", metadata=labelled(label), spec=spec)
    built, parent = program.built(), program.urn("operator")
    names = {f"o{i}" for i in range(len(objects))}
    return replace(built, resources=tuple(replace(r, parent=parent) if r.name in names else r for r in built))


def operator(*, on: bool, nfd: bool = False) -> ResourceSet:
    spec = {"driver": {"enabled": on}, "toolkit": {"enabled": on}, "devicePlugin": {"enabled": True}}
    discovery = [(DEPLOYMENT, "node-feature-discovery-0.18.3", dict[str, Any]())] if nfd else []
    return shown((POLICY, "gpu-operator-v26.7.0", spec), (DEPLOYMENT, "gpu-operator-v26.7.0", {}), *discovery)


def chart(built: ResourceSet) -> Chart:
    return next(c for c in inventory(built).charts if c.name == "operator")


def found(built: ResourceSet, rule: str) -> list[Finding]:
    return said(evaluate(built, SETTINGS), rule)


@pytest.mark.failure("C1")
def test_the_operators_policy_tells_who_installs_the_driver() -> None:
    assert [f.status for f in found(operator(on=True), "GPU-DRV-01")] == [Status.VIOLATED]
    for rule in ("GPU-DRV-01", "GPU-DRV-02", "GPU-READ-01", "GPU-STACK-04"):
        assert found(operator(on=False), rule) == []
    assert (chart(operator(on=False)).chart, chart(operator(on=False)).version) == ("gpu-operator", "v26.7.0")


@pytest.mark.failure("C18")
@pytest.mark.parametrize("nfd", [True, False])
def test_a_discovery_that_came_out_of_the_chart_counts(nfd: bool) -> None:
    built = operator(on=False, nfd=nfd)
    second = training().plus(types.RELEASE, "nfd", chart="node-feature-discovery").built().resources[-1]
    assert bool(found(replace(built, resources=(*built.resources, second)), "GPU-STACK-06")) is nfd


def test_another_chart_is_named_by_its_label_and_its_values_stay_unknown() -> None:
    one = chart(shown((DEPLOYMENT, "kueue-0.14.4", {}), (DEPLOYMENT, "kueue-0.14.4", {})))
    assert (one.chart, one.version) == ("kueue", "0.14.4")
    assert isinstance(one.values, Unknown)


@pytest.mark.failure("H10")
@pytest.mark.parametrize(
    "built",
    [
        shown(),
        shown((DEPLOYMENT, "kueue-0.14.4", {}), (DEPLOYMENT, "jobset-0.10.1", {})),
        shown((DEPLOYMENT, "no version", {})),
    ],
    ids=["no objects", "two charts", "no label of Helm's"],
)
def test_a_chart_that_its_objects_do_not_tell_is_no_pass(built: ResourceSet) -> None:
    assert [f.status for f in found(built, "GPU-READ-01")] == [Status.UNKNOWN]


@pytest.mark.failure("H10")
def test_a_policy_that_cannot_be_read_leaves_the_owner_open() -> None:
    built = shown((POLICY, "gpu-operator-v26.7.0", Unknown("spec")))
    assert [f.status for f in found(built, "GPU-DRV-01")] == [Status.UNKNOWN]


def test_a_chart_that_names_itself_is_taken_at_its_word() -> None:
    assert chart(shown((DEPLOYMENT, "kueue-0.14.4", {}), chart="jobset")).chart == "jobset"
