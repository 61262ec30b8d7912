"""`gpukit catalog explain`: one machine in full."""

import json
from typing import Any

import pytest

from components import catalog

from .test_catalog import WIDTH, run


def explained(name: str) -> dict[str, Any]:
    done = run("explain", name, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", [m.name for m in catalog.machines() if m.accelerated] + ["m7i.large", "e2-standard-4", "Standard_D4s_v5"])
def test_every_machine_can_be_explained_in_100_columns(name: str) -> None:
    done = run("explain", name)

    assert done.exit_code == 0, done.output
    assert max(len(line) for line in done.stdout.splitlines()) <= WIDTH
    assert "good for" in done.stdout


def test_a_document_holds_everything_that_the_catalogue_knows() -> None:
    document = explained("p5.48xlarge")

    assert document["schema"] == "gpukit/catalog/explain/1"
    assert len(document["network"]["interfaces"]) == 33
    assert [quota["code"] for quota in document["quotas"]["spot"]] == ["L-C4BD4855"]
    assert {image["kind"] for image in document["images"] if image["runs"]} == {"AL2023_x86_64_NVIDIA", "BOTTLEROCKET_x86_64_NVIDIA"}
    assert all(image["reason"] for image in document["images"])
    assert {price["region"] for price in document["prices"]} >= {"us-east-1"}
    assert document["regions"]


def test_a_container_is_judged_by_the_driver_of_the_machines_default_image() -> None:
    found = {c["image"]: c for c in explained("p5.48xlarge")["containers"]}

    assert found["vllm"]["runs"] is True
    assert found["vllm"]["driver"] == "580"
    assert {c["runs"] for c in explained("p3.2xlarge")["containers"]} == {False}


def test_the_layout_is_said_in_one_line() -> None:
    assert "33 interfaces; card 0: interface + efa-only; cards 1-31: efa-only" in run("explain", "p5.48xlarge").stdout
    assert "17 interfaces; card 0: interface; cards 1-16: efa-only" in run("explain", "p6-b300.48xlarge").stdout


def test_networks_and_proof_of_a_gke_machine_are_said() -> None:
    said = run("explain", "a3-megagpu-8g").stdout

    assert "8 GPU, 0 gVNIC, 0 RDMA subnets" in said
    assert "tcpxo" in said


def test_a_machine_without_a_price_says_what_that_does() -> None:
    assert "a cost gate fails rather than count it as free" in run("explain", "a4x-highgpu-4g").stdout


def test_a_name_may_be_typed_in_any_case() -> None:
    assert explained("standard_nd96ISR_h100_v5")["machine"]["name"] == "Standard_ND96isr_H100_v5"


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("m7i.large", "system pools"),
        ("p5.48xlarge", "training over several nodes: efa"),
        ("g5.12xlarge", "training over several nodes: efa"),
        ("g6f.large", "a share of one GPU"),
        ("ct6e-standard-4t", "TPU slices"),
        ("Standard_ND96isr_MI300X_v5", "no CUDA"),
        ("a2-highgpu-4g", "training on one node: no fast fabric"),
        ("p4d.24xlarge", "MIG"),
    ],
)
def test_what_a_machine_is_good_for_follows_from_its_facts(name: str, claim: str) -> None:
    assert any(claim in line for line in explained(name)["good_for"])
