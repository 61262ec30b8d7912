"""GPU-AKS rules of InfiniBand: one key, one policy, the right cards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from components.unknown import Unknown
from policies import Level, Status
from policies.readers import azure_types as types
from tests.policies.azure_raw import IB_ONLY, POOL, inference, infiniband, judged
from tests.policies.raw import Raw

YAML = "kubernetes:yaml/v2:ConfigGroup"
SHARED = '{"configList": [{"resourceName": "shared_ib", "rdmaHcaMax": 63, "selectors": {"vendors": ["15b3"]}}]}'


def policy(config: str) -> dict[str, Any]:
    """A policy as an object of its own."""
    return {
        "apiVersion": "mellanox.com/v1alpha1",
        "kind": "NicClusterPolicy",
        "metadata": {"name": "nic-cluster-policy"},
        "spec": {"sriovDevicePlugin": {"config": config}},
    }


def two_pools(second: str = "Standard_ND96isr_H100_v5") -> Raw:
    return infiniband().plus(POOL, "more", resourceName="@aks", vmSize=second, count=2, osSKU="Ubuntu", gpuProfile={"driver": "None"})


@pytest.mark.failure("E1")
def test_two_infiniband_pools_of_one_cluster_are_told_apart() -> None:
    program = two_pools()
    findings = judged(program, "GPU-AKS-20")
    assert {(f.urn, f.level) for f in findings} == {(program.urn("h100"), Level.ADVISORY), (program.urn("more"), Level.ADVISORY)}
    assert "Nodes of different pools share no partition key" in findings[0].message


@pytest.mark.failure("E1")
def test_one_pool_and_others_without_infiniband_repair_it() -> None:
    assert judged(two_pools("Standard_NC24ads_A100_v4"), "GPU-AKS-20") == []


def test_pools_of_a_cluster_that_is_hidden_may_be_of_one() -> None:
    (finding,) = judged(two_pools().hide("more", "resourceName"), "GPU-AKS-20")
    assert finding.status is Status.UNKNOWN


@pytest.mark.failure("E1")
@pytest.mark.parametrize(("most", "told"), [(100, False), (101, True)])
def test_a_pool_that_may_span_placement_groups_is_told(most: int, *, told: bool) -> None:
    findings = judged(infiniband().set("h100", most, "maxCount"), "GPU-AKS-20")
    assert [(f.path, f.level) for f in findings] == ([("maxCount", Level.ADVISORY)] if told else [])


@pytest.mark.failure("E7")
@pytest.mark.failure("E1")
@pytest.mark.parametrize(("key", "value"), [("availabilityZones", ["1"]), ("osSKU", "AzureLinux")])
def test_zones_and_other_systems_on_infiniband_machines_are_told(key: str, value: object) -> None:
    (finding,) = judged(infiniband().set("h100", value, key), "GPU-AKS-21")
    assert (finding.path, finding.level) == (key, Level.ADVISORY)
    assert judged(infiniband(), "GPU-AKS-21") == []


def test_the_driver_of_aks_leaves_the_way_to_gpu_memory_unchecked() -> None:
    (finding,) = judged(infiniband().set("h100", None, "gpuProfile"), "GPU-AKS-22")
    assert finding.status is Status.UNCHECKED
    assert judged(infiniband(), "GPU-AKS-22") == judged(inference(), "GPU-AKS-22") == []


# --- the feature flag


def flagged() -> Raw:
    name = {"providerNamespace": "Microsoft.ContainerService", "featureName": "AKSInfinibandSupport"}
    return infiniband().plus("azure-native:features/v20210701:SubscriptionFeatureRegistration", "flag", **name)


@pytest.mark.failure("E1")
def test_a_pool_that_does_not_wait_for_the_feature_is_told() -> None:
    (finding,) = judged(flagged(), "GPU-AKS-23")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.ADVISORY)


@pytest.mark.failure("E1")
def test_a_pool_that_waits_for_it_repairs_it() -> None:
    program = flagged()
    program.written["h100"].depends["count"] = (program.urn("flag"),)
    assert judged(program, "GPU-AKS-23") == []


def test_a_feature_that_only_the_subscription_knows_is_unchecked() -> None:
    (finding,) = judged(infiniband(), "GPU-AKS-23")
    assert finding.status is Status.UNCHECKED


# --- the Network Operator


@pytest.mark.failure("E13")
def test_the_network_operator_without_a_policy_is_refused() -> None:
    program = infiniband().without("policy")
    (finding,) = judged(program, "GPU-AKS-24")
    assert (finding.status, finding.level, finding.urn) == (Status.VIOLATED, Level.MANDATORY, program.urn("net-operator"))
    assert "no rdma/* resource on the nodes of h100" in finding.message


def test_infiniband_without_any_network_operator_is_unchecked() -> None:
    (finding,) = judged(infiniband().without("policy", "net-operator"), "GPU-AKS-24")
    assert finding.status is Status.UNCHECKED


@pytest.mark.failure("E13")
def test_a_policy_with_one_plugin_repairs_it() -> None:
    assert judged(infiniband(), "GPU-AKS-24") == []
    program = infiniband().without("policy").plus(types.NIC_NODE_POLICY, "policy", spec={"rdmaSharedDevicePlugin": {"config": SHARED}})
    assert judged(program, "GPU-AKS-24") == []


@pytest.mark.failure("E13")
@pytest.mark.parametrize("spec", [{}, {"sriovDevicePlugin": {"config": IB_ONLY}, "rdmaSharedDevicePlugin": {"config": SHARED}}])
def test_a_policy_with_no_plugin_or_two_is_refused(spec: dict[str, Any]) -> None:
    (finding,) = judged(infiniband().set("policy", spec, "spec"), "GPU-AKS-24")
    assert "Nodes offer rdma/* by exactly one" in finding.message


@pytest.mark.failure("E13")
def test_a_policy_in_yaml_text_counts_as_one_of_its_own() -> None:
    program = infiniband().without("policy").plus(YAML, "policies", yaml=[json.dumps(policy(IB_ONLY))])
    assert judged(program, "GPU-AKS-24") == judged(program, "GPU-AKS-25") == []


@pytest.mark.failure("E12")
def test_a_policy_among_objects_is_judged_where_it_stands() -> None:
    program = infiniband().without("policy").plus(YAML, "policies", objs=[policy(SHARED)])
    (finding,) = judged(program, "GPU-AKS-25")
    assert (finding.urn, finding.path) == (program.urn("policies"), "objs[0].spec.sriovDevicePlugin.config")


def test_a_policy_that_is_hidden_is_no_pass() -> None:
    for rule in ("GPU-AKS-24", "GPU-AKS-25"):
        assert [f for f in judged(infiniband().hide("policy", "spec"), rule) if f.fails], rule


def test_clusters_without_infiniband_need_no_policy() -> None:
    program = inference().plus("kubernetes:helm.sh/v3:Release", "net", chart="network-operator", values={})
    assert judged(program, "GPU-AKS-24") == judged(program, "GPU-AKS-25") == judged(program, "GPU-AKS-26") == []


@pytest.mark.failure("E12")
def test_a_plugin_that_takes_every_mellanox_card_is_refused() -> None:
    (finding,) = judged(infiniband().set("policy", {"rdmaSharedDevicePlugin": {"config": SHARED}}, "spec"), "GPU-AKS-25")
    assert (finding.status, finding.path) == (Status.VIOLATED, "spec.rdmaSharedDevicePlugin.config")


@pytest.mark.failure("E12")
@pytest.mark.parametrize("config", [IB_ONLY, '{"selectors": {"deviceIDs": ["101C", "101E"]}}'])
def test_selecting_by_link_type_or_device_repairs_it(config: str) -> None:
    assert judged(infiniband().set("policy", config, "spec", "sriovDevicePlugin", "config"), "GPU-AKS-25") == []


@pytest.mark.failure("E12")
@pytest.mark.parametrize("value", [True, None])
def test_the_charts_own_node_rule_is_told(value: bool | None) -> None:
    (finding,) = judged(infiniband().set("net-operator", value, "values", "nfd", "deployNodeFeatureRules"), "GPU-AKS-26")
    assert finding.level is Level.ADVISORY
    assert judged(infiniband(), "GPU-AKS-26") == []


def test_values_that_are_hidden_leave_the_node_rule_unknown() -> None:
    (finding,) = judged(infiniband().set("net-operator", Unknown("v"), "values"), "GPU-AKS-26")
    assert finding.status is Status.UNKNOWN


@pytest.mark.failure("E15")
def test_gpus_in_an_automatic_cluster_are_told() -> None:
    (finding,) = judged(inference().set("aks", "Automatic", "sku", "name"), "GPU-AKS-27")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.ADVISORY)


@pytest.mark.failure("E15")
def test_a_base_cluster_repairs_it() -> None:
    assert judged(inference(), "GPU-AKS-27") == judged(inference().set("aks", None, "sku"), "GPU-AKS-27") == []


# --- GPU-AKS-28


def job(**context: Any) -> Raw:
    container = {"name": "train", "image": "pytorch", "resources": {"limits": {"rdma/ib": "8", "nvidia.com/gpu": "8"}}, **context}
    template = {"spec": {"template": {"spec": {"containers": [container, {"name": "sidecar"}]}}}}
    spec = {"replicatedJobs": [{"name": "workers", "template": template}]}
    return infiniband().plus("kubernetes:jobset.x-k8s.io/v1alpha2:JobSet", "train", spec=spec)


@pytest.mark.failure("E11")
def test_a_container_with_rdma_that_may_not_pin_memory_is_told() -> None:
    program = job()
    (finding,) = judged(program, "GPU-AKS-28")
    assert (finding.status, finding.level, finding.urn) == (Status.VIOLATED, Level.ADVISORY, program.urn("train"))
    assert finding.path == "spec.replicatedJobs[0].template.spec.template.spec.containers[0].securityContext"


@pytest.mark.failure("E11")
def test_a_container_in_yaml_text_counts_too() -> None:
    container = {"name": "train", "resources": {"limits": {"rdma/ib": 8}}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train"}, "spec": {"containers": [container]}}
    (finding,) = judged(infiniband().plus(YAML, "pods", yaml=json.dumps(pod)), "GPU-AKS-28")
    assert finding.path == "yaml.spec.containers[0].securityContext"
    assert finding.message.startswith("train: yaml.spec.containers[0] asks for rdma/ib and may not pin memory")


@pytest.mark.failure("E11")
@pytest.mark.parametrize("context", [{"capabilities": {"add": ["IPC_LOCK"]}}, {"privileged": True}])
def test_the_capability_or_privilege_repairs_it(context: dict[str, Any]) -> None:
    assert judged(job(securityContext=context), "GPU-AKS-28") == []


@pytest.mark.parametrize("context", [Unknown("c"), {"capabilities": {"add": Unknown("a")}}, {"privileged": Unknown("p")}])
def test_a_context_that_is_hidden_is_unknown(context: object) -> None:
    (finding,) = judged(job(securityContext=context), "GPU-AKS-28")
    assert finding.status is Status.UNKNOWN


def test_containers_on_clusters_without_infiniband_are_not_asked() -> None:
    program = job()
    assert judged(program.set("h100", "Standard_NC24ads_A100_v4", "vmSize"), "GPU-AKS-28") == []


@pytest.mark.parametrize(("key", "rule"), [("maxCount", "GPU-AKS-20"), ("availabilityZones", "GPU-AKS-21"), ("osSKU", "GPU-AKS-21")])
def test_settings_that_are_hidden_are_unknown(key: str, rule: str) -> None:
    (finding,) = judged(infiniband().hide("h100", key), rule)
    assert (finding.status, finding.path) == (Status.UNKNOWN, key)
