"""What a machine is good for, said from its own facts alone."""

from __future__ import annotations

from collections.abc import Iterator

from components.catalog import Machine
from components.catalog.node_images import NVIDIA

LARGE_MEMORY_GIB = 80


def good_for(machine: Machine) -> tuple[str, ...]:
    return tuple(_claims(machine))


def _claims(machine: Machine) -> Iterator[str]:
    if not machine.accelerated:
        yield "system pools and other CPU work"
        return
    if machine.vendor == "Google":
        yield "TPU slices: training and serving with JAX or XLA; no CUDA"
        return
    if machine.fabric and machine.gpu_count >= 1:
        yield f"training over several nodes: {machine.fabric} between them" + (", NVSwitch inside" if machine.nvlink == "nvswitch" else "")
    elif machine.gpu_count > 1:
        yield "training on one node: no fast fabric leads out of it"
    if machine.gpu_count < 1:
        yield "small inference and notebooks: a share of one GPU"
    elif machine.gpu_count == 1:
        yield "inference of a model that fits one GPU; fine-tuning and development"
    elif (machine.gpu_memory_gib or 0) >= LARGE_MEMORY_GIB:
        total = machine.gpu_count * (machine.gpu_memory_gib or 0)
        yield f"inference of large models: {total:,.0f} GiB of accelerator memory in one node"
    else:
        yield "inference with several replicas on one node, or models split over its GPUs"
    if machine.mig:
        yield "sharing each GPU in isolated parts (MIG)"
    if machine.vendor != NVIDIA:
        yield f"{machine.vendor} software only: no CUDA, so the GPU Operator does not serve it"
