"""The catalogue against Google's API discovery documents. Every disagreement is listed here with its reason."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

import pytest

from components import catalog
from components.catalog import gcp_networks, tpus

googleapiclient = pytest.importorskip(
    "googleapiclient", reason="google-api-python-client, whose discovery documents are compared, is not there"
)

NOT_AN_API_METRIC = {
    f"{prefix}NVIDIA_{gpu}_GPUS" for gpu in ("H100_MEGA", "H200", "B200", "GB200", "RTX_PRO_6000") for prefix in ("", "PREEMPTIBLE_")
} | {"NVIDIA_H100_GPUS"}
"""Quotas of newer GPUs that `regions.get` does not return; the Cloud Quotas API has them. What an API leaves out is unknown, not zero."""

NOT_FOR_NODE_POOLS = ("COMMITTED_", "_VWS_GPUS", "TPU_")
"""Commitments, virtual workstations, and the TPU API's own pools."""

GKE_ONLY_GENERATIONS = {"v7x (Ironwood)"}
"""The TPU API does not make them; GKE node pools do."""

NOT_FOR_GKE = {"V2"}


@cache
def document(name: str) -> dict[str, Any]:
    return json.loads(files(googleapiclient).joinpath(f"discovery_cache/documents/{name}.json").read_text(encoding="utf-8"))


def enum(api: str, schema: str, field: str) -> set[str]:
    return set(document(api)["schemas"][schema]["properties"][field]["enum"])


def test_the_regional_gpu_metrics_are_those_of_the_compute_api() -> None:
    known = enum("compute.v1", "Quota", "metric")
    ours = {quota.code for quota in catalog.quotas("gcp") if quota.code.endswith("_GPUS") and "-" not in quota.code} | {"GPUS_ALL_REGIONS"}

    assert ours - known <= NOT_AN_API_METRIC
    assert {m for m in known - ours if "GPU" in m and not any(word in m for word in NOT_FOR_NODE_POOLS)} == set()


def test_no_listed_exception_has_become_an_api_metric() -> None:
    assert NOT_AN_API_METRIC & enum("compute.v1", "Quota", "metric") == set()


def test_every_rdma_profile_is_of_a_subtype_that_the_api_has() -> None:
    subtypes = {word.casefold() for word in enum("compute.v1", "NetworkProfileProfileType", "rdmaSubtype")}
    profiles = {
        found.network_profile
        for m in catalog.machines("gcp")
        if (found := gcp_networks.gcp_networks(m)) is not None and found.network_profile
    }

    assert {profile.rpartition("-")[2] for profile in profiles} <= subtypes


def test_tpu_generations_are_those_of_the_tpu_api() -> None:
    spelt = {"v5e": "V5LITE_POD", "v5p": "V5P", "v6e": "V6E", "v3": "V3", "v4": "V4"}
    theirs = enum("tpu.v2", "AcceleratorConfig", "type") - {"TYPE_UNSPECIFIED"}
    ours = {spelt[t.generation.split()[0]] for t in tpus.tpus() if t.generation not in GKE_ONLY_GENERATIONS}

    assert ours == theirs - NOT_FOR_GKE


def test_families_that_are_sold_with_commitments_are_commitment_types() -> None:
    types = enum("compute.v1", "Commitment", "type")
    named = {
        "a2-highgpu": "ACCELERATOR_OPTIMIZED", "a3-highgpu": "ACCELERATOR_OPTIMIZED_A3", "a3-megagpu": "ACCELERATOR_OPTIMIZED_A3_MEGA",
        "a3-ultragpu": "ACCELERATOR_OPTIMIZED_A3_ULTRA", "a4-highgpu": "ACCELERATOR_OPTIMIZED_A4", "g2-standard": "GRAPHICS_OPTIMIZED",
        "g4-standard": "GRAPHICS_OPTIMIZED_G4",
    }  # fmt: skip

    assert set(named) <= {machine.family for machine in catalog.machines("gcp")}
    assert set(named.values()) <= types
    theirs = {kind for kind in types if kind.startswith(("ACCELERATOR_OPTIMIZED", "GRAPHICS_OPTIMIZED"))}
    assert theirs - set(named.values()) == {"GRAPHICS_OPTIMIZED_G4_VGPU"}, "an accelerator family that the catalogue lacks"


def test_flex_start_is_a_way_to_provision_that_the_api_has() -> None:
    models = enum("compute.v1", "Scheduling", "provisioningModel")

    assert {"FLEX_START", "SPOT", "RESERVATION_BOUND"} <= models
