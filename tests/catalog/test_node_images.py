from contextlib import suppress

import pytest

from components import catalog
from components.catalog import UnsuitableImage, ami_type


def choose(machine: str, word: str) -> str:
    return ami_type(catalog.machine("aws", machine), word)


@pytest.mark.parametrize(
    ("machine", "word", "kind"),
    [
        ("p4d.24xlarge", "auto", "AL2023_x86_64_NVIDIA"),
        ("g5.2xlarge", "al2023", "AL2023_x86_64_NVIDIA"),
        ("g5.2xlarge", "bottlerocket", "BOTTLEROCKET_x86_64_NVIDIA"),
        ("g5.2xlarge", "ubuntu", "CUSTOM"),
        ("g5g.xlarge", "auto", "AL2023_ARM_64_NVIDIA"),
        ("g5g.xlarge", "bottlerocket", "BOTTLEROCKET_ARM_64_NVIDIA"),
        ("p6e-gb200.36xlarge", "auto", "AL2023_ARM_64_NVIDIA"),
        ("inf2.xlarge", "auto", "AL2023_x86_64_NEURON"),
        ("trn1.32xlarge", "bottlerocket", "BOTTLEROCKET_x86_64"),
        ("m7i.large", "auto", "AL2023_x86_64_STANDARD"),
        ("m7g.large", "auto", "AL2023_ARM_64_STANDARD"),
        ("m7i.large", "bottlerocket", "BOTTLEROCKET_x86_64"),
    ],
)
def test_a_word_of_the_stack_file_becomes_the_ami_type_of_the_machine(machine: str, word: str, kind: str) -> None:
    assert choose(machine, word) == kind


@pytest.mark.parametrize(
    ("machine", "word", "reason"),
    [
        ("p6e-gb200.36xlarge", "bottlerocket", "no bottlerocket image serves p6e-gb200 machines .*: take image al2023"),
        (
            "g7.8xlarge",
            "auto",
            r"no EKS image with a driver supports g7 \(it takes: own image with driver 595 or later\): take image ubuntu",
        ),
        ("p2.xlarge", "auto", "no EKS image with a driver supports p2"),
        ("g4ad.xlarge", "auto", "no EKS image serves AMD machines of family g4ad: take another machine"),
        ("m7i.large", "windows", "image 'windows' is not known: take one of auto, al2023, bottlerocket, ubuntu"),
    ],
)
def test_an_image_that_does_not_run_on_the_machine_is_refused_with_a_way_out(machine: str, word: str, reason: str) -> None:
    with pytest.raises(UnsuitableImage, match=reason):
        choose(machine, word)


def test_a_machine_of_another_cloud_has_no_ami_type() -> None:
    with pytest.raises(UnsuitableImage, match="EKS AMI types are for AWS machines"):
        ami_type(catalog.machine("gcp", "g2-standard-4"), "auto")


@pytest.mark.parametrize(
    ("kind", "driver", "device_plugin"),
    [("AL2023_x86_64_NVIDIA", True, False), ("BOTTLEROCKET_x86_64_NVIDIA", True, True), ("AL2023_x86_64_STANDARD", False, False)],
)
def test_an_image_says_what_it_ships(kind: str, driver: bool, device_plugin: bool) -> None:
    image = catalog.image("aws", kind)

    assert image is not None
    assert (image.driver, image.device_plugin) == (driver, device_plugin)


def test_the_users_own_image_says_nothing() -> None:
    own = catalog.image("aws", "CUSTOM")

    assert own is not None
    assert (own.driver, own.toolkit, own.device_plugin, own.efa) == (None, None, None, None)


def test_an_unknown_kind_is_none() -> None:
    assert catalog.image("aws", "AL2077_x86_64_NVIDIA") is None


def test_an_image_that_is_no_longer_offered_is_never_chosen() -> None:
    ended = {image.kind for image in catalog.images("aws") if not image.offered}

    chosen: set[str] = set()
    for machine in catalog.machines("aws"):
        for word in ("auto", "al2023", "bottlerocket"):
            with suppress(UnsuitableImage):
                chosen.add(ami_type(machine, word))

    assert "AL2_x86_64_GPU" in ended
    assert "AL2023_x86_64_NVIDIA" in chosen
    assert not chosen & ended
