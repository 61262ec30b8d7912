"""The catalogue's names of Google quotas in the terms of the Cloud Quotas API and of Compute Engine's own listing.

A code is either a metric of Compute Engine (`NVIDIA_L4_GPUS`) or a quota id with the dimensions that pick one of its limits
(`GPUS-PER-GPU-FAMILY-per-project-region gpu_family=NVIDIA_H100`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_REGION, _EVERYWHERE = "-per-project-region", "-per-project"
_OVER_ALL_REGIONS = "_ALL_REGIONS"


@dataclass(frozen=True, kw_only=True)
class GoogleQuota:
    quota_id: str
    dimensions: Mapping[str, str]
    """Beside the region."""
    metric: str | None
    """Name in `regions.get` and `projects.get`, which answer usage too; None where they do not list it."""
    everywhere: bool


def google_quota(code: str) -> GoogleQuota:
    """How Google calls the catalogue's `code`: the ids of metrics are the metrics with hyphens and their container behind."""
    quota_id, _, words = code.partition(" ")
    dimensions = MappingProxyType(dict(word.split("=", 1) for word in words.split()))
    if "-per-project" in quota_id:
        everywhere = not quota_id.endswith(_REGION)
        return GoogleQuota(quota_id=quota_id, dimensions=dimensions, metric=None, everywhere=everywhere)
    everywhere = code.endswith(_OVER_ALL_REGIONS)
    end = _EVERYWHERE if everywhere else _REGION
    return GoogleQuota(quota_id=code.replace("_", "-").upper() + end, dimensions=dimensions, metric=code, everywhere=everywhere)
