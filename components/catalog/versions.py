"""Kubernetes minors that each managed service offers and when their standard support ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from .names import Cloud, cloud_named
from .tables import as_of, rows, source


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesVersion:
    cloud: Cloud
    minor: str
    """`1.35`."""
    end_of_standard_support: date | None
    """After it the control plane costs its extended rate, where the cloud has one; None where not known."""
    end_of_extended_support: date | None
    source: str
    as_of: date | None


@cache
def kubernetes_versions(cloud: str) -> tuple[KubernetesVersion, ...]:
    """Minors of a cloud, oldest first. Raises UnknownName for an unknown cloud."""
    known_cloud = cloud_named(cloud)
    return tuple(
        KubernetesVersion(
            cloud=known_cloud,
            minor=row["minor"],
            end_of_standard_support=_day(row["end_of_standard_support"]),
            end_of_extended_support=_day(row["end_of_extended_support"]),
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("kubernetes_versions")
        if row["cloud"] == known_cloud
    )


def _day(cell: str) -> date | None:
    return date.fromisoformat(cell) if cell else None
