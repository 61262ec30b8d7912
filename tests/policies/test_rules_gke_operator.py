"""GPU-GKE-50 to 53, GPU-DRV-01 and GPU-STACK-04 on GKE: the GPU Operator beside what GKE brings."""

from __future__ import annotations

from typing import Any

import pytest

from policies import Level, Status
from policies.readers import types
from tests.policies.gcp_raw import CRITICAL, a3_mega, inference, judged
from tests.policies.gcp_raw import operator as with_operator
from tests.policies.raw import Raw

DRIVER = ("nodeConfig", "guestAccelerators", 0, "gpuDriverInstallationConfig", "gpuDriverVersion")
SELECTOR = ("spec", "scopeSelector", "matchExpressions", 0)
NO_PLUGIN = {"gke-no-default-nvidia-gpu-device-plugin": "true"}


def operators_own() -> Raw:
    """Ubuntu nodes whose driver and device plugin the operator brings."""
    program = a3_mega().set("h100", "UBUNTU_CONTAINERD", "nodeConfig", "imageType").set("h100", "INSTALLATION_DISABLED", *DRIVER)
    program = program.set("h100", NO_PLUGIN, "nodeConfig", "labels")
    return program.set("operator", {"driver": {"enabled": True}, "devicePlugin": {"enabled": True}}, "values")


@pytest.mark.parametrize("program", [a3_mega(), operators_own(), inference()], ids=["GKE's", "the operator's", "no operator"])
@pytest.mark.parametrize("rule", ["GPU-GKE-50", "GPU-GKE-51", "GPU-GKE-52", "GPU-DRV-01", "GPU-DRV-02", "GPU-STACK-04"])
def test_one_owner_of_everything_is_silent(program: Raw, rule: str) -> None:
    assert judged(program, rule) == []


@pytest.mark.failure("C3")
def test_a_driver_that_nobody_installs_is_refused() -> None:
    (finding,) = judged(inference().set("l4", "INSTALLATION_DISABLED", *DRIVER), "GPU-DRV-01")
    assert finding.message == (
        "l4: nobody installs the NVIDIA driver: image COS_CONTAINERD ships none, GKE is told not to and no GPU Operator of this cluster has "
        "driver.enabled. The nodes never offer nvidia.com/gpu. Set gpu_driver_version to LATEST or DEFAULT; INSTALLATION_DISABLED is for pools "
        "whose driver someone else installs."
    )


@pytest.mark.failure("C3")
def test_gkes_installer_repairs_it() -> None:
    assert judged(inference(), "GPU-DRV-01") == []


@pytest.mark.failure("C1")
def test_gkes_driver_and_the_operators_are_two() -> None:
    (finding,) = judged(a3_mega().set("operator", True, "values", "driver", "enabled"), "GPU-DRV-01")
    assert (
        "2 owners of the NVIDIA driver (cloud, gpu_operator): GKE installs it and the GPU Operator would install it again"
        in finding.message
    )


@pytest.mark.failure("C5")
def test_the_operator_has_no_driver_for_cos() -> None:
    (finding,) = judged(operators_own().set("h100", None, "nodeConfig", "imageType"), "GPU-DRV-01")
    assert "the GPU Operator has no driver image for Container-Optimized OS" in finding.message
    assert finding.fails


@pytest.mark.failure("C5")
def test_ubuntu_repairs_it() -> None:
    assert judged(operators_own(), "GPU-DRV-01") == []


@pytest.mark.failure("C7")
def test_two_device_plugins_are_refused() -> None:
    (finding,) = judged(a3_mega().set("operator", None, "values", "devicePlugin"), "GPU-STACK-04")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.MANDATORY)
    assert finding.message.startswith("h100: 2 owners of the device plugin (GKE, the GPU Operator).")
    assert "label gke-no-default-nvidia-gpu-device-plugin=true on the pool" in finding.message


@pytest.mark.failure("C7")
@pytest.mark.parametrize("program", [a3_mega(), operators_own()])
def test_one_device_plugin_repairs_it(program: Raw) -> None:
    assert judged(program, "GPU-STACK-04") == []


@pytest.mark.failure("C7")
def test_the_label_without_an_operator_leaves_no_plugin() -> None:
    program = inference().set("l4", NO_PLUGIN, "nodeConfig", "labels").set("l4", "INSTALLATION_DISABLED", *DRIVER)
    (finding,) = judged(program, "GPU-STACK-04")
    assert "label gke-no-default-nvidia-gpu-device-plugin=true keeps GKE's device plugin away" in finding.message
    assert "nodes never offer nvidia.com/gpu" in finding.message


@pytest.mark.failure("C3")
def test_the_label_keeps_gkes_driver_away_too() -> None:
    program = operators_own().set("h100", "LATEST", *DRIVER).set("operator", False, "values", "driver", "enabled")
    (finding,) = judged(program, "GPU-GKE-50")
    assert "its installer is part of what the label keeps away" in finding.message


@pytest.mark.parametrize(("name", "path"), [("h100", ("nodeConfig", "labels")), ("operator", ("values",))])
def test_owners_that_cannot_be_told_are_unknown(name: str, path: tuple[str, ...]) -> None:
    (finding,) = judged(a3_mega().hide(name, *path), "GPU-STACK-04")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_a_chart_that_may_be_the_operator_is_unknown() -> None:
    (finding,) = judged(a3_mega().hide("operator", "chart"), "GPU-DRV-01")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


@pytest.mark.failure("C3")
def test_no_driver_of_gke_beside_the_label_repairs_it() -> None:
    assert judged(operators_own(), "GPU-GKE-50") == []


def test_a_driver_behind_a_label_that_cannot_be_told_is_unknown() -> None:
    (finding,) = judged(a3_mega().hide("h100", "nodeConfig", "labels"), "GPU-GKE-50")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_tpus_have_no_nvidia_plugin() -> None:
    program = a3_mega().set("h100", "ct6e-standard-4t", "nodeConfig", "machineType").set("operator", None, "values", "devicePlugin")
    assert judged(program, "GPU-STACK-04") == []


@pytest.mark.failure("C4")
@pytest.mark.parametrize(
    "program",
    [
        a3_mega().without("critical"),
        a3_mega().set("critical", "monitoring", "metadata", "namespace"),
        a3_mega().set("critical", None, "spec", "scopeSelector"),
        a3_mega().set("critical", CRITICAL[:1], *SELECTOR, "values"),
        a3_mega().set("critical", "BestEffort", *SELECTOR, "scopeName"),
    ],
    ids=["no quota", "another namespace", "no selector", "one class", "another scope"],
)
def test_the_operator_without_room_for_critical_pods_is_refused(program: Raw) -> None:
    (finding,) = judged(program, "GPU-GKE-51")
    assert (finding.urn, finding.fails) == (program.urn("operator"), True)
    assert "no ResourceQuota in gpu-operator admits pods of priority system-node-critical and system-cluster-critical" in finding.message


@pytest.mark.failure("C4")
def test_the_quota_repairs_it() -> None:
    assert judged(a3_mega(), "GPU-GKE-51") == []
    assert judged(a3_mega().set("critical", None, "metadata", "namespace").set("operator", None, "namespace"), "GPU-GKE-51") == []


QUOTA_AS_YAML = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: critical, namespace: gpu-operator}
spec:
  scopeSelector:
    matchExpressions: [{scopeName: PriorityClass, operator: In, values: [system-node-critical, system-cluster-critical]}]
"""


@pytest.mark.failure("C4")
@pytest.mark.parametrize(
    ("yaml", "found"),
    [(QUOTA_AS_YAML, 0), (QUOTA_AS_YAML.replace("PriorityClass", "BestEffort"), 1), (QUOTA_AS_YAML.replace(": critical", ": c"), 0)],
)
def test_a_quota_inside_yaml_counts_like_one_of_its_own(yaml: str, found: int) -> None:
    program = a3_mega().without("critical").plus(types.YAML[0], "quota", yaml=yaml)
    assert len(judged(program, "GPU-GKE-51")) == found


@pytest.mark.failure("C4")
@pytest.mark.parametrize(("plain", "odd"), [("[{scope", "5 # [{scope"), ("values: [system", "values: 5 }] # [system")])
def test_a_quota_inside_yaml_that_cannot_be_read_is_unknown(plain: str, odd: str) -> None:
    program = a3_mega().without("critical").plus(types.YAML[0], "quota", yaml=QUOTA_AS_YAML.replace(plain, odd))
    (finding,) = judged(program, "GPU-GKE-51")
    assert (finding.status, finding.fails, "not readable" in finding.message) == (Status.UNKNOWN, True, True)


@pytest.mark.failure("C4")
def test_the_operator_in_a_cluster_that_is_made_elsewhere_needs_its_quota_too() -> None:
    program = a3_mega().without("gke", "critical").set("h100", "gke", "cluster")
    assert [f.fails for f in judged(program, "GPU-GKE-51")] == [True]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("operator", ("namespace",)),
        ("critical", ("metadata",)),
        ("critical", ("spec",)),
        ("critical", SELECTOR[:3]),
        ("critical", (*SELECTOR, "scopeName")),
        ("critical", (*SELECTOR, "values")),
    ],
)
def test_a_namespace_or_quota_that_cannot_be_told_is_unknown(name: str, path: tuple[str | int, ...]) -> None:
    (finding,) = judged(a3_mega().hide(name, *path), "GPU-GKE-51")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_a_namespace_whose_name_is_still_to_be_made_is_unknown() -> None:
    program = a3_mega().plus("kubernetes:core/v1:Namespace", "space", metadata={})
    (finding,) = judged(program.set("critical", "@space", "metadata", "namespace"), "GPU-GKE-51")
    assert "that of space, whose name is known only after the update" in finding.message


def test_other_charts_ask_for_no_quota() -> None:
    assert judged(a3_mega().without("critical").set("operator", "kueue", "chart"), "GPU-GKE-51") == []


def on_provider(program: Raw, **provider: Any) -> Raw:
    program = program.plus("pulumi:providers:kubernetes", "k8s", **provider)
    program.written["operator"].provider = "k8s"
    return program


def test_an_operator_of_another_clouds_cluster_is_not_asked() -> None:
    program = a3_mega().without("critical").plus(types.CLUSTER, "eks", version="1.35")
    assert judged(on_provider(program, kubeconfig="@eks"), "GPU-GKE-51") == []
    assert [f.fails for f in judged(on_provider(program, kubeconfig="@gke"), "GPU-GKE-51")] == [True]


def autopilot() -> Raw:
    program = a3_mega().without("h100", "system")
    return program.set("gke", True, "enableAutopilot")


@pytest.mark.failure("D15")
@pytest.mark.parametrize("named", [True, False])
def test_the_operator_in_an_autopilot_cluster_is_refused(named: bool) -> None:
    program = on_provider(autopilot(), kubeconfig="@gke") if named else autopilot()
    (finding,) = judged(program, "GPU-GKE-52")
    assert (finding.urn, finding.fails) == (program.urn("operator"), True)
    assert "in Autopilot cluster gke" in finding.message


@pytest.mark.failure("D15")
@pytest.mark.parametrize("program", [a3_mega(), autopilot().without("operator"), autopilot().set("operator", "kueue", "chart")])
def test_a_standard_cluster_or_no_operator_repairs_it(program: Raw) -> None:
    assert judged(program, "GPU-GKE-52") == []


@pytest.mark.failure("D15")
def test_a_node_pool_in_an_autopilot_cluster_is_refused() -> None:
    program = inference().set("gke", True, "enableAutopilot")
    assert {f.urn for f in judged(program, "GPU-GKE-52")} == {program.urn("l4"), program.urn("system")}


def test_a_cluster_that_may_be_autopilot_is_unknown() -> None:
    (finding,) = judged(a3_mega().hide("gke", "enableAutopilot"), "GPU-GKE-52")
    assert finding.status is Status.UNKNOWN


def test_the_pools_of_the_operator_are_told_by_reference_and_by_name() -> None:
    program = with_operator(inference()).set("l4", "gke", "cluster").set("operator", {}, "values")
    assert [f.urn for f in judged(program, "GPU-STACK-04")] == [program.urn("l4")]
