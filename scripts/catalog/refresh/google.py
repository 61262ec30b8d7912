"""Google Cloud Billing Catalog: the price of a machine is the sum of its vCPU, memory, GPU and local SSD meters.

The description decides what a meter is. `usageType` does not: spot meters of new GPUs carry `OnDemand`. Commitments, calendar mode and
flex-start ("DWS Defined Duration") have descriptions of their own and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from components.catalog import Machine
from scripts.errors import Failed

from .offer import Market, Offer
from .polling import Api

URL = "https://cloudbilling.googleapis.com"
COMPUTE = "/v1/services/6F81-5844-456A/skus"
"""The service id of Compute Engine."""
NAME = "The Google Cloud Billing Catalog"
PERMISSION = "the Cloud Billing API to be enabled in the project of the key or token"
PAGE = 5000
MOST_PAGES = 50
HOURS_A_MONTH = 730
"""As Google's price pages count; local SSD is listed by the month."""


@dataclass(frozen=True)
class Parts:
    """Names of a family's meters. Only families whose meters are known: others keep the prices that they have."""

    core: str
    gpus: tuple[str, ...]
    """A3 Mega's GPU is called "Plus" in some regions."""
    local_ssd: bool = False
    """Whether the machine comes with its local SSD (`Machine.nvme_gib`) and pays for it."""


PARTS: Mapping[str, Parts] = {
    "a2-highgpu": Parts("A2", ("Nvidia Tesla A100",)),
    "a2-megagpu": Parts("A2", ("Nvidia Tesla A100",)),
    "a2-ultragpu": Parts("A2", ("Nvidia Tesla A100 80GB",), local_ssd=True),
    "a3-highgpu": Parts("A3", ("Nvidia H100 80GB",), local_ssd=True),
    "a3-megagpu": Parts("A3Plus", ("Nvidia H100 80GB Mega", "Nvidia H100 80GB Plus"), local_ssd=True),
    "g2-standard": Parts("G2", ("Nvidia L4",)),
}

SSD = "local ssd"
_UNITS = {"core": "h", "ram": "GiBy.h", "gpu": "h", SSD: "GiBy.mo"}
_VM = re.compile(r"(?P<spot>Spot Preemptible )?(?P<name>\w+) Instance (?P<part>Core|Ram) running in .+")
_GPU = re.compile(r"(?P<name>.+) GPU (?P<spot>attached to Spot Preemptible VMs )?running in .+")
_SSD = re.compile(r"SSD backed Local Storage(?P<spot> attached to Spot Preemptible VMs)?( in .+)?")

Meter = tuple[str, str, Market]
"""part, name, market."""
Rates = dict[Meter, dict[str, float]]
"""USD by region: an hour of a vCPU, GiB or GPU; a month of a GiB of local SSD."""


def headers(key: str | None, token: str | None) -> dict[str, str]:
    """The credential as a header, so that no address, log or error holds it. Raises Failed without one."""
    if key:
        return {"X-Goog-Api-Key": key}
    if token:
        return {"Authorization": f"Bearer {token}"}
    raise Failed(f"{NAME} takes an API key or a token: set GOOGLE_API_KEY, or GOOGLE_OAUTH_ACCESS_TOKEN to a token. Nothing was written.")


def offers(api: Api, machines: Iterable[Machine], *, url: str = URL) -> Iterator[Offer]:
    """Offers of the machines whose meters are known, in every region that has them all. Raises Failed."""
    rates = _rates(_skus(api, url))
    for machine in machines:
        if parts := PARTS.get(machine.family):
            yield from _offers(machine, parts, "on_demand", rates)
            yield from _offers(machine, parts, "spot", rates)


def _skus(api: Api, url: str) -> Iterator[Mapping[str, Any]]:
    params = {"currencyCode": "USD", "pageSize": str(PAGE)}
    for _ in range(MOST_PAGES):
        page = api.get(f"{url}{COMPUTE}", params)
        yield from page.get("skus", ())
        if not page.get("nextPageToken"):
            return
        params["pageToken"] = str(page["nextPageToken"])
    raise Failed(f"{NAME} gave more than {MOST_PAGES} pages. Nothing was written.")


def _rates(skus: Iterable[Mapping[str, Any]]) -> Rates:
    rates: Rates = {}
    for sku in skus:
        meter = _meter(str(sku.get("description", "")))
        usd = _usd(sku, _UNITS[meter[0]]) if meter else None
        if meter is None or usd is None:
            continue
        by_region = rates.setdefault(meter, {})
        for region in sku.get("serviceRegions", ()):
            if by_region.setdefault(region, usd) != usd:
                raise Failed(
                    f"{NAME} lists {sku['description']!r} twice in {region}, at {by_region[region]:g} and {usd:g}. Nothing was written."
                )
    return rates


def _meter(description: str) -> Meter | None:
    if found := _VM.fullmatch(description):
        return (found["part"].casefold(), found["name"], _market(found))
    if found := _SSD.fullmatch(description):
        return (SSD, SSD, _market(found))
    if found := _GPU.fullmatch(description):
        return ("gpu", found["name"], _market(found))
    return None


def _market(found: re.Match[str]) -> Market:
    return "spot" if found["spot"] else "on_demand"


def _usd(sku: Mapping[str, Any], unit: str) -> float | None:
    """The one rate of the newest price; None for another unit and for prices in tiers, which no machine has."""
    expression = sku["pricingInfo"][-1]["pricingExpression"]
    rates = expression["tieredRates"]
    if expression.get("usageUnit") != unit or len(rates) != 1:
        return None
    price = rates[0]["unitPrice"]
    return int(price.get("units", 0)) + price.get("nanos", 0) / 1e9


def _offers(machine: Machine, parts: Parts, market: Market, rates: Rates) -> Iterator[Offer]:
    core, ram = (rates.get((part, parts.core, market), {}) for part in ("core", "ram"))
    gpu = {region: usd for name in parts.gpus for region, usd in rates.get(("gpu", name, market), {}).items()}
    disk = rates.get((SSD, SSD, market), {})
    for region in sorted(core.keys() & ram.keys() & gpu.keys()):
        ssd_gib = machine.nvme_gib or 0 if parts.local_ssd else 0
        if ssd_gib and region not in disk:
            continue
        usd = machine.vcpus * core[region] + machine.memory_gib * ram[region] + machine.gpu_count * gpu[region]
        usd += ssd_gib * disk.get(region, 0) / HOURS_A_MONTH
        notes = f"whole machine: vCPU + RAM + GPU{' + attached local SSD' if ssd_gib else ''}"
        yield Offer(machine=machine.name, region=region, market=market, usd=usd, source="live-google-billing", notes=notes)
