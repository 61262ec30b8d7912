"""What GKE may change by itself, and when: release channel, maintenance window, what training is spared. Plain decisions.

Sources: GKE documentation, "Release channels" and "Maintenance windows and exclusions" (a window offers at least 48 hours in 32 days; an
exclusion may last until a version's support ends).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from components import catalog
from components.clock import now
from components.spec import Spec, TrainingSpec

Channel = Literal["REGULAR", "EXTENDED"]
WINDOW_START, WINDOW_END, WINDOW_RECURRENCE = "2026-01-03T01:00:00Z", "2026-01-03T09:00:00Z", "FREQ=WEEKLY;BYDAY=SA,SU"
"""Eight hours of each Saturday and Sunday, UTC."""
EXCLUSION_START = "2026-01-01T00:00:00Z"
"""Any day that is past: a day that moves would change the cluster with every run."""


@dataclass(frozen=True, kw_only=True)
class Upkeep:
    channel: Channel
    """EXTENDED keeps a version whose standard support is over, for a fee by the hour."""
    spared: bool
    """D13: whether minor versions and nodes stay as they are until the version's support ends: an upgrade drains a job's nodes."""


def upkeep(spec: Spec) -> Upkeep:
    ends = {version.minor: version.end_of_standard_support for version in catalog.kubernetes_versions("gcp")}
    end = ends.get(spec.kubernetes_version)
    over = end is not None and end < now().date()
    return Upkeep(channel="EXTENDED" if over else "REGULAR", spared=isinstance(spec, TrainingSpec))
