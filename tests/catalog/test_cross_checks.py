"""The catalogue against data that others publish in their packages. Every disagreement is listed here with its reason."""

import gzip
import json
from functools import cache
from importlib.resources import files
from typing import Any

import botocore.session
import pytest

from components import catalog
from components.catalog import Machine
from components.catalog.fabric import layout

Description = dict[str, Any]

NOT_DESCRIBED_ANY_MORE = {"dl1", "g2", "g3", "g3s", "g4ad", "p2", "p3"}
"""Families whose types the listing of 2026-10-27 no longer has (of p3, p3dn is still there)."""

NEVER_DESCRIBED = {"p6e-gb200.36xlarge"}

LEFT_OUT_FAMILIES = {"mac1", "mac2", "mac2-m1ultra", "mac2-m2", "mac2-m2pro", "mac-m4", "mac-m4pro", "mac-m4max", "mac-m3ultra"}
"""They run no Linux nodes."""

MEMORY_PER_TRAINIUM2_GIB = 96
"""The API prints 512 GiB per device; the devices and the vendor's documentation say 96."""


@cache
def described() -> dict[str, Description]:
    """EC2's own description of each type, as moto packages it."""
    packed = files("moto").joinpath("ec2/resources/instance_types.json.gz").read_bytes()
    return json.loads(gzip.decompress(packed))


def aws(name: str) -> Machine:
    return catalog.machine("aws", name)


def common() -> list[str]:
    return [name for name in described() if catalog.find_machine("aws", name)]


def test_every_linux_type_that_ec2_describes_is_a_machine() -> None:
    missing = {name.split(".")[0] for name in described() if catalog.find_machine("aws", name) is None}

    assert missing <= LEFT_OUT_FAMILIES


def test_machines_that_ec2_does_not_describe_are_gone_or_known_from_documents() -> None:
    extra = {machine.name for machine in catalog.machines("aws")} - set(described())

    assert {name.split(".")[0] for name in extra - NEVER_DESCRIBED} == NOT_DESCRIBED_ANY_MORE
    assert extra >= NEVER_DESCRIBED


def test_vcpus_memory_and_architecture_agree() -> None:
    for name in common():
        theirs, ours = described()[name], aws(name)
        assert ours.vcpus == theirs["VCpuInfo"]["DefaultVCpus"], name
        assert ours.memory_gib == pytest.approx(theirs["MemoryInfo"]["SizeInMiB"] / 1024), name
        assert ours.arch in theirs["ProcessorInfo"]["SupportedArchitectures"], name


def test_gpu_counts_agree() -> None:
    for name in common():
        for gpu in described()[name].get("GpuInfo", {}).get("Gpus", []):
            share = gpu["GpuPartitionSize"] * gpu["LogicalGpuCount"]
            assert aws(name).gpu_count == share, name
            assert aws(name).gpu_memory_gib == pytest.approx(gpu["MemoryInfo"]["SizeInMiB"] / 1024, rel=0.01), name


def test_neuron_device_counts_agree_where_the_api_has_them() -> None:
    for name in common():
        for device in described()[name].get("NeuronInfo", {}).get("NeuronDevices", []):
            assert aws(name).gpu_count == device["Count"], name
            if device["Name"] == "Trainium2":
                assert aws(name).gpu_memory_gib == MEMORY_PER_TRAINIUM2_GIB, name
            else:
                assert aws(name).gpu_memory_gib == device["MemoryInfo"]["SizeInMiB"] / 1024, name


def test_no_machine_without_accelerators_has_any_in_the_api() -> None:
    kinds = ("GpuInfo", "NeuronInfo", "InferenceAcceleratorInfo", "FpgaInfo", "MediaAcceleratorInfo")
    told = {"trn2u.48xlarge"}  # the API leaves its devices out, the vendor's documentation has 16

    for name in common():
        assert aws(name).accelerated == (any(described()[name].get(kind) for kind in kinds) or name in told), name


def test_cards_take_efa_and_interfaces_as_the_api_says() -> None:
    for name in common():
        network = described()[name]["NetworkInfo"]
        theirs = [
            (c["NetworkCardIndex"], "efa-only" in c["InterfaceTypes"], c["MaximumNetworkInterfaces"]) for c in network["NetworkCards"]
        ]
        assert [(c.index, c.efa, c.max_interfaces) for c in aws(name).cards] == sorted(theirs), name


@pytest.mark.failure("A5")
def test_a_layout_has_as_many_efa_interfaces_as_the_api_allows() -> None:
    for name in common():
        allowed = described()[name]["NetworkInfo"].get("EfaInfo", {}).get("MaximumEfaInterfaces", 0)
        assert sum(slot.kind != "interface" for slot in layout(aws(name))) == allowed, name


@pytest.mark.failure("A2")
def test_a_layout_has_no_more_interfaces_on_a_card_than_the_api_allows() -> None:
    for name in common():
        bounds = {card["NetworkCardIndex"]: card["MaximumNetworkInterfaces"] for card in described()[name]["NetworkInfo"]["NetworkCards"]}
        assert all(slot.device < bounds[slot.card] for slot in layout(aws(name))), name


def test_ways_of_buying_agree() -> None:
    for name in common():
        classes = described()[name]["SupportedUsageClasses"]
        assert aws(name).spot == ("spot" in classes), name
        assert bool(aws(name).capacity_block) == ("capacity-block" in classes), name


def test_the_eks_api_knows_every_image_kind() -> None:
    kinds = set(botocore.session.get_session().get_service_model("eks").shape_for("AMITypes").enum)

    ours = {image.kind for image in catalog.images("aws")}

    assert ours <= kinds
    assert {kind for kind in kinds - ours if not kind.startswith("WINDOWS_")} == set()
