"""GPU-DRV rules: exactly one owner of driver and toolkit."""

from __future__ import annotations

import pytest

from components.unknown import Unknown
from policies import Finding, Level, Status, evaluate
from policies.readers import types
from tests.policies.raw import SETTINGS, Raw, said, training


def driver(program: Raw, rule: str = "GPU-DRV-01") -> list[Finding]:
    return said(evaluate(program.built(), SETTINGS), rule)


TWO = (
    "gpu: 2 owners of the NVIDIA driver (image, gpu_operator): image AL2023_x86_64_NVIDIA ships it and the GPU Operator would install it "
    "again, which ends in a crash loop. Set driver.enabled=false in the GPU Operator's values (the chart's default is true)."
)
NOBODY = (
    "gpu: nobody installs the NVIDIA driver: image AL2023_x86_64_STANDARD ships none and no GPU Operator of this cluster has "
    "driver.enabled. The nodes never offer nvidia.com/gpu. Use the matching NVIDIA image type, such as AL2023_x86_64_NVIDIA."
)


@pytest.mark.failure("C1")
def test_the_operators_driver_on_an_image_with_a_driver_is_refused() -> None:
    program = training().set("operator", True, "values", "driver", "enabled")
    (finding,) = driver(program)
    assert (finding.status, finding.level, finding.urn, finding.path) == (Status.VIOLATED, Level.MANDATORY, program.urn("gpu"), "amiType")
    assert finding.message == TWO


@pytest.mark.failure("C1")
def test_the_charts_default_counts_when_the_program_says_nothing() -> None:
    (finding,) = driver(training().set("operator", None, "values", "driver"))
    assert finding.message == TWO


@pytest.mark.failure("C1")
def test_the_operators_driver_switched_off_repairs_it() -> None:
    assert driver(training()) == []


@pytest.mark.failure("C1")
def test_the_operators_toolkit_on_an_image_with_a_toolkit_is_refused() -> None:
    (finding,) = driver(training().set("operator", None, "values", "toolkit"), "GPU-DRV-02")
    assert finding.message == (
        "gpu: 2 owners of the NVIDIA container toolkit (image, gpu_operator): image AL2023_x86_64_NVIDIA ships it and the GPU Operator would "
        "install it again. Set toolkit.enabled=false in the GPU Operator's values (the chart's default is true)."
    )


@pytest.mark.failure("C1")
def test_the_operators_toolkit_switched_off_repairs_it() -> None:
    assert driver(training(), "GPU-DRV-02") == []


@pytest.mark.failure("C3")
def test_nobody_installing_the_driver_is_refused() -> None:
    (finding,) = driver(training().set("gpu", "AL2023_x86_64_STANDARD", "amiType"))
    assert finding.message == NOBODY


@pytest.mark.failure("C3")
def test_the_nvidia_image_repairs_it_without_any_operator() -> None:
    assert driver(training().without("operator")) == []


@pytest.mark.failure("B6")
def test_the_standard_image_cannot_get_its_driver_from_the_operator() -> None:
    program = training().set("gpu", "AL2023_x86_64_STANDARD", "amiType").set("operator", True, "values", "driver", "enabled")
    (finding,) = driver(program)
    assert finding.message == (
        "gpu: image AL2023_x86_64_STANDARD ships no NVIDIA driver, and the GPU Operator has no driver image for Amazon Linux 2023. The nodes "
        "never offer nvidia.com/gpu. Use the matching NVIDIA image type, such as AL2023_x86_64_NVIDIA, with driver.enabled=false."
    )


@pytest.mark.failure("B6")
def test_the_bottlerocket_image_with_a_driver_repairs_it() -> None:
    assert driver(training().set("gpu", "BOTTLEROCKET_x86_64_NVIDIA", "amiType")) == []


@pytest.mark.parametrize(
    "chart", ["nvidia/gpu-operator", "oci://registry.example/nvidia/gpu-operator", "./charts/gpu-operator-v25.3.0.tgz"]
)
def test_the_operator_is_known_by_its_chart_however_it_is_spelt(chart: str) -> None:
    assert [f.message for f in driver(training().set("operator", chart, "chart").set("operator", {}, "values"))] == [TWO]


def test_a_chart_resource_counts_like_a_release() -> None:
    program = training().without("operator").plus(types.CHART_V4, "operator", chart="gpu-operator", values={})
    assert [f.message for f in driver(program)] == [TWO]


def test_cpu_pools_and_other_makers_are_not_asked() -> None:
    program = training().set("p4d", "g4ad.4xlarge", "instanceType").set("gpu", "AL2023_x86_64_STANDARD", "amiType")
    assert driver(program) == []


def test_ones_own_image_says_nothing_and_stays_unchecked() -> None:
    program = training().set("p4d", "ami-0123456789", "imageId").set("gpu", None, "amiType")
    (finding,) = driver(program)
    assert (finding.status, finding.level, finding.fails) == (Status.UNCHECKED, Level.ADVISORY, False)


@pytest.mark.parametrize(
    ("name", "path", "reason"),
    [
        ("gpu", ("amiType",), "amiType is known only after the update"),
        ("operator", ("values",), "operator.values.driver.enabled is known only after the update"),
        ("operator", ("values", "driver"), "driver is known only after the update"),
        ("operator", ("values", "driver", "enabled"), "driver.enabled is known only after the update"),
        ("operator", ("chart",), "chart is known only after the update"),
    ],
)
def test_an_unknown_owner_is_no_owner_and_no_pass(name: str, path: tuple[str, ...], reason: str) -> None:
    (finding,) = driver(training().hide(name, *path))
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.MANDATORY)
    assert finding.message.startswith(f"gpu: {reason}, so it cannot be told who installs the NVIDIA driver")


def test_an_image_type_left_to_eks_is_unknown() -> None:
    (finding,) = driver(training().set("gpu", None, "amiType"))
    assert "amiType is not given, so that EKS picks one" in finding.message


def test_an_image_type_in_no_catalogue_is_unknown() -> None:
    (finding,) = driver(training().set("gpu", "AL2031_NVIDIA", "amiType"))
    assert "amiType is 'AL2031_NVIDIA', which the catalogue does not know" in finding.message


def test_values_in_files_are_not_read_and_so_unknown() -> None:
    (finding,) = driver(training().set("operator", ["values.yaml"], "valueYamlFiles"))
    assert "given by a file that is not opened" in finding.message


def two_clusters() -> Raw:
    program = training().plus(types.CLUSTER, "other", version="1.35")
    return program.set("operator", True, "values", "driver", "enabled")


def test_the_operator_of_another_cluster_does_not_count() -> None:
    program = two_clusters().plus("pulumi:providers:kubernetes", "k8s", kubeconfig="@other")
    program.written["operator"].provider = "k8s"
    assert driver(program) == []


def test_the_operator_of_the_pools_own_cluster_counts() -> None:
    program = two_clusters().plus("pulumi:providers:kubernetes", "k8s", kubeconfig="@eks")
    program.written["operator"].provider = "k8s"
    assert [f.message for f in driver(program)] == [TWO]


def test_an_operator_whose_cluster_cannot_be_told_is_unknown() -> None:
    (finding,) = driver(two_clusters())
    assert finding.status is Status.UNKNOWN
    assert "operator.provider is of a cluster that cannot be told" in finding.message


def test_a_machine_that_may_have_gpus_is_asked_too() -> None:
    program = training().set("p4d", Unknown("machine"), "instanceType").set("gpu", "AL2023_x86_64_STANDARD", "amiType")
    assert [f.message for f in driver(program)] == [NOBODY]
