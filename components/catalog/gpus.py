"""GPU models: memory, throughput and partitions of one GPU, and the GPUs that GCP attaches to N1 machines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache

from .names import UnknownName
from .tables import as_of, number, rows, source, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU model. Throughput is dense, in TFLOPS (TOPS for int8); None where no source establishes a figure."""

    model: str
    """As `Machine.gpu_model` names it."""
    form_factor: str
    architecture: str
    compute_capability: str | None
    memory_gib: float
    memory_type: str | None
    bandwidth_gbs: float | None
    fp16_tflops: float | None
    bf16_tflops: float | None
    fp8_tflops: float | None
    int8_tops: float | None
    fp4_tflops: float | None
    nvlink_gbs: float | None
    mig_instances: int | None
    """Most MIG instances; 0 for none, None where not established."""
    mig_smallest_profile: str | None
    tdp_w: float | None
    min_cuda: str | None
    min_driver_branch: int | None
    notes: str
    source: str
    as_of: date | None


@cache
def gpus() -> tuple[Gpu, ...]:
    return tuple(
        Gpu(
            model=row["model"],
            form_factor=row["form_factor"],
            architecture=row["architecture"],
            compute_capability=row["compute_capability"] or None,
            memory_gib=float(row["memory_gib"]),
            memory_type=row["memory_type"] or None,
            bandwidth_gbs=number(row["bandwidth_gbs"]),
            fp16_tflops=number(row["fp16_tflops"]),
            bf16_tflops=number(row["bf16_tflops"]),
            fp8_tflops=number(row["fp8_tflops"]),
            int8_tops=number(row["int8_tops"]),
            fp4_tflops=number(row["fp4_tflops"]),
            nvlink_gbs=number(row["nvlink_gbs"]),
            mig_instances=whole(row["mig_instances"]),
            mig_smallest_profile=row["mig_smallest_profile"] or None,
            tdp_w=number(row["tdp_w"]),
            min_cuda=row["min_cuda"] or None,
            min_driver_branch=whole(row["min_driver_branch"]),
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("gpus")
    )


def gpu(model: str) -> Gpu:
    """The GPU model. Raises UnknownName with the nearest models."""
    known = {g.model: g for g in gpus()}
    if model in known:
        return known[model]
    raise UnknownName("GPU model", model, known)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedGpus:
    """GPUs that GCP attaches to an N1 machine, by accelerator type and count, with the largest machine that takes them."""

    accelerator: str
    gpu_model: str
    count: int
    max_vcpus: int
    max_memory_gib: int
    quota_on_demand: str
    quota_spot: str
    source: str
    as_of: date | None


@cache
def attached_gpus() -> tuple[AttachedGpus, ...]:
    return tuple(
        AttachedGpus(
            accelerator=row["accelerator"],
            gpu_model=row["gpu_model"],
            count=int(row["gpu_count"]),
            max_vcpus=int(row["max_vcpus"]),
            max_memory_gib=int(row["max_memory_gib"]),
            quota_on_demand=row["quota_on_demand"],
            quota_spot=row["quota_spot"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("gcp_attached_gpus")
    )
