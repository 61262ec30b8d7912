"""Which features a cluster is made with, decided from its whole spec."""

from __future__ import annotations

from collections.abc import Sequence

from components.spec import Spec, TrainingSpec

from .cluster_features import Features
from .outline import PoolOutline


def features(spec: Spec, pools: Sequence[PoolOutline]) -> Features:
    return Features(
        multi_networking=any(pool.fabric for pool in pools),
        managed_metrics=spec.monitoring.metrics == "cloud",
        jobs=isinstance(spec, TrainingSpec),
        buckets=bool(spec.storage.buckets),
        lustre=spec.storage.shared_filesystem is not None,
    )
