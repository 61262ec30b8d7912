"""TPU hosts on GKE: chip figures, accelerator label and topology. Chips, vCPU and memory of a host are in its machine row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from .names import UnknownName
from .tables import as_of, number, rows, source


@dataclass(frozen=True, slots=True, kw_only=True)
class Tpu:
    """One TPU host type. Throughput is per chip, in TFLOPS (TOPS for int8)."""

    machine: str
    generation: str
    accelerator_label: str | None
    """Value of the GKE label `cloud.google.com/gke-tpu-accelerator`."""
    host_topology: str | None
    hbm_bandwidth_gbs: float | None
    bf16_tflops: float | None
    int8_tops: float | None
    fp8_tflops: float | None
    notes: str
    source: str
    as_of: date | None


@cache
def tpus() -> tuple[Tpu, ...]:
    return tuple(
        Tpu(
            machine=row["machine"],
            generation=row["generation"],
            accelerator_label=row["accelerator_label"] or None,
            host_topology=row["host_topology"] or None,
            hbm_bandwidth_gbs=number(row["hbm_bandwidth_gbs"]),
            bf16_tflops=number(row["bf16_tflops"]),
            int8_tops=number(row["int8_tops"]),
            fp8_tflops=number(row["fp8_tflops"]),
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("tpus")
    )


def tpu(machine: str) -> Tpu:
    """The TPU host type. Raises UnknownName with the nearest ones."""
    known = {t.machine: t for t in tpus()}
    if machine in known:
        return known[machine]
    raise UnknownName("TPU machine", machine, known)
