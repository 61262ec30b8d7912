"""What AKS may change by itself, and when: plain decisions by workload.

Source: AKS documentation, "Automatically upgrade an AKS cluster", "Auto-upgrade node OS images" and "Use planned maintenance".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.spec import Spec, TrainingSpec

from .driver import DriverMode
from .outline import PoolOutline

WEEKLY = "default"
"""Name of the configuration for AKS's own weekly releases."""
CLUSTER_WINDOW = "aksManagedAutoUpgradeSchedule"
NODE_WINDOW = "aksManagedNodeOSUpgradeSchedule"

WINDOW_DAY = "Sunday"
WINDOW_START = "02:00"
WINDOW_HOURS = 6
"""UTC. Judgement; AKS asks for 4 hours at least."""


@dataclass(frozen=True, kw_only=True)
class Upgrades:
    """Channels as AKS spells them, and the names of the windows that they need."""

    cluster: str
    node_image: str

    @property
    def windows(self) -> tuple[str, ...]:
        used: Mapping[str, bool] = {WEEKLY: True, CLUSTER_WINDOW: self.cluster != "none", NODE_WINDOW: self.node_image != "None"}
        return tuple(name for name, needed in used.items() if needed)


def upgrades(spec: Spec, pools: tuple[PoolOutline, ...]) -> Upgrades:
    """Patches and node images come by themselves where nodes may be replaced: never under training jobs, which run for weeks.

    E2: nodes with the GRID driver keep their image, since driver and licence were seen to part with a new one.
    """
    if isinstance(spec, TrainingSpec):
        return Upgrades(cluster="none", node_image="None")
    pinned = any(pool.driver is DriverMode.GRID for pool in pools)
    return Upgrades(cluster="none" if pinned else "patch", node_image="None" if pinned else "NodeImage")
