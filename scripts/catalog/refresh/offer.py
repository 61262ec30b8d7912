"""What a cloud asks for one machine in one region, bought in one way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Market = Literal["on_demand", "spot"]
Key = tuple[str, str, str]
"""machine, region, market: what makes a row of a price table unique."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """US dollars an hour for the whole machine under Linux, before tax and discounts."""

    machine: str
    region: str
    market: Market
    usd: float
    """Of spot with several zones: the cheapest."""
    usd_high: float | None = None
    """Of spot with several zones: the dearest."""
    source: str
    """Key of a live source in `SOURCES`."""
    notes: str = ""

    @property
    def key(self) -> Key:
        return (self.machine, self.region, self.market)

    @property
    def highest(self) -> float:
        return self.usd if self.usd_high is None else self.usd_high


SOURCES = {
    "live-aws-price-list": "AWS Price List Query API, read by gpukit catalog refresh",
    "live-aws-spot": "EC2 DescribeSpotPriceHistory, read by gpukit catalog refresh",
    "live-azure-retail": "Azure Retail Prices API, read by gpukit catalog refresh",
    "live-google-billing": "Google Cloud Billing Catalog API, read by gpukit catalog refresh",
}
"""Words for the rows of data/sources.csv that refreshed prices name."""
