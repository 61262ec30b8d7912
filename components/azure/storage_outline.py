"""What the storage of a spec amounts to on Azure, as plain values: decided once, built by Storage, checked before the first resource."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from components import catalog
from components.catalog.storage import StorageTier
from components.naming import RANDOM_SUFFIX
from components.refusals import SpecError
from components.spec import SharedFilesystem, Spec

SERVICE = "Azure Managed Lustre"
SKU_PREFIX = "AMLFS-Durable-Premium-"
"""Durable file systems alone are offered; the number in the name is their throughput in MB/s per TiB."""
SHORTEST_CONTAINER_NAME = 3
LONGEST_ENDPOINT_NAME = 64
"""Source: Azure documentation, "Naming rules and restrictions for Azure resources"."""


@dataclass(frozen=True, kw_only=True)
class LustreOutline:
    """Every decision about the shared file system."""

    zone: str | None
    """None: Azure asks for one where the region has zones (`storage_problems`)."""
    sku: str
    tib: float
    mount: str


def keeps_data(spec: Spec) -> bool:
    """Whether anything of the cluster outlives it."""
    return bool(spec.storage.buckets) or spec.storage.shared_filesystem is not None


def lustre_outline(spec: Spec) -> LustreOutline | None:
    """The shared file system of `spec`, in the zone of its first pool that names one; None where it wants none."""
    shared = spec.storage.shared_filesystem
    if shared is None:
        return None
    zones = (*(pool.zone for pool in spec.pools if pool.zone), *spec.zones)
    return LustreOutline(zone=next(iter(zones), None), sku=f"{SKU_PREFIX}{shared.mb_s_per_tib}", tib=shared.tib, mount=shared.mount)


def _tiers() -> tuple[StorageTier, ...]:
    return tuple(tier for tier in catalog.storage.storage_tiers("azure") if tier.service == SERVICE)


def storage_problems(spec: Spec) -> Iterator[SpecError]:
    """Sizes, throughputs and tiers that Azure would refuse."""
    yield from _bucket_problems(spec)
    shared = spec.storage.shared_filesystem
    if shared is not None:
        yield from _lustre_problems(shared)


def _bucket_problems(spec: Spec) -> Iterator[SpecError]:
    longest = LONGEST_ENDPOINT_NAME - RANDOM_SUFFIX
    for at, bucket in enumerate(spec.storage.buckets):
        path, name = f"storage.buckets[{at}].name", f"{spec.name}-{bucket.name}"
        if len(bucket.name) < SHORTEST_CONTAINER_NAME or "--" in bucket.name:
            message = f"a blob container's name has {SHORTEST_CONTAINER_NAME} characters at least, and no two dashes in a row"
            yield SpecError(path=path, value=bucket.name, message=message)
        if spec.network.endpoints == "private" and len(name) > longest:
            message = (
                f"with the cluster's name it has {len(name)} characters, and a private endpoint takes {longest}: shorten one of the two"
            )
            yield SpecError(path=path, value=bucket.name, message=message)


def _lustre_problems(shared: SharedFilesystem) -> Iterator[SpecError]:
    path = "storage.shared_filesystem"
    tiers = {tier.tier: tier for tier in _tiers()}
    named = f"{SKU_PREFIX}{shared.mb_s_per_tib}"
    if shared.tier not in (None, named):
        message = f"does not go with {shared.mb_s_per_tib} MB/s per TiB, which is {named}: leave it out, or change one of the two"
        yield SpecError(path=f"{path}.tier", value=str(shared.tier), message=message, allowed=tuple(tiers))
    if named not in tiers:
        rates = tuple(str(rate) for tier in sorted(_tiers(), key=lambda t: t.mb_s_per_tib) for rate in tier.mb_s_per_tib)
        message = f"is no throughput of {SERVICE} (MB/s per TiB)"
        yield SpecError(path=f"{path}.mb_s_per_tib", value=str(shared.mb_s_per_tib), message=message, allowed=rates)
    elif not tiers[named].allows(shared.tib):
        near = " or ".join(f"{size:g}" for size in tiers[named].sizes_near(shared.tib))
        message = f"is no size of {named}: use {near}"
        yield SpecError(path=f"{path}.tib", value=f"{shared.tib:g}", message=message)
