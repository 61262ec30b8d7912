import pytest

from components import catalog
from components.catalog import UnknownName, containers, fit


def kind(name: str) -> catalog.ImageKind:
    found = catalog.image("aws", name)
    assert found is not None
    return found


def aws(name: str) -> catalog.Machine:
    return catalog.machine("aws", name)


@pytest.mark.parametrize(
    ("image", "machine", "runs", "reason"),
    [
        ("AL2023_x86_64_NVIDIA", "p5.48xlarge", True, "serves p5"),
        pytest.param(
            "AL2023_x86_64_NVIDIA", "g5g.xlarge", False, "built for x86_64, and g5g.xlarge is arm64", marks=pytest.mark.failure("B9")
        ),
        ("AL2023_x86_64_NVIDIA", "m7i.large", False, "serves NVIDIA, and m7i.large has no accelerators"),
        pytest.param("AL2023_x86_64_NVIDIA", "g7.8xlarge", False, "does not support g7", marks=pytest.mark.failure("B10")),
        pytest.param(
            "AL2023_x86_64_STANDARD", "p5.48xlarge", False, "serves CPU, and p5.48xlarge has NVIDIA", marks=pytest.mark.failure("B6")
        ),
        ("BOTTLEROCKET_ARM_64_NVIDIA", "p6e-gb200.36xlarge", False, "does not support p6e-gb200"),
        ("AL2_x86_64_GPU", "g5.xlarge", False, "not offered to new node groups"),
        ("CUSTOM", "p5.48xlarge", None, "nothing says what is in it"),
    ],
)
def test_a_node_image_runs_on_a_machine_or_says_why_not(image: str, machine: str, runs: bool | None, reason: str) -> None:
    found = fit.node_image(kind(image), aws(machine))

    assert found.runs is runs
    assert reason in found.reason


@pytest.mark.parametrize(
    ("cloud", "image", "machine", "runs"),
    [
        ("gcp", "COS_CONTAINERD", "a3-megagpu-8g", True),
        ("gcp", "COS_CONTAINERD", "a4x-highgpu-4g", True),
        ("gcp", "COS_CONTAINERD", "ct6e-standard-4t", None),
        ("azure", "Ubuntu", "Standard_ND96isr_H100_v5", True),
        ("azure", "Ubuntu", "Standard_ND96isr_MI300X_v5", None),
        ("azure", "AzureLinux", "Standard_D4s_v5", True),
    ],
)
def test_what_is_not_established_about_an_image_is_neither_yes_nor_no(cloud: str, image: str, machine: str, runs: bool | None) -> None:
    found = catalog.image(cloud, image)

    assert found is not None
    assert fit.node_image(found, catalog.machine(cloud, machine)).runs is runs


@pytest.mark.parametrize("cloud", ["gcp", "azure"])
def test_on_gke_and_aks_no_image_ships_the_driver_and_its_notes_say_who_brings_it(cloud: str) -> None:
    for image in catalog.images(cloud):
        assert image.driver is False, image.kind
        assert "GKE installs" in image.notes or "AKS installs" in image.notes or image.notes.startswith("as "), image.kind


def test_an_image_of_one_cloud_does_not_run_on_a_machine_of_another() -> None:
    found = fit.node_image(kind("AL2023_x86_64_NVIDIA"), catalog.machine("gcp", "g2-standard-4"))

    assert found.runs is False


@pytest.mark.failure("B6")
@pytest.mark.failure("B9")
@pytest.mark.failure("B10")
def test_the_image_that_a_word_means_always_runs() -> None:
    for machine in catalog.machines("aws"):
        for word in ("al2023", "bottlerocket"):
            try:
                chosen = catalog.ami_type(machine, word)
            except catalog.UnsuitableImage:
                continue
            assert fit.node_image(kind(chosen), machine).runs, (machine.name, word)


@pytest.mark.failure("I1")
def test_a_container_newer_than_the_driver_is_refused_with_both_versions() -> None:
    found = fit.container(containers.container("vllm", "26.05"), aws("p5.48xlarge"), "575")

    assert found.runs is False
    assert "needs driver 580 or later, and the pool has 575" in found.reason


@pytest.mark.failure("I1")
def test_a_container_runs_on_the_driver_that_the_node_image_brings() -> None:
    driver = kind("AL2023_x86_64_NVIDIA").driver_branch

    assert fit.container(containers.container("vllm", "26.05"), aws("p5.48xlarge"), driver).runs is True


def test_a_driver_that_needs_the_forward_compatibility_package_is_neither_yes_nor_no() -> None:
    found = fit.container(containers.container("tritonserver", "25.10"), aws("g5.xlarge"), "535.183.01")

    assert found.runs is None
    assert "forward-compatibility package only" in found.reason


def test_an_unknown_driver_is_not_a_pass() -> None:
    found = fit.container(containers.container("tritonserver", "25.10"), aws("g5.xlarge"), kind("BOTTLEROCKET_x86_64_NVIDIA").driver_branch)

    assert found.runs is None


def test_a_gpu_that_the_toolkit_dropped_is_refused() -> None:
    found = fit.container(containers.container("pytorch", "25.12"), aws("p3.2xlarge"), "580")

    assert found.runs is False
    assert "take an older release" in found.reason


@pytest.mark.parametrize("machine", ["trn1.32xlarge", "m7i.large"])
def test_a_machine_without_nvidia_gpus_runs_no_container_built_for_them(machine: str) -> None:
    assert fit.container(containers.container("pytorch", "25.12"), aws(machine), "580").runs is False


def test_unknown_containers_name_the_nearest() -> None:
    with pytest.raises(UnknownName, match="nearest: tritonserver"):
        containers.container("triton-server", "25.10")
    with pytest.raises(UnknownName, match=r"unknown release of tritonserver '25.11'; nearest: 25"):
        containers.container("tritonserver", "25.11")


def test_every_container_has_a_known_oldest_driver() -> None:
    assert {c.min_driver for c in containers.containers()} <= {"450", "525", "580"}


def test_release_notes_that_print_an_older_driver_for_cuda_13_decide_nothing() -> None:
    printed = [c for c in containers.containers() if c.printed_driver and c.cuda.startswith("13") and c.printed_driver < c.min_driver]

    assert {(c.image, c.release) for c in printed} == {
        ("tritonserver", "25.08"), ("tritonserver", "25.10"), ("tritonserver", "26.02"), ("sglang", "25.10"), ("sglang", "26.05"),
    }  # fmt: skip
