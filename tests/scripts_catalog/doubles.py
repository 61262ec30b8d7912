"""What the three price lists answer, in their own forms. Prices are made up from the catalogue's, so that they are plausible."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .server import Answer, Asked

START = "2026-11-01T00:00:00Z"


def product(machine: str, region: str, usd: float | str, **attributes: str) -> str:
    """One product of the AWS Price List."""
    plain = {
        "instanceType": machine, "regionCode": region, "locationType": "AWS Region", "operatingSystem": "Linux", "tenancy": "Shared",
        "preInstalledSw": "NA", "capacitystatus": "Used", "marketoption": "OnDemand",
    }  # fmt: skip
    dimension = {"unit": "Hrs", "pricePerUnit": {"USD": str(usd)}, "beginRange": "0", "endRange": "Inf"}
    terms = {"OnDemand": {"A.B": {"priceDimensions": {"A.B.C": dimension}}}}
    return json.dumps({"product": {"attributes": {**plain, **attributes}}, "terms": terms})


class Aws:
    """Price List and EC2 behind one address. `spot` is (machine, region) to zone prices; the region is that of the signature."""

    def __init__(self, products: Iterable[str], spot: Mapping[tuple[str, str], Mapping[str, float]] | None = None) -> None:
        self.products = list(products)
        self.spot = spot or {}
        self.regions = sorted({json.loads(p)["product"]["attributes"]["regionCode"] for p in self.products})
        self.page = 100
        self.asked: list[Asked] = []

    def __call__(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        if asked.target == "GetProducts":
            return self._get_products(json.loads(asked.body))
        action = asked.form["Action"]
        return Answer(self._regions() if action == "DescribeRegions" else self._history(asked))

    def _get_products(self, body: Mapping[str, Any]) -> Answer:
        machine = next(f["Value"] for f in body["Filters"] if f["Field"] == "instanceType")
        found = [p for p in self.products if json.loads(p)["product"]["attributes"]["instanceType"] == machine]
        first = int(body.get("NextToken", 0))
        more = {"NextToken": str(first + self.page)} if first + self.page < len(found) else {}
        return Answer({"FormatVersion": "aws_v1", "PriceList": found[first : first + self.page], **more})

    def _regions(self) -> str:
        items = "".join(f"<item><regionName>{region}</regionName></item>" for region in self.regions)
        return f"<DescribeRegionsResponse><regionInfo>{items}</regionInfo></DescribeRegionsResponse>"

    def _history(self, asked: Asked) -> str:
        region = asked.headers["authorization"].split("Credential=")[1].split("/")[2]
        wanted = {value for name, value in asked.form.items() if name.startswith("InstanceType.")}
        items = "".join(
            f"<item><instanceType>{machine}</instanceType><productDescription>Linux/UNIX</productDescription><spotPrice>{usd}</spotPrice>"
            f"<timestamp>{START}</timestamp><availabilityZone>{zone}</availabilityZone></item>"
            for (machine, at), zones in self.spot.items()
            if at == region and machine in wanted
            for zone, usd in zones.items()
        )
        return f"<DescribeSpotPriceHistoryResponse><spotPriceHistorySet>{items}</spotPriceHistorySet></DescribeSpotPriceHistoryResponse>"


def meter(machine: str, region: str, usd: float, **fields: object) -> dict[str, object]:
    """One item of Azure Retail Prices: a plain Linux hour."""
    short = machine.removeprefix("Standard_").replace("_", " ")
    plain: dict[str, object] = {
        "currencyCode": "USD", "retailPrice": usd, "unitPrice": usd, "armRegionName": region, "armSkuName": machine, "tierMinimumUnits": 0.0,
        "meterName": short, "skuName": short, "productName": "Virtual Machines ND Series", "serviceName": "Virtual Machines",
        "unitOfMeasure": "1 Hour", "type": "Consumption", "effectiveStartDate": START, "isPrimaryMeterRegion": True,
    }  # fmt: skip
    return {**plain, **fields}


class Azure:
    """Answers by the machine of the filter, a page at a time."""

    def __init__(self, items: Iterable[Mapping[str, object]]) -> None:
        self.items = list(items)
        self.page = 100
        self.base = ""
        self.asked: list[Asked] = []

    def __call__(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        question = asked.query["$filter"]
        found = [item for item in self.items if f"armSkuName eq '{item['armSkuName']}'" in question]
        first = int(asked.query.get("$skip", 0))
        last = first + self.page
        link = f"{self.base}?$filter={question}&$skip={last}" if last < len(found) else None
        return Answer({"Items": found[first:last], "NextPageLink": link, "Count": len(found[first:last])})


def sku(description: str, usd: float, *regions: str, unit: str = "h", usage: str = "OnDemand") -> dict[str, Any]:
    """One SKU of the Google Cloud Billing Catalog."""
    units = int(usd)
    price = {"currencyCode": "USD", "units": str(units), "nanos": round((usd - units) * 1e9)}
    expression = {"usageUnit": unit, "tieredRates": [{"startUsageAmount": 0, "unitPrice": price}]}
    return {
        "skuId": description.replace(" ", "-"),
        "description": description,
        "category": {"resourceFamily": "Compute", "usageType": usage},
        "serviceRegions": list(regions),
        "pricingInfo": [{"effectiveTime": START, "pricingExpression": expression}],
    }


class Google:
    def __init__(self, skus: Iterable[Mapping[str, Any]]) -> None:
        self.skus = list(skus)
        self.page = 1000
        self.asked: list[Asked] = []

    def __call__(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        first = int(asked.query.get("pageToken", 0))
        last = first + self.page
        return Answer({"skus": self.skus[first:last], "nextPageToken": str(last) if last < len(self.skus) else ""})
