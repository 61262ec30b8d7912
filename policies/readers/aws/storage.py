"""Buckets and Lustre file systems."""

from __future__ import annotations

from collections.abc import Iterator

from components.inventory import Bucket, FileSystem
from components.resource import Resource
from components.unknown import Maybe, Unknown
from policies.readers.program import Program
from policies.readers.values import first, given, number, text, whole

SERVICE = "fsx_lustre"
DEFAULT_DEPLOYMENT, DEFAULT_STORAGE = "SCRATCH_1", "SSD"
"""What FSx makes when the program names neither (pulumi-aws 7.51.1, `fsx.LustreFileSystem`)."""


def read_bucket(bucket: Resource, program: Program) -> Iterator[Bucket]:
    yield Bucket(urn=bucket.urn, cloud="aws", region=program.region(bucket))


def read_lustre(system: Resource, program: Program) -> Iterator[FileSystem]:
    yield FileSystem(
        urn=system.urn,
        cloud="aws",
        region=program.region(system),
        tier=_tier(system),
        gib=given(number(system.read("storageCapacity"), "storageCapacity"), "storageCapacity", "not given: that of the backup"),
    )


def _tier(system: Resource) -> Maybe[str]:
    """The row of the price list. Names without a row stay: they have no price, which the cost says."""
    kind = first(text(system.read("deploymentType"), "deploymentType"), DEFAULT_DEPLOYMENT)
    storage = first(text(system.read("storageType"), "storageType"), DEFAULT_STORAGE)
    rate = whole(system.read("perUnitStorageThroughput"), "perUnitStorageThroughput")
    if isinstance(kind, Unknown) or isinstance(storage, Unknown) or isinstance(rate, Unknown):
        return next(fact for fact in (kind, storage, rate) if isinstance(fact, Unknown))
    return f"{SERVICE}/{_sku(str(kind), str(storage), rate)}"


def _sku(kind: str, storage: str, rate: int | None) -> str:
    if storage == "HDD":
        return f"persistent_hdd_{rate}_gb_month"
    words = [kind.lower(), "ssd", *([str(rate)] if rate is not None else [])]
    return f"{'_'.join(words)}_gb_month"
