from __future__ import annotations

from typing import Any

import pytest

from components import catalog
from components.resource import ResourceSet
from tests.components.aws.specs import built, only, training

RELEASE = "kubernetes:helm.sh/v3:Release"
GROUP = "aws:eks/nodeGroup:NodeGroup"


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    pools = [
        {"name": "wired", "machine": "p4d.24xlarge", "zone": "us-east-1d"},
        {"name": "plain", "machine": "p4d.24xlarge", "zone": "us-east-1d", "fabric": "none"},
    ]
    return built(training({"pools": pools}))


@pytest.fixture(scope="module")
def values(made: ResourceSet) -> dict[str, Any]:
    return only(made, RELEASE, "efa-plugin").inputs["values"]


@pytest.mark.failure("A12")
def test_the_plugin_runs_where_the_fabric_was_wired(made: ResourceSet, values: dict[str, Any]) -> None:
    assert values["nodeSelector"].items() <= only(made, GROUP, "wired").inputs["labels"].items()


@pytest.mark.failure("A12")
def test_the_plugin_keeps_off_the_same_machine_without_fabric(made: ResourceSet, values: dict[str, Any]) -> None:
    for pool in ("plain", "system"):
        assert not values["nodeSelector"].items() <= only(made, GROUP, pool).inputs["labels"].items()


def test_the_plugin_tolerates_the_taint_of_gpu_nodes(values: dict[str, Any]) -> None:
    assert values["tolerations"] == [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]


@pytest.mark.failure("A11")
def test_the_plugin_is_new_enough_to_count_the_devices_of_p6(made: ResourceSet) -> None:
    version = only(made, RELEASE, "efa-plugin").inputs["version"]
    assert tuple(int(part) for part in version.removeprefix("v").split(".")) >= (0, 5, 10)


def test_it_lives_where_node_critical_pods_may(made: ResourceSet) -> None:
    assert only(made, RELEASE, "efa-plugin").inputs["namespace"] == "kube-system"


def test_every_value_that_is_set_exists_in_the_pinned_chart(values: dict[str, Any]) -> None:
    assert [key for key in values if not catalog.has_value("aws-efa-k8s-device-plugin", key)] == []
