"""Machine families whose GPUs are shared by a hypervisor: they take NVIDIA's GRID driver, and no data-centre driver works (E2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from .machine_types import Machine
from .tables import as_of, claim, rows, source


@dataclass(frozen=True, slots=True, kw_only=True)
class GridFamily:
    cloud: str
    family: str
    cloud_installs: bool | None
    """Whether the managed Kubernetes service installs the GRID driver by itself; None where that is not established."""
    notes: str
    source: str
    as_of: date | None


@cache
def _families() -> dict[tuple[str, str], GridFamily]:
    return {
        (row["cloud"], row["family"]): GridFamily(
            cloud=row["cloud"],
            family=row["family"],
            cloud_installs=claim(row["cloud_installs"]),
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("grid_families")
    }


def grid_family(machine: Machine) -> GridFamily | None:
    """How the machine gets its GRID driver; None for machines that take the data-centre driver."""
    return _families().get((machine.cloud, machine.family))
