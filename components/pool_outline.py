"""What every family decides about a pool, and the decisions that are the same on every cloud."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.catalog import Machine
from components.inventory import Market
from components.ownership import Ownership
from components.sharing import NO_GPUS, Sharing
from components.spec import DEFAULT_GPU_DISK_GIB, NodeRange, Pool, Spec, TrainingSpec

GPU_TAINT = "nvidia.com/gpu"
UNRESERVED = (Market.ON_DEMAND, Market.SPOT)
"""Markets where nodes start wherever there is room."""


@dataclass(frozen=True, kw_only=True)
class Outline:
    """One pool. Names, counts and kinds are the cloud's own words."""

    name: str
    """As the stack file has it."""
    machines: tuple[Machine, ...]
    """Alternatives: one, except where a family says otherwise."""
    nodes: NodeRange
    market: Market
    zones: tuple[str, ...]
    """One for a GPU pool that a family places in a zone (A8, F7)."""
    image_kind: str
    """The cloud's own name of the kind of image."""
    ownership: Ownership
    placement: str
    """`none`, `own`, or an existing group or policy."""
    disk_gib: int
    labels: Mapping[str, str]
    taints: tuple[str, ...]
    """Keys tainted NoSchedule."""
    in_place: bool
    """Whether an update ends nodes before it starts their successors."""
    sharing: Sharing = NO_GPUS
    """How its GPUs are shared, and what a node offers to pods."""

    @property
    def machine(self) -> Machine:
        return self.machines[0]


def gpu_disk_gib(spec: Spec, pool: Pool) -> int:
    """Root disk of a GPU pool."""
    return pool.disk_gib or DEFAULT_GPU_DISK_GIB["training" if isinstance(spec, TrainingSpec) else "inference"]


def repaired(spec: Spec, pool: Pool) -> bool:
    """Whether the cloud replaces faulty nodes, unless the file says: not reserved training nodes, where a replacement may find no
    capacity and a job may run on (D13).
    """
    if pool.node_auto_repair is not None:
        return pool.node_auto_repair
    return not isinstance(spec, TrainingSpec) or pool.market in UNRESERVED
