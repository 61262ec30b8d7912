"""Counters by their names in the field: what each measures, which values are possible, when one means work.

Sources: dcgm-exporter's default counters and field documentation (units; small letters: its first version), NVIDIA/DCGM issues 152, 199 and 303 (impossible values),
CloudWatch agent and nvidia_gpu_exporter (`nvidia_smi_*`), GKE system metrics (`accelerator/duty_cycle`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Measure(StrEnum):
    """What a counter measures, in the unit that follows."""

    ENGINE = "engine active"
    """Share of time in which any engine of the GPU was active, 0 to 1."""
    TENSOR = "tensor cores active"
    SM = "multiprocessors active"
    MEMORY_BUSY = "memory interface active"
    UTILISATION = "utilisation"
    """Percent of time in which some kernel ran."""
    COPY = "memory copies"
    """Percent."""
    POWER = "power"
    """Watts."""
    MEMORY = "memory in use"
    """MiB."""
    TRAFFIC = "traffic"
    """Bytes per second over NVLink, PCIe or the network."""


@dataclass(frozen=True)
class Counter:
    measure: Measure
    scale: float = 1.0
    """Factor to the measure's unit."""
    largest: float = 1.0
    """Values above it, and all below zero, are impossible: they are dropped and counted."""

    @property
    def percent(self) -> bool:
        """Whether it sends percent as they are: then values up to 1 may be shares under the wrong name."""
        return self.largest == 100 and self.scale == 1


_SHARE = {
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": Measure.ENGINE,
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": Measure.TENSOR,
    "DCGM_FI_PROF_SM_ACTIVE": Measure.SM,
    "DCGM_FI_PROF_DRAM_ACTIVE": Measure.MEMORY_BUSY,
}
_PERCENT = {
    "DCGM_FI_DEV_GPU_UTIL": Measure.UTILISATION,
    "DCGM_FI_DEV_MEM_COPY_UTIL": Measure.COPY,
    "dcgm_gpu_utilization": Measure.UTILISATION,
    "dcgm_mem_copy_utilization": Measure.COPY,
    "nvidia_smi_utilization_gpu": Measure.UTILISATION,
    "nvidia_smi_utilization_memory": Measure.COPY,
    "kubernetes_io:node_accelerator_duty_cycle": Measure.UTILISATION,
    "kubernetes_io:container_accelerator_duty_cycle": Measure.UTILISATION,
}
_PERCENT_AS_SHARE = {
    "nvidia_smi_utilization_gpu_ratio": Measure.UTILISATION,
    "nvidia_smi_utilization_memory_ratio": Measure.COPY,
}
_TRAFFIC = (
    "DCGM_FI_PROF_PCIE_TX_BYTES",
    "DCGM_FI_PROF_PCIE_RX_BYTES",
    "DCGM_FI_PROF_NVLINK_TX_BYTES",
    "DCGM_FI_PROF_NVLINK_RX_BYTES",
)
_ROUNDING = 1.02
"""Shares a little above 1 come from rounding; an SM activity of 5 does not (DCGM#152)."""

COUNTERS: Mapping[str, Counter] = {
    **{name: Counter(measure, largest=_ROUNDING) for name, measure in _SHARE.items()},
    **{name: Counter(measure, largest=100.0) for name, measure in _PERCENT.items()},
    **{name: Counter(measure, scale=100.0, largest=_ROUNDING) for name, measure in _PERCENT_AS_SHARE.items()},
    **{name: Counter(Measure.TRAFFIC, largest=5e12) for name in _TRAFFIC},
    "DCGM_FI_DEV_POWER_USAGE": Counter(Measure.POWER, largest=3000.0),
    "dcgm_power_usage": Counter(Measure.POWER, largest=3000.0),
    "nvidia_smi_power_draw": Counter(Measure.POWER, largest=3000.0),
    "nvidia_smi_power_draw_watts": Counter(Measure.POWER, largest=3000.0),
    "DCGM_FI_DEV_FB_USED": Counter(Measure.MEMORY, largest=1e6),
    "dcgm_fb_used": Counter(Measure.MEMORY, largest=1e6),
    "nvidia_smi_memory_used": Counter(Measure.MEMORY, largest=1e6),
    "nvidia_smi_memory_used_bytes": Counter(Measure.MEMORY, scale=1 / 2**20, largest=1e12),
}
_FOLDED = {name.casefold(): counter for name, counter in COUNTERS.items()}

COVERING = (Measure.ENGINE, Measure.SM, Measure.UTILISATION)
"""Measures that say whether a GPU works at all: every GPU needs one of them over the whole window."""
JUDGED = (*COVERING, Measure.TENSOR, Measure.MEMORY_BUSY, Measure.COPY, Measure.POWER)
"""Measures that can show work."""
DEMANDED = (*JUDGED, Measure.MEMORY)
"""Measures of which none may lack a GPU or a part of the window, where the endpoint serves them."""
COMES_AND_GOES = frozenset({"kubernetes_io:container_accelerator_duty_cycle"})
"""Counters of containers, which are there while one runs: no node must have them."""


def counter_of(name: str) -> Counter | None:
    """The counter of a metric's name, whatever its case; None for one that says nothing here."""
    return _FOLDED.get(name.casefold())


def family(name: str) -> str:
    """Which exporter's counter it is. Each names GPUs in its own way: what two of them say is never taken for one GPU."""
    return next((prefix for prefix in ("nvidia_smi", "kubernetes_io") if name.casefold().startswith(prefix)), "dcgm")
