"""TPU hosts on GKE: chip figures, accelerator label and topology. Chips, vCPU and memory of a host are in its machine row."""

from __future__ import annotations

import re
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


_SLICE = re.compile(r"v\d+(?:e|p|litepod)?-\d+|V\d+(?:E|P|LITE_POD)? \d+x\d+(?:x\d+)?")
"""`acceleratorType` of the TPU API, and its `acceleratorConfig` as generation and topology (Cloud TPU API v2)."""


def is_slice(name: str) -> bool:
    """Whether `name` is a slice of the TPU API, such as `v5litepod-8` or `V5P 2x2x2`, which is bought whole and has no row."""
    return _SLICE.fullmatch(name) is not None


def tpu(machine: str) -> Tpu:
    """The TPU host type. Raises UnknownName with the nearest ones."""
    known = {t.machine: t for t in tpus()}
    if machine in known:
        return known[machine]
    raise UnknownName("TPU machine", machine, known)
