from __future__ import annotations

import pytest

from scripts.sandbox.doors.kube_names import plural
from scripts.sandbox.doors.kube_select import fielded, labelled, selected
from scripts.sandbox.refusal import Refusal

LABELS = {"team": "red", "tier": "gpu"}


@pytest.mark.parametrize(
    ("selector", "fits"),
    [
        ("", True), ("team=red", True), ("team==red", True), ("team=blue", False), ("team!=blue", True), ("none!=x", True),
        ("team", True), ("none", False), ("!none", True), ("!team", False), ("team in (red, blue)", True), ("team in (blue)", False),
        ("team notin (blue)", True), ("none notin (x)", True), ("none in (x)", False), ("team in (red,blue),tier=gpu", True),
        ("team=red,tier=cpu", False),
    ],
)  # fmt: skip
def test_label_selectors(selector: str, fits: bool):
    assert labelled(LABELS, selector) is fits


@pytest.mark.parametrize(
    ("selector", "fits"),
    [("metadata.name=a", True), ("metadata.name!=a", False), ("spec.nodeName=n,status.phase=Running", True), ("spec.nodeName=", False)],
)
def test_field_selectors(selector: str, fits: bool):
    body = {"metadata": {"name": "a"}, "spec": {"nodeName": "n"}, "status": {"phase": "Running"}}
    assert fielded(body, selector) is fits


def test_a_field_that_cannot_be_selected_is_refused():
    with pytest.raises(Refusal, match="not supported"):
        fielded({}, "spec.replicas=1")


def test_selector_objects_of_budgets():
    assert selected(LABELS, {})
    assert not selected(LABELS, None)
    assert selected(
        LABELS, {"matchExpressions": [{"key": "team", "operator": "In", "values": ["red"]}, {"key": "x", "operator": "DoesNotExist"}]}
    )
    assert not selected(LABELS, {"matchLabels": {"team": "blue"}})


@pytest.mark.parametrize(
    ("kind", "name"),
    [("Node", "nodes"), ("Ingress", "ingresses"), ("NetworkPolicy", "networkpolicies"), ("Endpoints", "endpoints"), ("StorageClass", "storageclasses"),
     ("Gateway", "gateways"), ("ClusterPolicy", "clusterpolicies")],
)  # fmt: skip
def test_plurals_are_those_of_the_api(kind: str, name: str):
    assert plural(kind) == name
