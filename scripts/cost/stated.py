"""What a stack file says about money beside prices: its lease, its teams, the windows of its capacity blocks, its assumptions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from components.resource import ResourceSet
from components.spec import Calendar, CapacityBlock, Commitment, Interruption, TrainingSpec
from components.spec.reading import read

CLUSTER_KEY = "gpukit:cluster"


@dataclass(frozen=True, kw_only=True)
class Stated:
    last_day: date | None = None
    """Last day of the lease."""
    teams: tuple[tuple[str, float], ...] = ()
    """Queue teams and the GPUs that each may always have."""
    windows: Mapping[str, tuple[datetime, datetime]] = field(default_factory=dict[str, tuple[datetime, datetime]])
    """Paid windows by the pool's name in the stack file."""
    commitments: tuple[Commitment, ...] = ()
    interruptions: tuple[Interruption, ...] = ()
    nat_gb_per_month: float | None = None


def stated(resources: ResourceSet) -> Stated:
    """Nothing for a program without a stack file of ours, or one with errors, which the plan has told."""
    text = resources.config.get(CLUSTER_KEY)
    try:
        spec, _ = read(json.loads(text)) if isinstance(text, str) else (None, ())
    except ValueError:
        return Stated()
    if spec is None:
        return Stated()
    teams = spec.queue.teams if isinstance(spec, TrainingSpec) else ()
    paid = {pool.name: pool.capacity for pool in spec.pools if isinstance(pool.capacity, CapacityBlock | Calendar)}
    return Stated(
        last_day=spec.lease.expires if spec.lease else None,
        teams=tuple((team.name, float(team.gpus)) for team in teams),
        windows={name: (capacity.starts, capacity.ends) for name, capacity in paid.items()},
        commitments=spec.pricing.commitments,
        interruptions=spec.pricing.interruptions,
        nat_gb_per_month=spec.pricing.nat_gb_per_month,
    )
