"""Demand on GCP and Azure: every quota that a node counts against, in the unit and place in which the cloud counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import catalog
from components.demand import Ask, QuotaDemand, QuotaEntry, asked, demand
from components.demand.google_ids import google_quota
from components.inventory import Cloud, GpuPool, Inventory, Market, PublicAddress
from components.unknown import Unknown
from tests.costing.pools import UNKNOWN, cpu_pool, nodes, pool, stack

CENTRAL, EAST = "us-central1", "eastus"
ALL_GPUS, ALL_CPUS = ("global", "GPUS_ALL_REGIONS"), ("global", "CPUS_ALL_REGIONS")
Needs = dict[tuple[str, str], float]


def needs(inventory: Inventory) -> Needs:
    return {(str(d.region), d.code): d.need for d in demand(inventory)}


def gpus(cloud: Cloud, machine: str, market: Market = Market.ON_DEMAND, count: int = 4) -> GpuPool:
    return pool(cloud=cloud, region=CENTRAL if cloud == "gcp" else EAST, machines=(machine,), market=market, nodes=nodes(0, count))


@pytest.mark.parametrize(
    ("machine", "market", "own", "per_node"),
    [
        ("g2-standard-48", Market.ON_DEMAND, "NVIDIA_L4_GPUS", 4),
        ("g2-standard-48", Market.SPOT, "PREEMPTIBLE_NVIDIA_L4_GPUS", 4),
        ("a2-ultragpu-8g", Market.ON_DEMAND, "NVIDIA_A100_80GB_GPUS", 8),
        ("a3-highgpu-8g", Market.ON_DEMAND, "GPUS-PER-GPU-FAMILY-per-project-region gpu_family=NVIDIA_H100", 8),
        ("a3-megagpu-8g", Market.FLEX_START, "PREEMPTIBLE_NVIDIA_H100_MEGA_GPUS", 8),
        ("a3-ultragpu-8g", Market.QUEUED, "PREEMPTIBLE_NVIDIA_H200_GPUS", 8),
        ("a4-highgpu-8g", Market.RESERVATION, "GPUS-PER-GPU-FAMILY-per-project-region gpu_family=NVIDIA_B200", 8),
    ],
)
@pytest.mark.failure("J2")
def test_google_counts_gpus_by_model_and_in_all_regions_and_no_cpus(machine: str, market: Market, own: str, per_node: int) -> None:
    assert needs(stack(gpus("gcp", machine, market))) == {(CENTRAL, own): 4 * per_node, ALL_GPUS: 4 * per_node}


@pytest.mark.parametrize(
    ("machine", "market", "own", "chips"),
    [
        ("ct6e-standard-4t", Market.ON_DEMAND, "TPUS-PER-TPU-FAMILY-per-project-region tpu_family=CT6E", 4),
        ("ct6e-standard-4t", Market.SPOT, "PREEMPTIBLE-TPU-V6E-per-project-region", 4),
        ("ct6e-standard-1t", Market.FLEX_START, "PREEMPTIBLE-TPU-V6E-per-project-region", 1),
        ("ct5p-hightpu-4t", Market.ON_DEMAND, "TPU-V5P-per-project-region", 4),
        ("ct5lp-hightpu-8t", Market.ON_DEMAND, "TPU_LITE_PODSLICE_V5", 8),
    ],
)
def test_google_counts_tpus_in_chips_by_generation(machine: str, market: Market, own: str, chips: int) -> None:
    assert needs(stack(gpus("gcp", machine, market))) == {(CENTRAL, own): 4 * chips}


@pytest.mark.parametrize(
    ("machine", "own"),
    [
        ("e2-standard-4", "CPUS"),
        ("n1-standard-4", "CPUS"),
        ("n2-standard-4", "N2_CPUS"),
        ("c3-highcpu-4", "C3_CPUS"),
        ("n4-standard-4", "CPUS-PER-VM-FAMILY-per-project-region vm_family=N4"),
    ],
)
def test_google_counts_the_cpus_of_machines_without_gpus(machine: str, own: str) -> None:
    system = cpu_pool(cloud="gcp", region=CENTRAL, machines=(machine,), nodes=nodes(1, 3))
    assert needs(stack(system)) == {(CENTRAL, own): 12, ALL_CPUS: 12}


def test_spot_cpus_of_google_are_contested() -> None:
    system = cpu_pool(cloud="gcp", region=CENTRAL, machines=("e2-standard-4",), market=Market.SPOT, nodes=nodes(1, 3))
    (found,) = demand(stack(system))
    assert (found.code, found.need, found.contested) == ("PREEMPTIBLE_CPUS", 0, 12)


def test_a_machine_whose_own_quota_is_not_established_is_unknown_though_the_project_caps_it() -> None:
    found = demand(stack(gpus("gcp", "a4x-highgpu-4g")))
    assert {d.code for d in found} == {"", "GPUS_ALL_REGIONS"}
    assert any(part.missing.reason.startswith("not established") for d in found for part in d.unknown)


def test_caps_over_all_regions_are_one_demand_for_every_region() -> None:
    west = replace(gpus("gcp", "g2-standard-48"), name="west", region="us-west1")
    assert needs(stack(gpus("gcp", "g2-standard-48"), west))[ALL_GPUS] == 32


def address(cloud: Cloud, name: str, region: str | Unknown) -> PublicAddress:
    return PublicAddress(urn=f"urn:pulumi:dev::p::t::{name}", cloud=cloud, region=region)


def test_google_counts_public_addresses_by_region() -> None:
    inventory = stack(addresses=(address("gcp", "a", CENTRAL), address("gcp", "b", CENTRAL), address("aws", "c", "us-east-1")))
    assert needs(inventory) == {(CENTRAL, "IN_USE_ADDRESSES"): 2}


def test_an_address_in_an_unknown_region_is_an_unknown_demand() -> None:
    (found,) = demand(stack(addresses=(address("gcp", "a", UNKNOWN),)))
    assert [part.missing for part in found.unknown] == [UNKNOWN]


@pytest.mark.failure("E8")
def test_azure_counts_cores_by_family_and_region() -> None:
    both = stack(
        gpus("azure", "Standard_ND96isr_H100_v5"), cpu_pool(cloud="azure", region=EAST, machines=("Standard_D4s_v5",), nodes=nodes(1, 3))
    )
    assert needs(both) == {(EAST, "standardNDSH100v5Family"): 384, (EAST, "standardDSv5Family"): 12, (EAST, "cores"): 396}


@pytest.mark.failure("E8")
def test_azure_counts_spot_nodes_of_every_family_together_and_nowhere_else() -> None:
    spot = stack(gpus("azure", "Standard_ND96isr_H100_v5", Market.SPOT), gpus("azure", "Standard_NV36ads_A10_v5", Market.SPOT))
    assert needs(spot) == {(EAST, "lowPriorityCores"): 4 * 96 + 4 * 36}


@given(st.sampled_from(["g2-standard-48", "a3-highgpu-8g", "ct6e-standard-4t"]), st.integers(0, 50), st.integers(0, 10))
def test_every_quota_grows_with_the_nodes(machine: str, maximum: int, more: int) -> None:
    small, large = (needs(stack(gpus("gcp", machine, count=count))) for count in (maximum, maximum + more))
    assert all(small[key] <= large[key] for key in small)


# --- Google's ids


@pytest.mark.parametrize(
    ("code", "quota_id", "dimensions", "metric", "everywhere"),
    [
        ("NVIDIA_L4_GPUS", "NVIDIA-L4-GPUS-per-project-region", {}, "NVIDIA_L4_GPUS", False),
        ("GPUS_ALL_REGIONS", "GPUS-ALL-REGIONS-per-project", {}, "GPUS_ALL_REGIONS", True),
        ("PREEMPTIBLE_NVIDIA_H100_GPUS", "PREEMPTIBLE-NVIDIA-H100-GPUS-per-project-region", {}, "PREEMPTIBLE_NVIDIA_H100_GPUS", False),
        (
            "GPUS-PER-GPU-FAMILY-per-project-region gpu_family=NVIDIA_H100",
            "GPUS-PER-GPU-FAMILY-per-project-region",
            {"gpu_family": "NVIDIA_H100"},
            None,
            False,
        ),
        ("PREEMPTIBLE-TPU-V6E-per-project-region", "PREEMPTIBLE-TPU-V6E-per-project-region", {}, None, False),
    ],
)
def test_a_code_is_googles_id_with_its_dimensions(
    code: str, quota_id: str, dimensions: dict[str, str], metric: str | None, everywhere: bool
) -> None:
    found = google_quota(code)
    assert (found.quota_id, dict(found.dimensions), found.metric, found.everywhere) == (quota_id, dimensions, metric, everywhere)


def test_the_place_of_every_google_quota_is_that_of_its_id() -> None:
    counted = [quota for quota in catalog.quotas("gcp") if not quota.code.startswith("TPUV")]
    assert all(google_quota(quota.code).everywhere == (quota.scope == "global") for quota in counted)


# --- what to ask for


def wanting(**changes: object) -> QuotaDemand:
    (found,) = demand(stack(pool()))
    return replace(found, **changes)  # pyright: ignore[reportArgumentType] # fields by name


def test_nothing_is_asked_for_where_it_fits() -> None:
    assert asked(wanting(), QuotaEntry(limit=384, usage=0), ["dev"]) is None


def test_the_value_is_the_demand_and_what_others_use() -> None:
    found = asked(wanting(), QuotaEntry(limit=384, usage=200, stacks={"dev": 96}), ["dev"])
    assert found is not None
    assert found.value == 384 + 104


@pytest.mark.parametrize(
    ("changes", "entry"), [({"code": ""}, QuotaEntry(limit=0, usage=0)), ({"region": UNKNOWN}, QuotaEntry(limit=0, usage=0)), ({}, None)]
)
def test_nothing_is_asked_for_where_quota_place_or_limit_is_not_known(changes: dict[str, object], entry: QuotaEntry | None) -> None:
    assert asked(wanting(**changes), entry, []) is None


@given(st.floats(0, 1e5), st.floats(0, 1e5), st.floats(0, 1))
def test_with_what_was_asked_for_the_demand_fits(limit: float, usage: float, share: float) -> None:
    """Asking and judging agree, whatever the account has."""
    entry = QuotaEntry(limit=limit, usage=usage, stacks={"dev": usage * share})
    found = asked(wanting(), entry, ["dev"])
    granted = entry if found is None else replace(entry, limit=found.value)
    room = granted.room(["dev"])
    assert isinstance(room, float)
    assert room >= wanting().need - 1e-6


def test_names_with_blanks_are_quoted_in_the_request() -> None:
    found = Ask(cloud="azure", region=EAST, code="Standard NCASv3_T4 Family", unit="vCPU", value=8)
    assert "--resource-name 'Standard NCASv3_T4 Family' --scope /subscriptions/SUBSCRIPTION/" in found.command()
