"""Managed file systems of a fixed size, and buckets, whose bill no plan knows."""

from __future__ import annotations

from components.inventory import Bucket, Cloud, FileSystem
from components.pricing import Terms
from components.resource import name_of
from components.unknown import Unknown

from .lines import priced, service_figure, single
from .result import Entry, Kind, Missing

_BUCKETS: dict[Cloud, tuple[str, str]] = {
    "aws": ("s3", "standard_gb_month"),
    "gcp": ("cloud_storage", "standard"),
    "azure": ("blob_storage", "hot_lrs"),
}


def file_system(system: FileSystem, terms: Terms) -> Entry:
    what = f"file system {name_of(system.urn)}"
    unknown = next((fact for fact in (system.gib, system.tier) if isinstance(fact, Unknown)), None)
    if unknown is not None or isinstance(system.gib, Unknown) or isinstance(system.tier, Unknown):
        return Missing(urn=system.urn, what=what, reason=str(unknown))
    service, _, sku = system.tier.partition("/")
    figure = service_figure(system.cloud, system.region, service, sku)
    return single(system.urn, Kind.FILE_SYSTEM, f"file system, {system.gib:g} GiB", priced(figure, terms, system.gib))


def bucket(found: Bucket) -> Missing:
    """What a bucket holds decides its bill: said with the price of a unit, never counted as nothing."""
    figure = service_figure(found.cloud, found.region, *_BUCKETS[found.cloud])
    price = f"{figure.usd:g} USD per {_unit(figure.unit)} and month, {figure.source}, of {figure.as_of or 'no date'}" if figure else ""
    known = price or "price not known here"
    return Missing(urn=found.urn, what=f"bucket {name_of(found.urn)}", reason=f"billed by what it will hold, which no plan knows ({known})")


def _unit(unit: str) -> str:
    return "GiB" if unit.startswith("gib") else "GB"
