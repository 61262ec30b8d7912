"""Public addresses: Google counts those in use per region."""

from __future__ import annotations

from collections.abc import Iterator

from components import catalog
from components.inventory import Cloud, Market, PublicAddress
from components.resource import name_of
from components.unknown import Unknown

from .amounts import QuotaDemand, Unmeasured

_CODES: dict[Cloud, str] = {"gcp": "IN_USE_ADDRESSES"}


def of_address(address: PublicAddress) -> Iterator[QuotaDemand]:
    code = _CODES.get(address.cloud)
    if code is None:
        return
    name = name_of(address.urn)
    missing = address.region if isinstance(address.region, Unknown) else None
    cap = catalog.quota(address.cloud, code)
    yield QuotaDemand(
        cloud=address.cloud,
        region=address.region,
        code=cap.code,
        name=cap.name,
        unit=cap.unit,
        market=Market.ON_DEMAND,
        need=1.0,
        pools=(name,),
        unknown=() if missing is None else (Unmeasured(urn=address.urn, name=name, missing=missing),),
    )
