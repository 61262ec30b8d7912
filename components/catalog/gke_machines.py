"""What GKE wants to know of a machine beyond its size: the accelerator's name, its disks, and how its capacity is sold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from .machine_types import Machine
from .tables import as_of, claim, rows, source, whole, words


@dataclass(frozen=True, slots=True, kw_only=True)
class GkeMachine:
    """One kind of accelerated machine as a GKE node pool spells it."""

    machines: tuple[str, ...]
    """Families, or machine types where a family is not all alike."""
    accelerator: str
    """Type of `guest_accelerators`; for TPUs the value of the label `cloud.google.com/gke-tpu-accelerator`."""
    boot_disk: str
    """Disk type of the boot disk that it takes."""
    local_ssd_gib: int | None
    """Size of each local SSD that comes with the machine and its price; None where none does."""
    modes: tuple[str, ...]
    """Ways in which its capacity is sold; () where none is known to be refused."""
    compact_flex: bool | None
    """Whether flex-start nodes may be placed compactly."""
    notes: str
    source: str
    as_of: date | None


@cache
def _rows() -> dict[str, GkeMachine]:
    made: dict[str, GkeMachine] = {}
    for row in rows("gke_machines"):
        kind = GkeMachine(
            machines=words(row["machines"]),
            accelerator=row["accelerator"],
            boot_disk=row["boot_disk"],
            local_ssd_gib=whole(row["local_ssd_gib"]),
            modes=words(row["modes"]),
            compact_flex=claim(row["compact_flex"]),
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        made |= dict.fromkeys(kind.machines, kind)
    return made


def gke_machine(machine: Machine) -> GkeMachine | None:
    """What GKE wants to know of `machine`; None where no source says what its node pools look like."""
    if machine.cloud != "gcp":
        return None
    held = _rows()
    return held.get(machine.name) or held.get(machine.family)


def local_ssds(machine: Machine) -> int:
    """Local SSDs that come with `machine`: 0 where they are optional, since they would be paid for."""
    kind = gke_machine(machine)
    if kind is None or kind.local_ssd_gib is None or machine.nvme_gib is None:
        return 0
    return round(machine.nvme_gib / kind.local_ssd_gib)
