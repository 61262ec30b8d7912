"""Managed Lustre tiers: which sizes each cloud sells."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from .names import Cloud, cloud_named
from .tables import as_of, rows, source, words

_GIB_PER_TIB: dict[Cloud, int] = {"aws": 1000, "gcp": 1024, "azure": 1024}
"""AWS sells 1,200 GiB as 1.2 TiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageTier:
    """One tier of a file system: its smallest size, then multiples of a step."""

    cloud: Cloud
    service: str
    tier: str
    mb_s_per_tib: tuple[int, ...]
    efa: bool
    min_gib: int
    step_gib: int
    notes: str
    source: str
    as_of: date | None

    def allows(self, tib: float) -> bool:
        """Whether a file system of `tib` TiB, as the cloud counts them, can be ordered."""
        gib = round(tib * _GIB_PER_TIB[self.cloud])
        return gib == self.min_gib or (gib >= self.min_gib and gib % self.step_gib == 0)

    def sizes_near(self, tib: float) -> tuple[float, ...]:
        """The orderable sizes in TiB just below and just above `tib`; one where it is below the smallest."""
        unit = _GIB_PER_TIB[self.cloud]
        below = int(tib * unit) // self.step_gib * self.step_gib
        sizes = {max(below, self.min_gib), max(below + self.step_gib, self.min_gib)}
        return tuple(gib / unit for gib in sorted(sizes))


@cache
def storage_tiers(cloud: str) -> tuple[StorageTier, ...]:
    """Tiers that the cloud sells. Raises UnknownName for an unknown cloud."""
    known_cloud = cloud_named(cloud)
    return tuple(
        StorageTier(
            cloud=known_cloud,
            service=row["service"],
            tier=row["tier"],
            mb_s_per_tib=tuple(int(rate) for rate in words(row["mb_s_per_tib"])),
            efa=row["efa"] == "yes",
            min_gib=int(row["min_gib"]),
            step_gib=int(row["step_gib"]),
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("storage_tiers")
        if row["cloud"] == known_cloud
    )
