"""Counters by their names in the field: what each measures, which values are possible, when one means work.

Sources: dcgm-exporter's default counters and field documentation (units), NVIDIA/DCGM issues 152, 199 and 303 (impossible values),
CloudWatch agent (`nvidia_smi_*`), GKE system metrics (`accelerator/duty_cycle`).
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


_SHARE = {
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": Measure.ENGINE,
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": Measure.TENSOR,
    "DCGM_FI_PROF_SM_ACTIVE": Measure.SM,
    "DCGM_FI_PROF_DRAM_ACTIVE": Measure.MEMORY_BUSY,
}
_PERCENT = {
    "DCGM_FI_DEV_GPU_UTIL": Measure.UTILISATION,
    "DCGM_FI_DEV_MEM_COPY_UTIL": Measure.COPY,
    "nvidia_smi_utilization_gpu": Measure.UTILISATION,
    "nvidia_smi_utilization_memory": Measure.COPY,
    "kubernetes_io:node_accelerator_duty_cycle": Measure.UTILISATION,
    "kubernetes_io:container_accelerator_duty_cycle": Measure.UTILISATION,
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
    **{name: Counter(Measure.TRAFFIC, largest=5e12) for name in _TRAFFIC},
    "DCGM_FI_DEV_POWER_USAGE": Counter(Measure.POWER, largest=3000.0),
    "nvidia_smi_power_draw": Counter(Measure.POWER, largest=3000.0),
    "DCGM_FI_DEV_FB_USED": Counter(Measure.MEMORY, largest=1e6),
    "nvidia_smi_memory_used": Counter(Measure.MEMORY, largest=1e6),
}
_FOLDED = {name.casefold(): counter for name, counter in COUNTERS.items()}

COVERING = (Measure.ENGINE, Measure.SM, Measure.UTILISATION)
"""Measures that say whether a GPU works at all: every GPU needs one of them over the whole window."""
JUDGED = (*COVERING, Measure.TENSOR, Measure.MEMORY_BUSY, Measure.COPY, Measure.POWER)
"""Measures that can show work: where the endpoint serves one, no GPU may lack it."""

_NODE_LABELS = ("Hostname", "hostname", "node", "kubernetes_node", "nodename", "instance")
"""dcgm-exporter renamed `Hostname` after 4.8.2; relabelling adds the others. The first that is there counts."""
_GPU_LABELS = ("UUID", "uuid", "gpu_uuid", "gpu", "index", "accelerator_id", "device")
_INSTANCE_LABELS = ("GPU_I_ID", "gpu_i_id")


def counter_of(name: str) -> Counter | None:
    """The counter of a metric's name, whatever its case; None for one that says nothing here."""
    return _FOLDED.get(name.casefold())


@dataclass(frozen=True)
class Gpu:
    """One GPU, or one MIG instance of it."""

    node: str
    gpu: str
    instance: str = ""
    source: str = "dcgm"
    """Sources name GPUs in their own ways: what two of them say is never taken for one GPU."""

    @property
    def whole(self) -> Gpu:
        """The GPU that a MIG instance is part of."""
        return Gpu(self.node, self.gpu, source=self.source)

    def __str__(self) -> str:
        return f"{self.gpu} on {self.node}" + (f", MIG instance {self.instance}" if self.instance else "")


def gpu_of(labels: Mapping[str, str], source: str = "dcgm") -> Gpu | None:
    """Which GPU a series is about; None where its labels do not say."""
    node, gpu = _first(labels, _NODE_LABELS), _first(labels, _GPU_LABELS)
    if node is None or gpu is None:
        return None
    host, colon, port = node.rpartition(":")
    return Gpu(host if colon and port.isdecimal() else node, gpu, _first(labels, _INSTANCE_LABELS) or "", source)


def _first(labels: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((labels[name] for name in names if labels.get(name)), None)
