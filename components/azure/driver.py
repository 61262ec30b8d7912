"""Who installs the GPU driver on a pool's nodes: AKS, or the GPU Operator. Fixed when a pool is made (E10).

Source: AKS documentation, "Use GPUs for compute-intensive workloads" and "Use the NVIDIA GPU Operator"; the table of `ownership`.
"""

from __future__ import annotations

from enum import StrEnum

from components import catalog
from components.catalog import Machine
from components.spec import Spec, TrainingSpec

GRID_FAMILIES = ("StandardNVADSA10v5Family", "StandardNCdsRTXPRO6000BSEv6XLFamily")
"""E2: shares of a GPU are vGPUs, which the data-centre driver does not drive. AKS installs the GRID driver on these sizes."""


class DriverMode(StrEnum):
    """`gpu_profile.driver` of an agent pool, and what it means."""

    AKS = "Install"
    """AKS installs NVIDIA's data-centre driver and container toolkit while it makes a node."""
    GRID = "Grid"
    """AKS installs the GRID driver. The API's word is Install too: the size decides."""
    OPERATOR = "None"
    """AKS installs nothing; the GPU Operator brings driver and toolkit, and with them GPUDirect over InfiniBand."""

    @property
    def api_word(self) -> str:
        """What the API takes."""
        return "Install" if self is DriverMode.GRID else self.value


def driver_mode(spec: Spec, machine: Machine) -> DriverMode:
    """Of a pool of `machine` in the cluster of `spec`: AKS's driver for inference, the operator's for training and for InfiniBand.

    One operator has one setting, so that all pools of a cluster follow one rule; GRID sizes cannot (E2), and a cluster that mixes them
    with operator-driven pools is refused (C3).
    """
    if needs_grid(machine):
        return DriverMode.GRID
    return DriverMode.OPERATOR if isinstance(spec, TrainingSpec) or _asks_for_infiniband(spec) else DriverMode.AKS


def needs_grid(machine: Machine) -> bool:
    return machine.family in GRID_FAMILIES


def _asks_for_infiniband(spec: Spec) -> bool:
    """Whether an inference pool names its fabric on a machine that has InfiniBand."""
    asking = (pool for pool in spec.pools if "fabric" in pool.model_fields_set and pool.fabric != "none")
    return any(
        (machine := catalog.find_machine("azure", name)) is not None and machine.fabric == "infiniband"
        for pool in asking
        for name in pool.machine_types
    )
