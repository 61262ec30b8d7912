from __future__ import annotations

from scripts.engine.references import rooted, without
from scripts.engine.state import State

CLUSTER = {"urn": "cluster", "type": "aws:eks/cluster:Cluster"}
JOB = {"urn": "job", "type": "kubernetes:batch/v1:Job", "deletedWith": "cluster"}
ROLE = {"urn": "role", "type": "aws:iam/role:Role", "dependencies": ["job", "cluster"], "propertyDependencies": {"name": ["job"]}}


def test_what_is_forgotten_is_named_by_nothing_that_is_left() -> None:
    left = without(State({"version": 3, "deployment": {"resources": [CLUSTER, JOB, ROLE]}}), lambda each: each["urn"] == "job")
    assert left.document["version"] == 3
    assert [each["urn"] for each in left.resources] == ["cluster", "role"]
    assert left.resources[1]["dependencies"] == ["cluster"]
    assert left.resources[1]["propertyDependencies"] == {"name": []}


def test_an_object_stays_deleted_with_its_cluster_while_that_is_known() -> None:
    assert rooted(JOB, {"cluster"})["deletedWith"] == "cluster"
    assert "deletedWith" not in rooted(JOB, set())
