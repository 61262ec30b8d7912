import pytest

from components import catalog
from components.inventory import Market


def codes(cloud: str, machine: str, market: Market) -> list[str]:
    return [quota.code for quota in catalog.quotas_for(catalog.machine(cloud, machine), market)]


@pytest.mark.parametrize(
    ("machine", "on_demand", "spot"),
    [
        ("p4d.24xlarge", "L-417A185B", "L-7212CCBC"),
        ("p5.48xlarge", "L-417A185B", "L-C4BD4855"),
        ("g5.2xlarge", "L-DB2E81BA", "L-3819A6DF"),
        ("trn1.32xlarge", "L-2C3B7624", "L-6B0D517C"),
        ("inf2.xlarge", "L-1945791B", "L-B5D1601B"),
        ("m7i.large", "L-1216C47A", "L-34B43A08"),
    ],
)
def test_on_demand_and_spot_count_against_different_quotas(machine: str, on_demand: str, spot: str) -> None:
    assert codes("aws", machine, Market.ON_DEMAND) == [on_demand]
    assert codes("aws", machine, Market.SPOT) == [spot]


def test_a_reservation_counts_against_on_demand() -> None:
    assert codes("aws", "p5.48xlarge", Market.RESERVATION) == codes("aws", "p5.48xlarge", Market.ON_DEMAND)


def test_a_capacity_block_counts_against_no_quota() -> None:
    assert codes("aws", "p5.48xlarge", Market.CAPACITY_BLOCK) == []


def test_quotas_that_sources_disagree_about_come_as_candidates() -> None:
    candidates = catalog.quotas_for(catalog.machine("aws", "p6-b200.48xlarge"), Market.SPOT)

    assert {quota.code for quota in candidates} == {"L-7212CCBC", "L-C4BD4855"}
    assert all(quota.ambiguous for quota in candidates)


def test_a_quota_that_is_certain_is_not_ambiguous() -> None:
    assert not any(quota.ambiguous for quota in catalog.quotas_for(catalog.machine("aws", "p5.48xlarge"), Market.SPOT))


def test_flex_start_counts_against_the_preemptible_quota() -> None:
    assert codes("gcp", "a3-megagpu-8g", Market.FLEX_START) == codes("gcp", "a3-megagpu-8g", Market.SPOT)
    assert codes("gcp", "a3-megagpu-8g", Market.FLEX_START)[0] == "PREEMPTIBLE_NVIDIA_H100_MEGA_GPUS"


def test_gpus_of_gcp_count_against_the_global_cap_too() -> None:
    assert "GPUS_ALL_REGIONS" in codes("gcp", "g2-standard-4", Market.ON_DEMAND)


def test_tpus_do_not_count_as_gpus() -> None:
    assert codes("gcp", "ct6e-standard-4t", Market.ON_DEMAND) == ["TPUS-PER-TPU-FAMILY-per-project-region tpu_family=CT6E"]


def test_azure_on_demand_needs_the_family_and_the_region() -> None:
    assert codes("azure", "Standard_ND96isr_H100_v5", Market.ON_DEMAND) == ["standardNDSH100v5Family", "cores"]


def test_azure_spot_has_one_quota_for_all_families() -> None:
    assert codes("azure", "Standard_ND96isr_H100_v5", Market.SPOT) == ["lowPriorityCores"]
    assert codes("azure", "Standard_D4s_v6", Market.SPOT) == ["lowPriorityCores"]


def test_a_quota_is_found_by_its_code() -> None:
    assert catalog.quota("aws", "L-417A185B").name == "Running On-Demand P instances"


def test_an_unknown_code_names_the_nearest() -> None:
    with pytest.raises(catalog.UnknownName) as error:
        catalog.quota("aws", "L-417A185C")

    assert "L-417A185B" in error.value.nearest
