"""Block storage: root disks that follow their nodes, and volumes of their own. Each cloud prices it in its own way.

AWS and GCP bill by size; Azure Premium and Standard SSD by the tier into which a size falls, the larger when it lies between two.
"""

from __future__ import annotations

from collections.abc import Iterator

from components.catalog import Figure
from components.inventory import Cloud, Disk, NodePool
from components.pricing import Terms
from components.resource import name_of
from components.unknown import Maybe, Unknown, known

from .lines import Price, following, priced, service_figure, single
from .result import Entry, Kind, Missing

DEFAULT_DISK_KIND = "gp3"
EPHEMERAL = "Ephemeral"
"""AKS: the operating system lies on the machine's own disk, whose price is in the machine's."""
_GCP = {
    "pd-standard": "pd_standard",
    "pd-balanced": "pd_balanced",
    "pd-ssd": "pd_ssd",
    "pd-extreme": "pd_extreme",
    "hyperdisk-balanced": "hyperdisk_balanced_capacity",
    "hyperdisk-extreme": "hyperdisk_extreme",
    "hyperdisk-ml": "hyperdisk_ml_capacity",
    "hyperdisk-throughput": "hyperdisk_throughput_capacity",
}
"""Disk types of Compute Engine to the rows of its price list; IOPS and throughput above the baseline are not counted."""
_AZURE_BY_SIZE = {"premiumv2_lrs": "premium_ssd_v2_capacity", "ultrassd_lrs": "ultra_disk_capacity"}
_AZURE_TIERED = {
    "premium_lrs": ("premium_ssd_v1_p", "lrs"),
    "premium_zrs": ("premium_ssd_v1_p", "zrs"),
    "standardssd_lrs": ("standard_ssd_e", "lrs"),
    "standardssd_zrs": ("standard_ssd_e", "zrs"),
}
"""Storage account types of Azure, in lower case, to the rows of its price list."""
_AZURE_SIZES = ((4, 32), (6, 64), (10, 128), (15, 256), (20, 512), (30, 1024), (40, 2048), (50, 4096))
"""Number of a tier (P10, E10) and its GiB, as the notes of the price rows give them."""


def root_disks(pool: NodePool, terms: Terms) -> Iterator[Entry]:
    what = f"root disks of {pool.name}"
    if pool.root_disk_kind == EPHEMERAL:
        return
    if pool.root_disk_gib is None:
        yield Missing(urn=pool.urn, what=what, reason="the image decides their size")
    elif isinstance(pool.root_disk_gib, Unknown):
        yield Missing(urn=pool.urn, what=what, reason=str(pool.root_disk_gib))
    else:
        price = _price(disk_figure(pool.cloud, pool.region, _root_kind(pool), pool.root_disk_gib), terms)
        if price is None:
            yield Missing(urn=pool.urn, what=what, reason="no price for this kind in this region")
        else:
            yield following(pool, Kind.ROOT_DISK, f"root disk, {pool.root_disk_gib} GiB", price)


def _root_kind(pool: NodePool) -> Maybe[str | None]:
    """What EC2 makes of a disk without a kind is known; the others' readers say what theirs make."""
    kind = pool.root_disk_kind
    return DEFAULT_DISK_KIND if known(kind) and not kind and pool.cloud == "aws" else kind


def volume(disk: Disk, terms: Terms) -> Entry:
    if isinstance(disk.gib, Unknown):
        return Missing(urn=disk.urn, what=f"volume {name_of(disk.urn)}", reason=str(disk.gib))
    found = disk_figure(disk.cloud, disk.region, disk.kind, disk.gib)
    return single(disk.urn, Kind.VOLUME, f"volume, {disk.gib:g} GiB", _price(found, terms))


def _price(found: tuple[Figure, float] | None, terms: Terms) -> Price | None:
    return None if found is None else priced(found[0], terms, found[1])


def disk_figure(cloud: Cloud, region: Maybe[str], kind: Maybe[str | None], gib: float) -> tuple[Figure, float] | None:
    """The price of a disk and how many units of it `gib` are; None when no price is known for kind, size or region."""
    if not isinstance(kind, str):
        return None
    if cloud == "aws":
        return _of(cloud, region, "ebs", f"{kind}_gb_month", gib)
    if cloud == "gcp":
        return _of(cloud, region, "block_storage", _GCP.get(kind, ""), gib)
    folded = kind.casefold()
    if folded in _AZURE_BY_SIZE:
        return _of(cloud, region, "managed_disk", _AZURE_BY_SIZE[folded], gib)
    return _of(cloud, region, "managed_disk", _azure_tier(folded, gib), 1.0)


def _azure_tier(kind: str, gib: float) -> str:
    """The row of the smallest tier that holds `gib`; "" where none is known."""
    prefix, redundancy = _AZURE_TIERED.get(kind, ("", ""))
    number = next((number for number, size in _AZURE_SIZES if gib <= size), None)
    return f"{prefix}{number}_{redundancy}" if prefix and number is not None else ""


def _of(cloud: Cloud, region: Maybe[str], service: str, sku: str, units: float) -> tuple[Figure, float] | None:
    figure = service_figure(cloud, region, service, sku) if sku else None
    return None if figure is None else (figure, units)
