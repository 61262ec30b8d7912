from __future__ import annotations

import pytest

from scripts.catalog.refresh import azure
from scripts.catalog.refresh.offer import Offer
from scripts.errors import Failed

from .conftest import NOW
from .doubles import START, Azure, meter
from .server import Answer

H100 = "Standard_ND96isr_H100_v5"


def read(serve, api, *items: dict[str, object], regions: tuple[str, ...] = (), page: int = 100) -> tuple[list[Offer], Azure]:
    double = Azure(items)
    double.page = page
    double.base = serve(double)
    return list(azure.offers(api(), [H100], regions, NOW, url=double.base)), double


def test_a_plain_linux_hour_is_an_offer(serve, api) -> None:
    offers, _ = read(serve, api, meter(H100, "eastus", 98.32))

    assert offers == [Offer(machine=H100, region="eastus", market="on_demand", usd=98.32, source="live-azure-retail")]


@pytest.mark.parametrize("where", ["skuName", "meterName"])
def test_a_spot_meter_is_a_spot_offer(serve, api, where: str) -> None:
    offers, _ = read(serve, api, meter(H100, "eastus", 19.6, **{where: "ND96isr H100 v5 Spot"}))

    assert [offer.market for offer in offers] == ["spot"]


@pytest.mark.parametrize(
    "fields",
    [
        {"productName": "Virtual Machines ND Series Windows"},
        {"productName": "ND Series Cloud Services"},
        {"productName": "NDv5 Series CloudServices"},
        {"skuName": "ND96isr H100 v5 Low Priority"},
        {"type": "DevTestConsumption"},
        {"type": "Reservation"},
        {"unitOfMeasure": "1 Month"},
        {"currencyCode": "EUR"},
        {"tierMinimumUnits": 100.0},
        {"armSkuName": H100.casefold()},
        {"effectiveStartDate": "2026-12-24T00:00:00Z"},
    ],
)
def test_every_other_meter_of_the_name_is_left_out(serve, api, fields: dict[str, object]) -> None:
    offers, _ = read(serve, api, meter(H100, "eastus", 1.0, **fields), meter(H100, "eastus", 98.32))

    assert [offer.usd for offer in offers] == [98.32]


def test_of_several_starts_the_latest_that_has_come_counts(serve, api) -> None:
    old = meter(H100, "eastus", 90.0, effectiveStartDate="2025-01-01T00:00:00Z")

    offers, _ = read(serve, api, meter(H100, "eastus", 98.32, effectiveStartDate=START), old)

    assert [offer.usd for offer in offers] == [98.32]


def test_two_prices_in_force_at_once_are_both_given_for_judgement(serve, api) -> None:
    offers, _ = read(serve, api, meter(H100, "eastus", 98.32), meter(H100, "eastus", 12.0))

    assert sorted(offer.usd for offer in offers) == [12.0, 98.32]


def test_pages_are_followed_to_the_end(serve, api) -> None:
    regions = [f"region{at}" for at in range(7)]

    offers, double = read(serve, api, *(meter(H100, region, 98.32) for region in regions), page=2)

    assert [offer.region for offer in offers] == regions
    assert len(double.asked) == 4


def test_the_filter_spells_names_exactly_since_the_service_compares_case(serve, api) -> None:
    _, double = read(serve, api, meter(H100, "eastus", 98.32), regions=("eastus", "westeurope"))

    assert double.asked[0].query["api-version"] == "2023-01-01-preview"
    assert double.asked[0].query["$filter"] == (
        "serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armSkuName eq 'Standard_ND96isr_H100_v5'"
        " and (armRegionName eq 'eastus' or armRegionName eq 'westeurope')"
    )


def test_a_next_page_on_another_host_is_not_followed(serve, api) -> None:
    url = serve(lambda _: Answer({"Items": [], "NextPageLink": "http://192.0.2.1/prices"}))

    with pytest.raises(Failed, match="another host"):
        list(azure.offers(api(), [H100], (), NOW, url=url))


def test_pages_that_never_end_are_left(serve, api) -> None:
    links: list[str] = []
    url = serve(lambda _: Answer({"Items": [], "NextPageLink": links[0]}))
    links.append(url)

    with pytest.raises(Failed, match="more than 100 pages"):
        list(azure.offers(api(), [H100], (), NOW, url=url))
