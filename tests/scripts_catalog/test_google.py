from __future__ import annotations

import pytest

from components import catalog
from scripts.catalog.refresh import google
from scripts.catalog.refresh.offer import Offer
from scripts.errors import Failed

from .doubles import Google, sku

A3 = [
    sku("A3 Instance Core running in Americas", 0.03, "us-central1"),
    sku("A3 Instance Ram running in Americas", 0.002, "us-central1", unit="GiBy.h"),
    sku("Nvidia H100 80GB GPU running in Americas", 9.8, "us-central1"),
    sku("SSD backed Local Storage", 0.08, "us-central1", unit="GiBy.mo"),
]
LOOKALIKES = [
    sku("Commitment v1: Nvidia H100 80GB GPU running in Americas for 1 Year", 5.0, "us-central1"),
    sku("Nvidia H100 80GB GPU attached to DWS Defined Duration VMs running in Americas", 4.2, "us-central1"),
    sku("Reserved Nvidia H100 80GB GPU in Americas in Calendar Mode", 4.8, "us-central1"),
    sku("A3 Instance Core running in Americas for DWS Defined Duration", 0.01, "us-east9"),
    sku("SSD backed Local Storage attached to DWS Defined Duration VMs", 0.01, "us-central1", unit="GiBy.mo"),
]


def read(serve, api, machine: str, *skus: dict) -> list[Offer]:
    return list(google.offers(api(), [catalog.machine("gcp", machine)], url=serve(Google(skus))))


def test_a_machine_costs_the_sum_of_its_parts(serve, api) -> None:
    (offer,) = read(serve, api, "a3-highgpu-8g", *A3)

    assert offer.usd == pytest.approx(208 * 0.03 + 1872 * 0.002 + 8 * 9.8 + 6000 * 0.08 / 730)
    assert (offer.region, offer.market) == ("us-central1", "on_demand")
    assert offer.notes == "whole machine: vCPU + RAM + GPU + attached local SSD"


def test_parts_as_the_catalogue_notes_them_sum_to_the_price_that_it_lists(serve, api) -> None:
    """Rates from the note of the flex-start row of a2-highgpu-1g, whose discount of 45 % is taken off again."""
    rates = [
        sku("A2 Instance Core running in Americas", 0.20868 / 12 / 0.55, "us-central1"),
        sku("A2 Instance Ram running in Americas", 0.19805 / 85 / 0.55, "us-central1", unit="GiBy.h"),
        sku("Nvidia Tesla A100 GPU running in Americas", 1.61365 / 0.55, "us-central1"),
    ]
    listed = catalog.price("gcp", "us-central1", "a2-highgpu-8g")

    (offer,) = read(serve, api, "a2-highgpu-8g", *rates)

    assert listed is not None
    assert listed.on_demand is not None
    assert offer.usd == pytest.approx(listed.on_demand.usd, rel=0.001)


def test_commitments_calendar_mode_and_flex_start_are_other_things(serve, api) -> None:
    assert read(serve, api, "a3-highgpu-8g", *A3, *LOOKALIKES) == read(serve, api, "a3-highgpu-8g", *LOOKALIKES, *A3)
    assert read(serve, api, "a3-highgpu-8g", *LOOKALIKES) == []


def test_the_description_makes_a_meter_spot_whatever_its_usage_type(serve, api) -> None:
    spot = [
        sku("Spot Preemptible G2 Instance Core running in Americas", 0.01, "us-central1", usage="OnDemand"),
        sku("Spot Preemptible G2 Instance Ram running in Americas", 0.001, "us-central1", unit="GiBy.h", usage="OnDemand"),
        sku("Nvidia L4 GPU attached to Spot Preemptible VMs running in Americas", 0.2, "us-central1", usage="OnDemand"),
    ]

    (offer,) = read(serve, api, "g2-standard-4", *spot)

    assert offer.market == "spot"
    assert offer.usd == pytest.approx(4 * 0.01 + 16 * 0.001 + 0.2)
    assert offer.notes == "whole machine: vCPU + RAM + GPU"


@pytest.mark.parametrize("name", ["Nvidia H100 80GB Mega", "Nvidia H100 80GB Plus"])
def test_the_gpu_of_a3_mega_has_two_names(serve, api, name: str) -> None:
    skus = [
        sku("A3Plus Instance Core running in Tokyo", 0.03, "asia-northeast1"),
        sku("A3Plus Instance Ram running in Tokyo", 0.002, "asia-northeast1", unit="GiBy.h"),
        sku(f"{name} GPU running in Tokyo", 10.3, "asia-northeast1"),
        sku("SSD backed Local Storage in Tokyo", 0.1, "asia-northeast1", unit="GiBy.mo"),
    ]

    (offer,) = read(serve, api, "a3-megagpu-8g", *skus)

    assert offer.region == "asia-northeast1"


@pytest.mark.parametrize("missing", range(4))
def test_a_region_without_one_of_the_parts_has_no_price(serve, api, missing: int) -> None:
    assert read(serve, api, "a3-highgpu-8g", *A3[:missing], *A3[missing + 1 :]) == []


def test_a_price_in_tiers_or_in_another_unit_is_not_a_machines(serve, api) -> None:
    tiered = sku("Nvidia H100 80GB GPU running in Americas", 1.0, "us-central1")
    tiered["pricingInfo"][0]["pricingExpression"]["tieredRates"] *= 2
    monthly = sku("Nvidia H100 80GB GPU running in Americas", 7000.0, "us-central1", unit="mo")

    assert read(serve, api, "a3-highgpu-8g", *A3[:2], A3[3], tiered, monthly) == []


def test_one_meter_with_two_prices_stops_the_cloud(serve, api) -> None:
    with pytest.raises(Failed, match=r"lists 'Nvidia H100 80GB GPU running in Americas' twice in us-central1, at 9\.8 and 4\.2"):
        read(serve, api, "a3-highgpu-8g", *A3, sku("Nvidia H100 80GB GPU running in Americas", 4.2, "us-central1"))


def test_families_whose_meters_are_not_established_get_no_price(serve, api) -> None:
    assert read(serve, api, "a4-highgpu-8g", sku("A4 Nvidia B200 (1 gpu slice) running in Americas", 16.11, "us-central1")) == []


def test_pages_are_followed(serve, api) -> None:
    double = Google(A3)
    double.page = 1

    offers = list(google.offers(api(), [catalog.machine("gcp", "a3-highgpu-8g")], url=serve(double)))

    assert len(offers) == 1
    assert [asked.query.get("pageToken") for asked in double.asked] == [None, "1", "2", "3"]
    assert {asked.path for asked in double.asked} == {"/v1/services/6F81-5844-456A/skus"}


def test_the_credential_travels_as_a_header() -> None:
    assert google.headers("key", "token") == {"X-Goog-Api-Key": "key"}
    assert google.headers(None, "token") == {"Authorization": "Bearer token"}
    with pytest.raises(Failed, match="set GOOGLE_API_KEY, or GOOGLE_OAUTH_ACCESS_TOKEN"):
        google.headers(None, "")


def test_every_family_with_known_meters_is_a_family_of_the_catalogue() -> None:
    assert set(google.PARTS) <= {machine.family for machine in catalog.machines("gcp")}
    for machine in catalog.machines("gcp"):
        if (parts := google.PARTS.get(machine.family)) and parts.local_ssd:
            assert machine.nvme_gib, machine.name
