"""TPU pools: which nodes make up a slice. Plain decisions.

Source: GKE documentation, "Plan TPUs in GKE": a slice of one host is a pool of independent nodes; a slice of several hosts is one pool
whose nodes come and go together, as many as the topology's chips take.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from components.catalog import Machine
from components.catalog.tpus import tpu
from components.ownership import TPU_VENDOR
from components.spec import Pool


class NoSuchSlice(ValueError):
    """The topology does not fit the machine or the pool's size. The text says what would."""


@dataclass(frozen=True, kw_only=True)
class TpuSlice:
    """The shape of one slice."""

    topology: str
    chips_per_host: int

    @property
    def chips(self) -> int:
        return prod(int(side) for side in self.topology.split("x"))

    @property
    def hosts(self) -> int:
        """Nodes of one slice."""
        return max(1, self.chips // self.chips_per_host)

    @property
    def several_hosts(self) -> bool:
        """Whether the pool's nodes make one slice together, and need its placement policy."""
        return self.hosts > 1


def tpu_slice(pool: Pool, machine: Machine) -> TpuSlice | None:
    """The slice of a TPU pool, by default that of one host; None for other machines. Raises NoSuchSlice."""
    if machine.vendor != TPU_VENDOR:
        return None
    host = tpu(machine.name).host_topology
    topology = pool.topology or host
    if topology is None:
        raise NoSuchSlice(f"which topologies {machine.name} takes is not established: give topology")
    made = TpuSlice(topology=topology, chips_per_host=int(machine.gpu_count))
    if made.chips < made.chips_per_host or made.chips % made.chips_per_host:
        raise NoSuchSlice(
            f"topology {topology} has {made.chips} chips, and {machine.name} comes with {made.chips_per_host}: give a multiple, such as {host}"
        )
    if host is not None and topology.count("x") != host.count("x"):
        raise NoSuchSlice(f"topology {topology}: slices of {machine.name} have {host.count('x') + 1} sides, such as {host}")
    return made
