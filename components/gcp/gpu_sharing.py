"""How the GPUs of a pool are shared on GKE: by GKE's own device plugin, or by the GPU Operator's where that owns the stack.

Source: GKE documentation, "GPU sharing" (time-sharing up to 48 clients, offered as `nvidia.com/gpu` under GKE's own node labels) and
"Running multi-instance GPUs" (one partition size for all GPUs of a pool).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType

from components import catalog
from components.catalog import Machine
from components.inventory import Owner
from components.ownership import TPU_VENDOR, Ownership
from components.sharing import GPU, CannotShare, Sharing, sharing
from components.spec import Mig, TimeSlices

TPU = "google.com/tpu"
PROFILE = r"\d+g\.\d+gb"


@dataclass(frozen=True, kw_only=True)
class GpuSharing:
    """What the pool's accelerator says of sharing."""

    clients_per_gpu: int = 1
    """Pods that time-share each GPU."""
    partition_size: str | None = None
    """MIG profile of all GPUs."""


WHOLE = GpuSharing()


def gpu_sharing(
    wanted: Mig | TimeSlices | str, machine: Machine, owners: Ownership, *, grows_from_zero: bool
) -> tuple[GpuSharing, Sharing]:
    """What the pool says, and what its nodes offer. Raises CannotShare."""
    if machine.vendor == TPU_VENDOR:
        return WHOLE, _whole_tpu(wanted, machine)
    if owners.device_plugin is Owner.GPU_OPERATOR:
        return WHOLE, sharing(wanted, machine, owners, grows_from_zero=grows_from_zero)
    gpus = int(machine.gpu_count)
    if isinstance(wanted, TimeSlices):
        made = GpuSharing(clients_per_gpu=wanted.time_slices)
        return made, Sharing(offers=MappingProxyType({GPU: gpus * wanted.time_slices}), time_slices=wanted.time_slices)
    if isinstance(wanted, Mig):
        return _divided(wanted.mig, machine, gpus)
    return WHOLE, Sharing(offers=MappingProxyType({GPU: gpus}))


def _divided(word: str, machine: Machine, gpus: int) -> tuple[GpuSharing, Sharing]:
    """GKE knows how many instances a profile makes, so that pools grow from zero with any; the count is held for the smallest only."""
    if not machine.mig:
        raise CannotShare(f"{machine.gpu_model} of {machine.name} is not known to divide: use none")
    profile = word.removeprefix("all-")
    if not re.fullmatch(PROFILE, profile):
        raise CannotShare(f"{word}: GKE divides all GPUs of a pool alike, by one profile: write a profile such as 1g.10gb")
    model = next((gpu for gpu in catalog.gpus.gpus() if gpu.model == machine.gpu_model), None)
    known = model is not None and model.mig_instances is not None and profile == model.mig_smallest_profile
    offers = {GPU: model.mig_instances * gpus} if known and model is not None and model.mig_instances else {}
    return GpuSharing(partition_size=profile), Sharing(offers=MappingProxyType(offers), mig=True)


def _whole_tpu(wanted: Mig | TimeSlices | str, machine: Machine) -> Sharing:
    if isinstance(wanted, Mig | TimeSlices):
        raise CannotShare(f"TPU chips of {machine.name} are not shared: use none")
    return Sharing(offers=MappingProxyType({TPU: int(machine.gpu_count)}))
