"""How the GPUs of a pool are shared: what its nodes are labelled with, and what they then offer to pods. Pure.

Sources: NVIDIA GPU Operator documentation, "Time-Slicing GPUs in Kubernetes" and "GPU Operator with MIG".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from components import catalog

from .catalog import Machine
from .inventory import Owner
from .ownership import Ownership
from .spec import Mig, TimeSlices

GPU = "nvidia.com/gpu"
SHARED_GPU = "nvidia.com/gpu.shared"
"""I6: what a slice is called, so that no job takes it for a whole GPU."""
PLUGIN_CONFIG_LABEL = "nvidia.com/device-plugin.config"
MIG_CONFIG_LABEL = "nvidia.com/mig.config"
WHOLE_GPUS = "whole"
"""Name of the device plugin's configuration on nodes without the label."""


class CannotShare(ValueError):
    """The GPUs of this pool cannot be shared that way. The text says why, and what to do."""


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """What a node is labelled with, and the extended resources that it offers. Empty `offers`: not known before a node runs."""

    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    offers: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    time_slices: int = 1
    mig: bool = False
    cloud_mig: str | None = None
    """The profile, where the managed service divides the GPUs as it makes a node."""


NO_GPUS = Sharing()


def sharing(wanted: Mig | TimeSlices | str, machine: Machine, owners: Ownership, *, grows_from_zero: bool) -> Sharing:
    """The sharing of a pool of `machine`. Raises CannotShare."""
    gpus = machine.devices
    if isinstance(wanted, TimeSlices):
        return _sliced(wanted.time_slices, gpus, owners)
    if isinstance(wanted, Mig):
        return _divided(wanted.mig, machine, owners, grows_from_zero=grows_from_zero)
    return Sharing(offers={GPU: gpus}) if gpus else NO_GPUS


def _sliced(slices: int, gpus: int, owners: Ownership) -> Sharing:
    if owners.device_plugin is not Owner.GPU_OPERATOR:
        raise CannotShare(
            "the image runs its own device plugin, which the GPU Operator cannot set to time slices: use image al2023, or none"
        )
    labels = {PLUGIN_CONFIG_LABEL: plugin_config_name(slices)}
    return Sharing(labels=labels, offers={SHARED_GPU: gpus * slices}, time_slices=slices)


def _divided(word: str, machine: Machine, owners: Ownership, *, grows_from_zero: bool) -> Sharing:
    if not machine.mig:
        raise CannotShare(f"{machine.gpu_model} of {machine.name} is not known to divide: use none")
    if owners.mig_manager not in (Owner.GPU_OPERATOR, Owner.CLOUD):
        raise CannotShare("no MIG manager of the GPU Operator runs on this image and machine: use image al2023 on another machine, or none")
    profile = word.removeprefix("all-")
    layout = f"all-{profile}" if re.fullmatch(r"\d+g\..+", profile) else word
    offers = _mig_devices(profile, machine)
    if not offers and grows_from_zero:
        # F1: the autoscaler starts no first node for a resource that it has never seen.
        smallest = _smallest(machine)
        hint = f"use {smallest}, or " if smallest else ""
        raise CannotShare(
            f"how many devices {word} makes of one {machine.gpu_model} is not established, so no first node would start: {hint}nodes.min 1"
        )
    if owners.mig_manager is Owner.CLOUD:
        return Sharing(offers=offers, mig=True, cloud_mig=profile)
    return Sharing(labels={MIG_CONFIG_LABEL: layout}, offers=offers, mig=True)


def _mig_devices(profile: str, machine: Machine) -> dict[str, int]:
    """The devices of a node; known for the smallest profile of each GPU model only."""
    model = next((gpu for gpu in catalog.gpus.gpus() if gpu.model == machine.gpu_model), None)
    if model is None or not model.mig_instances or profile != model.mig_smallest_profile:
        return {}
    return {f"nvidia.com/mig-{profile}": model.mig_instances * machine.devices}


def _smallest(machine: Machine) -> str | None:
    return next((gpu.mig_smallest_profile for gpu in catalog.gpus.gpus() if gpu.model == machine.gpu_model), None)


def plugin_config_name(slices: int) -> str:
    return f"slices-{slices}" if slices > 1 else WHOLE_GPUS


def plugin_configs(slices: Iterable[int]) -> dict[str, str]:
    """The device plugin's configurations by name (JSON, which is YAML): whole GPUs, and one for each number of slices."""
    configs: dict[str, str] = {WHOLE_GPUS: json.dumps({"version": "v1"})}
    for number in sorted({n for n in slices if n > 1}):
        slicing = {
            "renameByDefault": True,
            "failRequestsGreaterThanOne": True,  # two slices may lie on one GPU: a request for two would not get twice as much
            "resources": [{"name": GPU, "replicas": number}],
        }
        configs[plugin_config_name(number)] = json.dumps({"version": "v1", "sharing": {"timeSlicing": slicing}})
    return configs
