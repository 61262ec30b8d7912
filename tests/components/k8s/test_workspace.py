from __future__ import annotations

import pytest

from components.resource import ResourceSet
from tests.components.aws.specs import built, inference, only, training

NAMESPACE = "kubernetes:core/v1:Namespace"
LEVEL = "pod-security.kubernetes.io/"


def labels(made: ResourceSet) -> dict[str, str]:
    return only(made, NAMESPACE, "workspace").inputs["metadata"]["labels"]


def test_the_namespace_is_named_after_the_workload() -> None:
    assert only(built(inference()), NAMESPACE, "workspace").inputs["metadata"]["name"] == "inference"
    assert only(built(training()), NAMESPACE, "workspace").inputs["metadata"]["name"] == "training"


def test_pods_that_need_nothing_of_the_host_get_nothing_of_it() -> None:
    assert labels(built(inference()))[f"{LEVEL}enforce"] == "restricted"
    assert labels(built(training({"pools": {"fabric": "none"}})))[f"{LEVEL}enforce"] == "restricted"


@pytest.mark.failure("E11")
def test_pods_on_the_fabric_may_lock_memory_and_more_is_answered_with_a_warning() -> None:
    made = labels(built(training()))
    assert (made[f"{LEVEL}enforce"], made[f"{LEVEL}warn"]) == ("privileged", "restricted")
