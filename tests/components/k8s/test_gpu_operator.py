from __future__ import annotations

from typing import Any

import pytest

from components import catalog
from components.resource import ResourceSet
from tests.components.aws.specs import built, inference, only, training

RELEASE = "kubernetes:helm.sh/v3:Release"


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training())


@pytest.fixture(scope="module")
def values(made: ResourceSet) -> dict[str, Any]:
    return only(made, RELEASE, "gpu-operator").inputs["values"]


def paths(node: dict[str, Any], above: str = "") -> list[str]:
    """Every leaf of a values document, dotted; lists are leaves."""
    found = []
    for key, value in node.items():
        found += paths(value, f"{above}{key}.") if isinstance(value, dict) else [f"{above}{key}"]
    return found


def test_every_value_that_is_set_exists_in_the_pinned_chart(values: dict[str, Any]) -> None:
    assert [p for p in paths(values) if not catalog.has_value("gpu-operator", p)] == []


@pytest.mark.failure("C1")
def test_on_an_image_with_a_driver_the_operator_installs_none(values: dict[str, Any]) -> None:
    assert (values["driver"]["enabled"], values["toolkit"]["enabled"], values["devicePlugin"]["enabled"]) == (False, False, True)


@pytest.mark.failure("C13")
def test_on_bottlerocket_the_operator_also_leaves_plugin_and_mig_manager_alone() -> None:
    made = only(built(training({"pools": {"image": "bottlerocket"}})), RELEASE, "gpu-operator").inputs["values"]
    assert (made["devicePlugin"]["enabled"], made["migManager"]["enabled"], made["gfd"]["enabled"]) == (False, False, True)


@pytest.mark.failure("H3")
@pytest.mark.parametrize("chart", ["gpu-operator", "efa-plugin"])
def test_releases_are_patient_and_leave_nothing_half_done(made: ResourceSet, chart: str) -> None:
    release = only(made, RELEASE, chart).inputs
    assert release["timeout"] >= 1800
    assert (release["atomic"], release["cleanupOnFail"]) == (True, True)


def test_releases_are_pinned_and_named(made: ResourceSet) -> None:
    release = only(made, RELEASE, "gpu-operator").inputs
    assert (release["name"], release["version"]) == ("gpu-operator", catalog.chart("gpu-operator").version)
    assert release["repositoryOpts"] == {"repo": catalog.chart("gpu-operator").repository}


def test_the_namespace_admits_pods_that_reach_into_the_host_and_comes_first(made: ResourceSet) -> None:
    namespace = only(made, "kubernetes:core/v1:Namespace", "gpu-operator")
    assert namespace.inputs["metadata"]["labels"] == {"pod-security.kubernetes.io/enforce": "privileged"}
    assert namespace.urn in only(made, RELEASE, "gpu-operator").dependencies


@pytest.mark.failure("F3")
def test_operands_tolerate_every_taint_of_the_pools(made: ResourceSet, values: dict[str, Any]) -> None:
    keys = {t["key"] for group in made.of_type("aws:eks/nodeGroup:NodeGroup") for t in group.inputs["taints"]}
    for section in (values["daemonsets"], values["node-feature-discovery"]["worker"]):
        assert {t["key"] for t in section["tolerations"]} == keys


@pytest.mark.failure("C15")
def test_drivers_are_never_changed_under_running_jobs(values: dict[str, Any]) -> None:
    assert values["driver"]["upgradePolicy"] == {"autoUpgrade": False}


@pytest.mark.failure("C19")
def test_features_of_nodes_that_are_gone_are_collected(values: dict[str, Any]) -> None:
    assert values["node-feature-discovery"]["gc"]["enable"] is True


@pytest.mark.failure("H5")
def test_nothing_is_left_to_what_the_chart_would_ask_the_api_server(values: dict[str, Any]) -> None:
    assert values["dcgmExporter"]["serviceMonitor"]["enabled"] is False


@pytest.mark.failure("I3")
def test_the_exporter_gets_memory_by_the_number_of_gpus(values: dict[str, Any]) -> None:
    assert values["dcgmExporter"]["resources"]["limits"]["memory"] == "1024Mi"
    small = only(built(inference()), RELEASE, "gpu-operator").inputs["values"]
    assert small["dcgmExporter"]["resources"]["limits"]["memory"] == "512Mi"


def test_the_plugin_keeps_away_from_the_fabrics_devices_where_there_is_one(values: dict[str, Any]) -> None:
    assert values["devicePlugin"]["env"] == [{"name": "MOFED_ENABLED", "value": "false"}]
    assert only(built(inference()), RELEASE, "gpu-operator").inputs["values"]["devicePlugin"]["env"] == []


@pytest.mark.failure("I6")
def test_sliced_pools_find_the_configuration_that_their_label_names() -> None:
    made = built(inference({"pools": {"sharing": {"time_slices": 4}}}))
    config = only(made, RELEASE, "gpu-operator").inputs["values"]["devicePlugin"]["config"]
    group = only(made, "aws:eks/nodeGroup:NodeGroup", "a10g")
    assert group.inputs["labels"]["nvidia.com/device-plugin.config"] in config["data"]
    assert config["default"] in config["data"]
    assert [
        p for p in paths(config) if not p.startswith("data.") and not catalog.has_value("gpu-operator", f"devicePlugin.config.{p}")
    ] == []


def test_without_slices_the_plugin_keeps_its_own_configuration(values: dict[str, Any]) -> None:
    assert "config" not in values["devicePlugin"]


def test_divided_gpus_are_named_by_profile_and_their_nodes_reboot_into_it() -> None:
    made = built(training({"pools": {"sharing": {"mig": "1g.5gb"}, "fabric": "none"}}))
    values = only(made, RELEASE, "gpu-operator").inputs["values"]
    assert values["mig"] == {"strategy": "mixed"}
    assert {"name": "WITH_REBOOT", "value": "true"} in values["migManager"]["env"]
    assert values["migManager"]["enabled"] is True


@pytest.mark.failure("I2")
def test_the_exporter_keeps_the_default_counters_which_every_gpu_has(values: dict[str, Any]) -> None:
    assert values["dcgmExporter"]["enabled"] is True
    assert "config" not in values["dcgmExporter"]
