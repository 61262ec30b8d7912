"""Disks, buckets and managed file systems."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Bucket, Disk, FileSystem
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers import gcp_types
from policies.readers.program import Program
from policies.readers.values import given, number

from .parts import Part
from .places import location, region, region_of, short

_FILESTORE = {"ZONAL": "zonal", "REGIONAL": "regional", "ENTERPRISE": "regional", "HIGH_SCALE_SSD": "zonal"}
"""Tier -> row of the price list. Others have no row: no price, which the cost says."""


def read_disk(disk: Resource, program: Program) -> Iterator[Disk]:
    kind = short(disk.read("type"), "type")
    prop = "zone" if disk.type == gcp_types.DISK else "region"
    named = given(kind, "type", "not given, so that Compute Engine picks one")
    yield Disk(
        urn=disk.urn,
        cloud="gcp",
        region=region(disk, program, prop),
        kind=named if isinstance(named, Unknown) or disk.type == gcp_types.DISK else f"{named}-regional",
        gib=given(number(disk.read("size"), "size"), "size", "not given: that of the image or snapshot"),
    )


def read_bucket(bucket: Resource, _program: Program) -> Iterator[Bucket]:
    """A bucket lies in a region, or in several (`US`, `NAM4`), whose name then stands for the region."""
    place = Part(bucket).text("location")
    where: Maybe[str] = Unknown("location", "not given") if place is None else place
    yield Bucket(urn=bucket.urn, cloud="gcp", region=where if isinstance(where, Unknown) else where.lower())


def read_filestore(system: Resource, program: Program) -> Iterator[FileSystem]:
    part = Part(system)
    tier = given(part.text("tier"), "tier", "not given")
    gib = number(system.read("fileShares", "capacityGb"), "fileShares.capacityGb")
    yield FileSystem(
        urn=system.urn,
        cloud="gcp",
        region=_place(system, program),
        tier=tier if isinstance(tier, Unknown) else f"filestore/{_FILESTORE.get(tier, tier.lower())}",
        gib=given(gib, "fileShares.capacityGb", "not given"),
    )


def read_lustre(system: Resource, program: Program) -> Iterator[FileSystem]:
    part = Part(system)
    rate = given(part.whole("perUnitStorageThroughput"), "perUnitStorageThroughput", "not given")
    yield FileSystem(
        urn=system.urn,
        cloud="gcp",
        region=_place(system, program),
        tier=rate if isinstance(rate, Unknown) else f"managed_lustre/{rate}_mbps_per_tib",
        gib=given(number(system.read("capacityGib"), "capacityGib"), "capacityGib", "not given"),
    )


def read_parallelstore(system: Resource, program: Program) -> Iterator[FileSystem]:
    gib = given(number(system.read("capacityGib"), "capacityGib"), "capacityGib", "not given")
    yield FileSystem(urn=system.urn, cloud="gcp", region=_place(system, program), tier="parallelstore/capacity", gib=gib)


def _place(system: Resource, program: Program) -> Maybe[str]:
    prop = "location" if system.read("zone") is None else "zone"
    return given(region_of(location(system, program, prop), prop), prop, "not given")
