"""What the storage of a spec amounts to on Google Cloud, as plain values: decided once, built by Storage, checked before the first resource."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from components import catalog
from components.catalog.storage import StorageTier
from components.naming import RANDOM_SUFFIX
from components.refusals import SpecError
from components.spec import SharedFilesystem, Spec

from .outline import PoolOutline

SERVICE = "Managed Lustre"
TIER = "managed_lustre"
"""The one kind of shared file system that this family builds."""
GIB_PER_TIB = 1024
LONGEST_BUCKET_NAME = 63
"""Cloud Storage documentation, "Bucket naming"."""
PATH = "storage.shared_filesystem"


@dataclass(frozen=True, kw_only=True)
class LustreOutline:
    """Every decision about the shared file system."""

    zone: str
    gib: int
    mb_s_per_tib: int
    mount: str


def lustre_outline(spec: Spec, pools: Sequence[PoolOutline]) -> LustreOutline | None:
    """The shared file system of `spec`, beside its first pool with a fabric, else beside its first pool; None where it wants none."""
    shared = spec.storage.shared_filesystem
    if shared is None:
        return None
    beside = next((pool for pool in pools if pool.fabric or pool.dranet), pools[0])
    return LustreOutline(
        zone=beside.zones[0], gib=round(shared.tib * GIB_PER_TIB), mb_s_per_tib=round(shared.mb_s_per_tib), mount=shared.mount
    )


def _tiers(rate: float | None = None) -> tuple[StorageTier, ...]:
    """Tiers with a fixed throughput; those with the given one."""
    held = (tier for tier in catalog.storage.storage_tiers("gcp") if tier.service == SERVICE and not tier.tier.startswith("Dynamic"))
    return tuple(tier for tier in held if rate is None or rate in tier.mb_s_per_tib)


def storage_problems(spec: Spec) -> Iterator[SpecError]:
    """Sizes, throughputs and names that Google would refuse."""
    longest = LONGEST_BUCKET_NAME - RANDOM_SUFFIX
    for at, bucket in enumerate(spec.storage.buckets):
        name = f"{spec.name}-{bucket.name}"
        if len(name) > longest:
            message = f"with the cluster's name it has {len(name)} characters, and Cloud Storage leaves {longest}: shorten one of the two"
            yield SpecError(path=f"storage.buckets[{at}].name", value=bucket.name, message=message)
    if spec.storage.shared_filesystem is not None:
        yield from _lustre_problems(spec.storage.shared_filesystem)


def _lustre_problems(shared: SharedFilesystem) -> Iterator[SpecError]:
    if shared.tier not in (None, TIER):
        message = f"is not built on GCP yet: leave it out, or use {TIER}"
        yield SpecError(path=f"{PATH}.tier", value=str(shared.tier), message=message, allowed=(TIER,))
    tiers = _tiers(shared.mb_s_per_tib)
    if not tiers:
        rates = tuple(f"{rate}" for rate in sorted({rate for tier in _tiers() for rate in tier.mb_s_per_tib}))
        message = f"is no throughput of {SERVICE} (MB/s per TiB)"
        yield SpecError(path=f"{PATH}.mb_s_per_tib", value=f"{shared.mb_s_per_tib:g}", message=message, allowed=rates)
    elif not any(tier.allows(shared.tib) for tier in tiers):
        near = " or ".join(f"{size:g} ({round(size * GIB_PER_TIB)} GiB)" for size in tiers[0].sizes_near(shared.tib))
        message = f"is no size of {SERVICE} at that throughput, which comes in {tiers[0].notes}: use {near}"
        yield SpecError(path=f"{PATH}.tib", value=f"{shared.tib:g}", message=message)
