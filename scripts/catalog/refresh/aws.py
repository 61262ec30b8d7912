"""AWS: on-demand from the Price List, spot from EC2's price history, both by boto3."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar

from scripts.errors import Failed

from .offer import Offer

T = TypeVar("T")

PRICE_LIST_REGION = "us-east-1"
"""The Price List answers in a few regions only, for all of them."""
PLAIN_LINUX: Mapping[str, str] = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "preInstalledSw": "NA",
    "capacitystatus": "Used",
    "marketoption": "OnDemand",
}
"""Without these an instance type answers with hundreds of products: Windows, SQL Server, dedicated, unused reservations …"""
TYPES_AT_ONCE = 100
EXPIRED = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired"})
WRONG = frozenset(
    {"InvalidClientTokenId", "UnrecognizedClientException", "AuthFailure", "InvalidSignatureException", "SignatureDoesNotMatch"}
)
DENIED = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})
BUSY = frozenset({"Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequestsException"})


class Clients(Protocol):
    """Makes a boto3 client of a service in a region."""

    def __call__(self, service: str, region: str) -> Any: ...


@dataclass
class Read:
    """What was read, and what was left out on the way."""

    offers: list[Offer] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def clients(endpoint: str | None = None) -> Clients:
    """Clients that wait and try again when AWS throttles. `endpoint` stands in for AWS (the loopback in tests)."""

    def make(service: str, region: str) -> Any:
        import boto3
        from botocore.config import Config

        config = Config(connect_timeout=10, read_timeout=60, retries={"mode": "standard", "total_max_attempts": 8})
        if endpoint is not None:
            config = config.merge(Config(proxies={}))
        return boto3.Session().client(service, region_name=region, endpoint_url=endpoint, config=config)  # pyright: ignore[reportCallIssue, reportArgumentType]  # one literal overload a service

    return make


def offers(machines: Sequence[str], regions: Sequence[str], now: datetime, make: Clients) -> Read:
    """On-demand and spot offers of the machines in the regions (() for all that sell them). Raises Failed, naming a missing permission."""
    read = Read()
    price_list = _told("read the Price List", "", lambda: make("pricing", PRICE_LIST_REGION))
    for machine in machines:
        read.offers += _told(
            f"read the price of {machine}", "pricing:GetProducts", lambda m=machine: list(_on_demand(price_list, m, regions))
        )
    wanted = sorted({offer.region for offer in read.offers} | set(regions))
    open_regions = _told("list the account's regions", "ec2:DescribeRegions", lambda: _open_regions(make))
    for region in wanted:
        if region not in open_regions:
            read.notes.append(f"no spot prices read in {region}: the account has not enabled the region")
            continue
        ask = lambda r=region: list(_spot(make("ec2", r), machines, r, now))  # noqa: E731
        read.offers += _told(f"read spot prices in {region}", "ec2:DescribeSpotPriceHistory", ask)
    return read


def _on_demand(client: Any, machine: str, regions: Sequence[str]) -> Iterator[Offer]:
    asked = {"instanceType": machine, **PLAIN_LINUX}
    filters = [{"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in asked.items()]
    for page in client.get_paginator("get_products").paginate(ServiceCode="AmazonEC2", FormatVersion="aws_v1", Filters=filters):
        for text in page["PriceList"]:
            product = json.loads(text)
            attributes = product["product"]["attributes"]
            region = attributes.get("regionCode", "")
            whole_region = attributes.get("locationType", "AWS Region") == "AWS Region"
            if whole_region and _is(attributes, asked) and (not regions or region in regions):
                yield from _hours(product, machine, region)


def _is(attributes: Mapping[str, str], asked: Mapping[str, str]) -> bool:
    """Whether the product is what was asked for: an absent attribute decides nothing."""
    return all(attributes.get(name, value) == value for name, value in asked.items())


def _hours(product: Mapping[str, Any], machine: str, region: str) -> Iterator[Offer]:
    for term in product["terms"].get("OnDemand", {}).values():
        for dimension in term["priceDimensions"].values():
            usd = dimension["pricePerUnit"].get("USD")
            if dimension["unit"] == "Hrs" and usd is not None:
                yield Offer(machine=machine, region=region, market="on_demand", usd=float(usd), source="live-aws-price-list")


def _open_regions(make: Clients) -> frozenset[str]:
    answer = make("ec2", PRICE_LIST_REGION).describe_regions(AllRegions=False)
    return frozenset(region["RegionName"] for region in answer["Regions"])


def _spot(client: Any, machines: Sequence[str], region: str, now: datetime) -> Iterator[Offer]:
    """The latest price of every zone; a history that starts now holds exactly these."""
    latest: dict[tuple[str, str], tuple[datetime, float]] = {}
    pages = client.get_paginator("describe_spot_price_history")
    for chunk in _chunks(machines):
        for page in pages.paginate(InstanceTypes=chunk, ProductDescriptions=["Linux/UNIX"], StartTime=now):
            for entry in page["SpotPriceHistory"]:
                key = (entry["InstanceType"], entry["AvailabilityZone"])
                held = latest.get(key)
                if held is None or entry["Timestamp"] > held[0]:
                    latest[key] = (entry["Timestamp"], float(entry["SpotPrice"]))
    yield from _over_zones(latest, region)


def _over_zones(latest: Mapping[tuple[str, str], tuple[datetime, float]], region: str) -> Iterator[Offer]:
    by_machine: dict[str, list[float]] = {}
    for (machine, _), (_, usd) in latest.items():
        by_machine.setdefault(machine, []).append(usd)
    for machine, prices in sorted(by_machine.items()):
        low, high = min(prices), max(prices)
        yield Offer(machine=machine, region=region, market="spot", usd=low, usd_high=high if high > low else None, source="live-aws-spot")


def _chunks(machines: Sequence[str]) -> Iterable[list[str]]:
    return [list(machines[at : at + TYPES_AT_ONCE]) for at in range(0, len(machines), TYPES_AT_ONCE)]


def _told(purpose: str, permission: str, ask: Callable[[], T]) -> T:
    """What `ask` gives. Raises Failed in one paragraph that starts with the purpose."""
    from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, SSOError, TokenRetrievalError

    try:
        return ask()
    except ClientError as error:
        raise Failed(f"AWS did not let gpukit {purpose}: {_reason(error.response['Error'], permission)} Nothing was written.") from error
    except NoCredentialsError as error:
        raise Failed(
            f"AWS cannot be asked to {purpose}: no credentials were found. Log in or set a profile; nothing was written."
        ) from error
    except (SSOError, TokenRetrievalError) as error:
        raise Failed(f"AWS cannot be asked to {purpose}: the login has expired. Log in again; nothing was written.") from error
    except BotoCoreError as error:
        raise Failed(f"AWS did not answer when asked to {purpose}: {error}. Check the network; nothing was written.") from error


def _reason(error: Mapping[str, Any], permission: str) -> str:
    code = str(error.get("Code", ""))
    if code in EXPIRED:
        return "the credentials have expired; log in again."
    if code in WRONG:
        return f"the credentials are not accepted ({code})."
    if code in DENIED:
        return f"they lack the permission {permission}."
    if code in BUSY:
        return "it limits how often it is asked, and went on doing so. Try again later."
    return f"{code}: {error.get('Message', '')}"
