"""Does this image run on this pool, and if not, why: node image against machine, container against driver and GPU (I1)."""

from __future__ import annotations

from dataclasses import dataclass

from .containers import Container
from .drivers import at_least, cuda_serves
from .gpus import gpu
from .machine_types import Machine
from .node_images import CPU, NVIDIA, ImageKind, unsuitable


@dataclass(frozen=True, slots=True)
class Fit:
    """The answer. `runs` is None where a fact is missing that would decide it: neither a yes nor a no."""

    runs: bool | None
    reason: str


def node_image(kind: ImageKind, machine: Machine) -> Fit:
    """Whether nodes of `machine` can be started from `kind` and offer their accelerators."""
    if kind.os == "custom":
        return Fit(None, f"{kind.kind}: the launch template names the image, and nothing says what is in it")
    vendor = machine.vendor or CPU
    if kind.cloud == machine.cloud and vendor not in kind.serves and kind.serves_others is None:
        return Fit(None, f"whether {kind.kind} serves {vendor} accelerators is not established")
    reason = unsuitable(kind, machine)
    return Fit(reason is None, reason or f"{kind.kind} serves {machine.family}")


def container(image: Container, machine: Machine, driver: str | None) -> Fit:
    """Whether `image` runs on the GPUs of `machine` under `driver` ("580" or "580.95.05"; None: not known which).

    The driver comes from `ImageKind.driver_branch` where the node image brings it, else from the GPU Operator's values.
    """
    named = f"{image.image} {image.release} (CUDA {image.cuda})"
    if machine.vendor != NVIDIA:
        return Fit(False, f"{named} is built for NVIDIA GPUs, and {machine.name} has {machine.vendor or 'no'} accelerators")
    if not _compiled_for(image.cuda, machine):
        return Fit(False, f"CUDA {image.cuda} does not support the {machine.gpu_model} of {machine.name}: take an older release")
    if driver is None:
        return Fit(None, f"{named} needs driver {image.min_driver} or later, and the driver of the pool is not known")
    if at_least(driver, image.min_driver):
        return Fit(True, f"driver {driver} runs CUDA {image.cuda} (needs {image.min_driver} or later)")
    if int(driver.partition(".")[0]) in image.forward_branches:
        return Fit(
            None,
            f"driver {driver} is older than {image.min_driver}; the release notes allow it through CUDA's forward-compatibility package only",
        )
    return Fit(
        False, f"{named} needs driver {image.min_driver} or later, and the pool has {driver}: take an older release or a newer node image"
    )


def _compiled_for(cuda: str, machine: Machine) -> bool:
    """False only where a bound is known and broken."""
    capability = gpu(machine.gpu_model or "").compute_capability
    return capability is None or cuda_serves(cuda, capability) is not False
