"""The Helm releases of a cluster as far as they decide what its nodes offer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from components.catalog import Machine
from scripts.sandbox.kinds import tokens as t
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation


@dataclass(frozen=True)
class Installed:
    """The states of a cluster's releases."""

    releases: Sequence[Mapping[str, Any]]

    def chart(self, name: str) -> bool:
        """Whether a release of the chart is there."""
        return any(_chart(release) == name for release in self.releases)

    def operator_runs(self, part: str) -> bool:
        """Whether a GPU Operator release runs one of its parts (`driver`, `devicePlugin`); both are on by its chart's defaults."""
        for release in self.releases:
            if _chart(release) == "gpu-operator":
                settings = (release.get("values") or {}).get(part) or {}
                return settings.get("enabled", True) is not False
        return False

    @property
    def runs_device_plugin(self) -> bool:
        return self.operator_runs("devicePlugin") or self.chart("nvidia-device-plugin")

    def gpus(self, node: Record, machine: Machine, *, runs: bool) -> dict[str, str]:
        """Whole GPUs, or slices of them where the node's label names a configuration of the operator's device plugin that makes some."""
        gpus = int(machine.gpu_count) if runs else 0
        label = (node.state["metadata"].get("labels") or {}).get("nvidia.com/device-plugin.config")
        slices = self._replicas(label) if label else 1
        return {"nvidia.com/gpu.shared": str(gpus * slices)} if slices > 1 else {"nvidia.com/gpu": str(gpus)}

    def _replicas(self, name: str) -> int:
        for release in self.releases:
            plugin = (release.get("values") or {}).get("devicePlugin") or {}
            text = ((plugin.get("config") or {}).get("data") or {}).get(name)
            if text:
                slicing = (json.loads(text).get("sharing") or {}).get("timeSlicing") or {}
                return int((slicing.get("resources") or [{"replicas": 1}])[0]["replicas"])
        return 1


def installed(world: Simulation, key: str) -> Installed:
    """The releases of the cluster whose inside has this key."""
    return Installed([release.state for release in world.store.of_kind(t.RELEASE, key)])


def _chart(release: Mapping[str, Any]) -> str:
    return str(release.get("chart", "")).rsplit("/", 1)[-1]
