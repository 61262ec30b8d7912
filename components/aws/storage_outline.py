"""What the storage of a spec amounts to on AWS, as plain values: decided once, built by Storage, checked before the first resource."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from components import catalog
from components.catalog.storage import StorageTier
from components.naming import RANDOM_SUFFIX
from components.refusals import SpecError
from components.spec import SharedFilesystem, Spec

from .outline import PoolOutline

SERVICE = "FSx for Lustre"
TIER = "PERSISTENT_2"
"""The one kind of FSx for Lustre that this family builds: SSD, replicated within its zone, its size may grow."""
TIER_ROWS = "Persistent 2 SSD"
"""How the catalogue's names of that tier begin."""
GIB_PER_TIB = 1000
"""AWS sells 1,200 GiB as 1.2 TiB."""
LONGEST_BUCKET_NAME = 63
"""S3 User Guide, "General purpose bucket naming rules"."""


@dataclass(frozen=True, kw_only=True)
class LustreOutline:
    """Every decision about the shared file system."""

    zone: str
    gib: int
    mb_s_per_tib: int
    efa: bool
    """Whether its servers talk EFA. This can never change on a file system that exists."""
    remark: str
    """Why it does or does not, in one sentence."""
    mount: str
    bucket: str | None
    """Name, in this stack, of the bucket that it is linked to."""


def lustre_outline(spec: Spec, pools: Sequence[PoolOutline]) -> LustreOutline | None:
    """The shared file system of `spec`, beside its first pool with EFA, else beside its first pool; None where it wants none."""
    shared = spec.storage.shared_filesystem
    if shared is None:
        return None
    wired = [pool for pool in pools if pool.efa_interfaces]
    efa, remark = _efa(shared, wired)
    return LustreOutline(
        zone=(wired or list(pools))[0].zones[0],
        gib=round(shared.tib * GIB_PER_TIB),
        mb_s_per_tib=round(shared.mb_s_per_tib),
        efa=efa,
        remark=remark,
        mount=shared.mount,
        bucket=shared.bucket,
    )


def _efa(shared: SharedFilesystem, wired: Sequence[PoolOutline]) -> tuple[bool, str]:
    if not wired:
        return False, "the file system is reached over TCP, as no pool has EFA"
    tier = next((t for t in _tiers(shared) if t.efa), None)
    if tier is None or not tier.allows(shared.tib):
        step = f"multiples of {tier.step_gib / GIB_PER_TIB:g} TiB" if tier else "another throughput"
        return False, f"the file system is reached over TCP: with EFA, AWS sells {step} at {shared.mb_s_per_tib:g} MB/s per TiB"
    return True, "the file system offers EFA; nodes reach it over TCP until their Lustre client is set up for EFA, which gpukit does not do"


def _tiers(shared: SharedFilesystem) -> tuple[StorageTier, ...]:
    """The tiers of our kind with the wanted throughput."""
    return tuple(t for t in _all_tiers() if shared.mb_s_per_tib in t.mb_s_per_tib)


def _all_tiers() -> tuple[StorageTier, ...]:
    return tuple(t for t in catalog.storage.storage_tiers("aws") if t.service == SERVICE and t.tier.startswith(TIER_ROWS))


def storage_problems(spec: Spec) -> Iterator[SpecError]:
    """Sizes, throughputs and names that AWS would refuse."""
    yield from _bucket_problems(spec)
    shared = spec.storage.shared_filesystem
    if shared is not None:
        yield from _lustre_problems(shared)


def _why_not(tier: str) -> str:
    """Source: FSx for Lustre User Guide, "Deployment and storage class options"."""
    if tier.startswith("SCRATCH"):
        return "scratch file systems are not replicated, and this one is kept when its cluster goes"
    if tier == "PERSISTENT_1":
        return "what the catalogue knows of it, HDD, gives 12 or 40 MB/s per TiB and no EFA"
    return f"it is no deployment type of {SERVICE} that the catalogue has sizes for"


def _bucket_problems(spec: Spec) -> Iterator[SpecError]:
    longest = LONGEST_BUCKET_NAME - RANDOM_SUFFIX
    for at, bucket in enumerate(spec.storage.buckets):
        name = f"{spec.name}-{bucket.name}"
        if len(name) > longest:
            message = f"with the cluster's name it has {len(name)} characters, and S3 leaves {longest}: shorten one of the two"
            yield SpecError(path=f"storage.buckets[{at}].name", value=bucket.name, message=message)


def _lustre_problems(shared: SharedFilesystem) -> Iterator[SpecError]:
    path = "storage.shared_filesystem"
    if shared.tier not in (None, TIER):
        message = f"is not built on AWS, as {_why_not(str(shared.tier))}: leave it out, or use {TIER}"
        yield SpecError(path=f"{path}.tier", value=str(shared.tier), message=message, allowed=(TIER,))
    tiers = _tiers(shared)
    if not tiers:
        rates = tuple(f"{rate}" for rate in sorted({rate for tier in _all_tiers() for rate in tier.mb_s_per_tib}))
        message = f"is no throughput of {SERVICE} {TIER} (MB/s per TiB)"
        yield SpecError(path=f"{path}.mb_s_per_tib", value=f"{shared.mb_s_per_tib:g}", message=message, allowed=rates)
    elif not any(tier.allows(shared.tib) for tier in tiers):
        plain = next(tier for tier in tiers if not tier.efa)
        near = " or ".join(f"{size:g}" for size in plain.sizes_near(shared.tib))
        message = f"is no size of {SERVICE} {TIER}, which comes in {plain.notes} (1.2 TiB is 1,200 GiB): use {near}"
        yield SpecError(path=f"{path}.tib", value=f"{shared.tib:g}", message=message)
