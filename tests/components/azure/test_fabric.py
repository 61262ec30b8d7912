"""What makes InfiniBand usable: the Network Operator with its policy, on the nodes that have adapters."""

from __future__ import annotations

import json
from typing import Any

import pytest

from components import catalog
from components.k8s.network_operator import NetworkOperatorArgs
from components.resource import ResourceSet

from .specs import built, inference, one, only, training

RELEASE = "kubernetes:helm.sh/v3:Release"
POLICY = "kubernetes:mellanox.com/v1alpha1:NicClusterPolicy"
RULE = "kubernetes:nfd.k8s-sigs.io/v1alpha1:NodeFeatureRule"


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    pools = [
        {"name": "wired", "machine": "Standard_ND96isr_H100_v5"},
        {"name": "plain", "machine": "Standard_ND96isr_H100_v5", "fabric": "none", "capacity": {"mode": "spot"}},
    ]
    return built(training({"pools": pools}))


def values(made: ResourceSet, chart: str) -> dict[str, Any]:
    return only(made, RELEASE, chart).inputs["values"]


@pytest.mark.failure("E13")
def test_the_operator_comes_with_its_policy_under_the_only_name_that_it_looks_for(made: ResourceSet) -> None:
    policy = only(made, POLICY)
    assert policy.inputs["metadata"]["name"] == "nic-cluster-policy"
    assert {"ofedDriver", "sriovDevicePlugin"} <= set(policy.inputs["spec"])


@pytest.mark.failure("H4")
def test_its_objects_wait_for_the_kinds_that_the_chart_brings(made: ResourceSet) -> None:
    release = only(made, RELEASE, "network-operator").urn
    assert all(release in only(made, kind).dependencies for kind in (POLICY, RULE))


@pytest.mark.failure("E12")
def test_adapters_are_chosen_by_their_link_and_nodes_by_the_device_not_by_the_maker(made: ResourceSet) -> None:
    config = json.loads(only(made, POLICY).inputs["spec"]["sriovDevicePlugin"]["config"])
    [resource] = config["resourceList"]
    assert (resource["resourcePrefix"], resource["resourceName"]) == ("rdma", "ib")
    assert resource["selectors"]["linkTypes"] == ["infiniband"]
    [rule] = only(made, RULE).inputs["spec"]["rules"]
    assert rule["matchFeatures"][0]["matchExpressions"]["device"] == {"op": "In", "value": ["101c", "101e"]}
    assert values(made, "network-operator")["nfd"]["deployNodeFeatureRules"] is False


def test_the_same_machine_without_fabric_is_left_alone(made: ResourceSet) -> None:
    affinity = only(made, POLICY).inputs["spec"]["nodeAffinity"]
    [term] = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    wanted = {e["key"]: e["values"][0] for e in term["matchExpressions"] if e["key"].startswith("gpukit/")}
    pool = "containerservice:AgentPool"
    assert wanted.items() <= one(made, pool, "wired").inputs["nodeLabels"].items()
    assert not wanted.items() <= one(made, pool, "plain").inputs["nodeLabels"].items()


@pytest.mark.failure("C18")
def test_exactly_one_release_discovers_node_features(made: ResourceSet) -> None:
    assert values(made, "network-operator")["nfd"]["enabled"] is True
    assert values(made, "gpu-operator")["nfd"]["enabled"] is False
    plain = built(inference())
    assert values(plain, "gpu-operator")["nfd"]["enabled"] is True


def test_the_gpu_operators_driver_comes_after_the_fabrics_and_loads_peer_memory(made: ResourceSet) -> None:
    assert only(made, POLICY).urn in only(made, RELEASE, "gpu-operator").dependencies
    assert values(made, "gpu-operator")["driver"]["rdma"] == {"enabled": True, "useHostMofed": False}
    assert "rdma" not in values(built(inference()), "gpu-operator")["driver"]


@pytest.mark.failure("C6")
def test_the_operators_toolkit_writes_containerds_settings_to_a_file(made: ResourceSet) -> None:
    assert values(made, "gpu-operator")["toolkit"]["env"] == [{"name": "RUNTIME_CONFIG_SOURCE", "value": "file"}]


@pytest.mark.failure("E6")
def test_everything_that_runs_on_gpu_nodes_tolerates_the_spot_taint_by_its_key(made: ResourceSet) -> None:
    workers = values(made, "network-operator")["node-feature-discovery"]["worker"]["tolerations"]
    for tolerations in (
        workers,
        only(made, POLICY).inputs["spec"]["tolerations"],
        values(made, "gpu-operator")["daemonsets"]["tolerations"],
    ):
        assert {t["key"] for t in tolerations} == {"nvidia.com/gpu", "kubernetes.azure.com/scalesetpriority"}


@pytest.mark.failure("E11")
def test_pods_of_a_cluster_with_infiniband_may_lock_memory(made: ResourceSet) -> None:
    namespace = only(made, "kubernetes:core/v1:Namespace", "workspace")
    assert namespace.inputs["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"


@pytest.mark.failure("E11")
def test_containers_on_nodes_with_infiniband_may_lock_memory_whoever_runs_them(made: ResourceSet) -> None:
    daemon = only(made, "kubernetes:apps/v1:DaemonSet")
    pod = daemon.inputs["spec"]["template"]["spec"]
    labels = {name: one(made, "containerservice:AgentPool", name).inputs["nodeLabels"] for name in ("wired", "plain")}
    assert pod["nodeSelector"].items() <= labels["wired"].items()
    assert not pod["nodeSelector"].items() <= labels["plain"].items()
    assert pod["hostPID"] is True
    assert "--memlock=unlimited:unlimited" in pod["containers"][0]["command"][-1]
    assert "restart" not in pod["containers"][0]["command"][-1]


def test_a_cluster_without_infiniband_has_no_network_operator() -> None:
    for spec in (inference(), training({"pools": {"fabric": "none"}}), training({"pools": {"machine": "Standard_NC96ads_A100_v4"}})):
        assert [r.inputs["name"] for r in built(spec).of_type(RELEASE)] == ["gpu-operator"]


def test_a_policy_for_no_device_is_refused() -> None:
    with pytest.raises(ValueError, match="E13"):
        NetworkOperatorArgs(cluster=None, devices=())  # pyright: ignore[reportArgumentType]  # the check comes before any use


@pytest.mark.parametrize("chart", ["network-operator", "gpu-operator"])
def test_every_value_that_is_set_exists_in_the_pinned_chart(made: ResourceSet, chart: str) -> None:
    def paths(node: dict[str, Any], above: str = "") -> list[str]:
        return [p for k, v in node.items() for p in (paths(v, f"{above}{k}.") if isinstance(v, dict) and v else [f"{above}{k}"])]

    assert [path for path in paths(values(made, chart)) if not catalog.has_value(chart, path)] == []
