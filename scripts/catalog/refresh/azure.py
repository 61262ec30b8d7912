"""Azure Retail Prices: one question a machine, its pages followed, everything but plain Linux hours left out.

One `armSkuName` answers with Windows, Dev/Test, Cloud Services, Low Priority, reservation and Spot meters; filters are case-sensitive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import httpx

from scripts.errors import Failed

from .offer import Market, Offer
from .polling import Api

URL = "https://prices.azure.com/api/retail/prices"
API_VERSION = "2023-01-01-preview"
NAME = "Azure Retail Prices"
MOST_PAGES = 100
"""Of one question; a machine has a few hundred meters, a page holds 100 or more."""
NOT_LINUX_VMS = ("windows", "cloudservices", "cloud services", "low priority")

Item = Mapping[str, Any]


def offers(api: Api, machines: Sequence[str], regions: Sequence[str], now: datetime, *, url: str = URL) -> Iterator[Offer]:
    """Offers of the machines in the regions (() for all). Raises Failed."""
    for machine in machines:
        usable = [item for item in _items(api, url, _question(machine, regions)) if _plain_hour(item, machine)]
        yield from _in_force(usable, machine, now)


def _question(machine: str, regions: Sequence[str]) -> str:
    question = f"serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armSkuName eq '{machine}'"
    if regions:
        question += f" and ({' or '.join(f'armRegionName eq {region!r}' for region in regions)})"
    return question


def _items(api: Api, url: str, question: str) -> Iterator[Item]:
    """Items of all pages. Raises Failed when the pages lead elsewhere or never end."""
    page = api.get(url, {"api-version": API_VERSION, "$filter": question})
    for _ in range(MOST_PAGES):
        yield from page.get("Items", ())
        link = page.get("NextPageLink")
        if not link:
            return
        if httpx.URL(link).host != httpx.URL(url).host:
            raise Failed(f"{NAME} names a next page on another host ({httpx.URL(link).host}): it is not followed. Nothing was written.")
        page = api.get(link)
    raise Failed(f"{NAME} gave more than {MOST_PAGES} pages for one question. Nothing was written.")


def _plain_hour(item: Item, machine: str) -> bool:
    words = " ".join(str(item.get(field, "")) for field in ("productName", "skuName", "meterName")).casefold()
    return (
        item.get("armSkuName") == machine
        and item.get("type") == "Consumption"
        and item.get("currencyCode") == "USD"
        and item.get("unitOfMeasure") == "1 Hour"
        and not item.get("tierMinimumUnits")
        and not any(word in words for word in NOT_LINUX_VMS)
    )


def _in_force(items: Iterable[Item], machine: str, now: datetime) -> Iterator[Offer]:
    """Of each region and market the prices with the latest start that has come: the list holds past and announced ones too."""
    latest: dict[tuple[str, Market], tuple[datetime, list[Item]]] = {}
    for item in items:
        starts = datetime.fromisoformat(str(item["effectiveStartDate"]))
        if starts > now:
            continue
        key = (str(item["armRegionName"]), _market(item))
        held = latest.get(key)
        if held is None or starts > held[0]:
            latest[key] = (starts, [item])
        elif starts == held[0]:
            held[1].append(item)
    for (region, market), (_, current) in latest.items():
        for item in current:
            yield Offer(machine=machine, region=region, market=market, usd=float(item["retailPrice"]), source="live-azure-retail")


def _market(item: Item) -> Market:
    return "spot" if "spot" in f"{item.get('skuName', '')} {item.get('meterName', '')}".casefold() else "on_demand"
