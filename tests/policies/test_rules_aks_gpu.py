"""GPU-AKS and GPU-DRV rules on who drives the GPUs of an agent pool."""

from __future__ import annotations

from typing import Any

import pytest

from components.unknown import Unknown
from policies import Level, Status
from tests.policies.azure_raw import SPOT_KEY, inference, infiniband, judged
from tests.policies.raw import Raw


def a100(driver: str | None, values: dict[str, Any] | None = None) -> Raw:
    """Whole GPUs on demand: AKS or the operator may drive them."""
    program = infiniband().without("net-operator", "policy", "reserved", "crg", "contributor")
    program.written["h100"].depends.clear()
    program = program.set("h100", None, "capacityReservationGroupID").set("h100", "Standard_NC24ads_A100_v4", "vmSize")
    program = program.set("h100", None if driver is None else {"driver": driver}, "gpuProfile")
    return program.set("operator", values or {}, "values")


OFF: dict[str, Any] = {
    "driver": {"enabled": False},
    "toolkit": {"enabled": False},
    "operator": {"runtimeClass": "nvidia-container-runtime"},
}


# --- GPU-DRV on AKS


@pytest.mark.failure("C2")
def test_the_operators_driver_on_a_pool_that_aks_drives_is_refused() -> None:
    (finding,) = judged(a100(None), "GPU-DRV-01")
    assert finding.path == "gpuProfile.driver"
    assert finding.message == (
        "h100: 2 owners of the NVIDIA driver (cloud, gpu_operator): AKS installs it and the GPU Operator would install it again, so that a pinned "
        "version never takes effect. Set driver.enabled=false in the GPU Operator's values (the chart's default is true). Or make a new pool with "
        "gpuProfile.driver None: the profile is fixed at creation."
    )
    (toolkit,) = judged(a100(None), "GPU-DRV-02")
    assert "nodes turn NotReady" in toolkit.message


@pytest.mark.failure("C2")
def test_either_owner_alone_repairs_it() -> None:
    assert judged(a100("Install", OFF), "GPU-DRV-01") == judged(a100("None"), "GPU-DRV-01") == []
    assert judged(a100("Install", OFF), "GPU-DRV-02") == judged(a100("None"), "GPU-DRV-02") == []


@pytest.mark.failure("C3")
def test_nobody_driving_the_gpus_is_refused() -> None:
    (finding,) = judged(a100("None", OFF), "GPU-DRV-01")
    assert "nobody installs the NVIDIA driver: image Ubuntu ships none, AKS is told not to" in finding.message


def test_a_profile_that_is_hidden_is_no_pass() -> None:
    (finding,) = judged(a100("None").set("h100", Unknown("p"), "gpuProfile"), "GPU-DRV-01")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


# --- GPU-AKS-10


@pytest.mark.failure("E2")
def test_a_shared_a10_without_the_driver_of_aks_is_refused() -> None:
    program = inference().set("a10", {"driver": "None"}, "gpuProfile").set("operator", True, "values", "driver", "enabled")
    (finding,) = judged(program, "GPU-AKS-10")
    assert judged(program, "GPU-DRV-01") == []
    assert finding.message == (
        "a10: Standard_NV36ads_A10_v5 shares its GPU by vGPU and needs the GRID driver, but gpuProfile.driver is None, so that AKS installs "
        "none and the GPU Operator's data-centre driver crashes. Take it out, set driver.enabled=false in the operator's values, and pin the node image."
    )


@pytest.mark.failure("E2")
def test_the_operators_driver_beside_that_of_aks_is_told_once() -> None:
    program = inference().set("operator", True, "values", "driver", "enabled")
    (finding,) = judged(program, "GPU-DRV-01")
    assert "2 owners of the NVIDIA driver" in finding.message
    assert judged(program, "GPU-AKS-10") == []


@pytest.mark.failure("E2")
def test_a_shared_a10_that_nobody_drives_is_told_once() -> None:
    program = inference().set("a10", {"driver": "None"}, "gpuProfile")
    (finding,) = judged(program, "GPU-DRV-01")
    assert "Leave the pool's driver to AKS (gpuProfile is fixed at creation), which machines with a share of a GPU need" in finding.message
    assert judged(program, "GPU-AKS-10") == []


@pytest.mark.failure("E2")
def test_the_driver_of_aks_alone_repairs_it() -> None:
    assert judged(inference(), "GPU-AKS-10") == []
    assert (
        judged(inference().set("a10", "Standard_NC24ads_A100_v4", "vmSize").set("a10", {"driver": "None"}, "gpuProfile"), "GPU-AKS-10")
        == []
    )


def test_a_driver_that_is_hidden_on_a_shared_a10_is_no_pass() -> None:
    findings = judged(inference().set("a10", {"driver": Unknown("d")}, "gpuProfile"), "GPU-AKS-10")
    assert findings
    assert all(finding.fails for finding in findings)


# --- GPU-AKS-11 to GPU-AKS-13


@pytest.mark.failure("C3")
@pytest.mark.parametrize("wrong", [None, "nvidia"])
def test_another_runtime_than_that_of_aks_is_told(wrong: str | None) -> None:
    program = inference().set("operator", wrong, "values", "operator", "runtimeClass")
    (finding,) = judged(program, "GPU-AKS-11")
    assert (finding.urn, finding.level) == (program.urn("operator"), Level.ADVISORY)
    assert "calls its runtime nvidia-container-runtime" in finding.message


@pytest.mark.failure("C3")
def test_the_runtime_of_aks_repairs_it_and_the_operators_toolkit_needs_none() -> None:
    assert judged(inference(), "GPU-AKS-11") == judged(infiniband(), "GPU-AKS-11") == []


@pytest.mark.failure("C3")
@pytest.mark.parametrize("sku", ["Windows2022", "AzureLinuxOSGuard"])
def test_a_system_on_which_the_operator_does_not_run_needs_the_driver_of_aks(sku: str) -> None:
    (finding,) = judged(a100("None").set("h100", sku, "osSKU"), "GPU-AKS-12")
    assert f"the GPU Operator does not run on {sku}" in finding.message
    assert judged(a100("Install", OFF).set("h100", sku, "osSKU"), "GPU-AKS-12") == judged(a100("None"), "GPU-AKS-12") == []


def test_only_gpus_with_mig_are_divided() -> None:
    (finding,) = judged(inference().set("a10", "MIG1g", "gpuInstanceProfile"), "GPU-AKS-13")
    assert "which A10 of Standard_NV36ads_A10_v5 cannot" in finding.message
    assert judged(infiniband().set("h100", "MIG1g", "gpuInstanceProfile"), "GPU-AKS-13") == []


# --- GPU-SCALE-03 on AKS


@pytest.mark.failure("E6")
@pytest.mark.parametrize("tolerations", [None, [], [{"key": "nvidia.com/gpu", "operator": "Exists"}]])
def test_an_operator_that_does_not_tolerate_spot_nodes_is_refused(tolerations: list[dict[str, str]] | None) -> None:
    program = inference().set("operator", {"tolerations": tolerations} if tolerations is not None else {}, "values", "daemonsets")
    (finding,) = judged(program, "GPU-SCALE-03")
    assert (finding.status, finding.urn, finding.path) == (Status.VIOLATED, program.urn("operator"), "values.daemonsets.tolerations")


@pytest.mark.failure("E6")
@pytest.mark.parametrize(
    "toleration", [{"key": SPOT_KEY, "operator": "Equal", "value": "spot", "effect": "NoSchedule"}, {"operator": "Exists"}]
)
def test_a_toleration_of_the_taint_repairs_it(toleration: dict[str, str]) -> None:
    assert judged(inference().set("operator", {"tolerations": [toleration]}, "values", "daemonsets"), "GPU-SCALE-03") == []


def test_regular_pools_ask_for_no_toleration() -> None:
    assert judged(infiniband(), "GPU-SCALE-03") == []


@pytest.mark.parametrize("where", [("values",), ("values", "daemonsets", "tolerations"), ("values", "daemonsets", "tolerations", 0)])
def test_tolerations_that_are_hidden_are_no_pass(where: tuple[str | int, ...]) -> None:
    (finding,) = judged(inference().hide("operator", *where), "GPU-SCALE-03")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_what_is_hidden_leaves_runtime_and_system_unknown() -> None:
    (runtime,) = judged(inference().set("operator", Unknown("r"), "values", "operator"), "GPU-AKS-11")
    assert (runtime.status, runtime.level) == (Status.UNKNOWN, Level.ADVISORY)
    (sku,) = judged(a100("None").hide("h100", "osSKU"), "GPU-AKS-12")
    assert (sku.status, sku.fails) == (Status.UNKNOWN, True)


def test_tolerations_that_are_no_list_are_unknown() -> None:
    (finding,) = judged(inference().set("operator", {"tolerations": "all"}, "values", "daemonsets"), "GPU-SCALE-03")
    assert finding.status is Status.UNKNOWN


def test_a_priority_that_is_hidden_leaves_the_taint_unknown() -> None:
    (finding,) = judged(inference().hide("a10", "scaleSetPriority"), "GPU-SCALE-03")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_an_operator_whose_chart_is_hidden_is_asked_for_by_the_driver_rule() -> None:
    findings = judged(inference().hide("operator", "chart"), "GPU-DRV-01")
    assert findings
    assert all(finding.fails for finding in findings)


def test_the_operator_of_another_cluster_is_not_meant() -> None:
    program = inference().set("operator", {}, "values").plus("azure-native:containerservice:ManagedCluster", "other", location="eastus")
    program.written["k8s"].inputs["kubeconfig"] = "@other"
    assert judged(program, "GPU-SCALE-03") == []
    assert judged(program.hide("a10", "resourceName"), "GPU-SCALE-03") != []
