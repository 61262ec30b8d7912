"""Who provides each part of the GPU stack on a pool: decided here once, read by the node pool, the GPU Operator's values and the plan.

One owner each, or things break quietly: two drivers or none (C1-C3), two device plugins (C7), a plugin that the image already runs (C13).
Facts: the image kinds of the catalogue, and the values per image of the GPU Operator's documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from .catalog import ImageKind, Machine
from .inventory import Cloud, Owner

NO_MIG_FAMILIES = ("p6e-gb200",)
"""AWS runs their GPUs with memory managed by the driver (CDMM): no MIG."""


class FabricPlugin(StrEnum):
    """Who advertises the fabric's devices to the kubelet."""

    CHART = "chart"
    """A chart of its own, such as aws-efa-k8s-device-plugin."""
    CLOUD = "cloud"
    NOBODY = "nobody"


class OwnerUnknown(ValueError):
    """Nothing says what the image ships."""


class OwnersConflict(ValueError):
    """Pools of one cluster need different values of the one GPU Operator. The text names both sides."""


@dataclass(frozen=True, kw_only=True)
class Ownership:
    """The owner of each part on the nodes of one pool."""

    driver: Owner
    toolkit: Owner
    device_plugin: Owner
    nfd: Owner
    gfd: Owner
    exporter: Owner
    mig_manager: Owner
    fabric_plugin: FabricPlugin


NO_GPU = Ownership(
    driver=Owner.NOBODY,
    toolkit=Owner.NOBODY,
    device_plugin=Owner.NOBODY,
    nfd=Owner.NOBODY,
    gfd=Owner.NOBODY,
    exporter=Owner.NOBODY,
    mig_manager=Owner.NOBODY,
    fabric_plugin=FabricPlugin.NOBODY,
)
TPU = replace(NO_GPU, driver=Owner.CLOUD, device_plugin=Owner.CLOUD)
"""GKE brings what a TPU needs; no part of NVIDIA's stack runs there."""
TPU_VENDOR = "Google"


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """What decides the owners beside image, machine and fabric."""

    cloud_driver: bool = False
    """Whether the managed service itself installs the driver, where that is a choice."""
    network_operator: bool = False
    """Whether the cluster runs NVIDIA's Network Operator."""
    managed_metrics: bool = False
    """Whether the cloud's own exporter is turned on."""


ORDINARY = Circumstances()


def decide(cloud: Cloud, image: ImageKind, machine: Machine, *, fabric: bool, here: Circumstances = ORDINARY) -> Ownership:
    """The owners on nodes of `machine` started from `image`: what image and cloud bring is theirs, the rest is the operator's.

    Raises OwnerUnknown for an image that does not say what it ships: an owner is never guessed.
    """
    return _TABLES[cloud](image, machine, fabric, here) if machine.gpu_count else NO_GPU


def _on_aws(image: ImageKind, machine: Machine, fabric: bool, _here: Circumstances) -> Ownership:
    return Ownership(
        driver=_owner(image, "driver", shipped=image.driver),
        toolkit=_owner(image, "toolkit", shipped=image.toolkit),
        device_plugin=_owner(image, "device plugin", shipped=image.device_plugin),
        nfd=Owner.GPU_OPERATOR,
        gfd=Owner.GPU_OPERATOR,
        exporter=Owner.GPU_OPERATOR,
        mig_manager=Owner.NOBODY if machine.family in NO_MIG_FAMILIES else _owner(image, "MIG manager", shipped=image.mig_manager),
        fabric_plugin=FabricPlugin.CHART if fabric else FabricPlugin.NOBODY,
    )


def _on_gcp(image: ImageKind, machine: Machine, fabric: bool, here: Circumstances) -> Ownership:
    """GKE's own stack on Container-Optimized OS (C5: the operator has no driver for it); the operator's whole stack on Ubuntu.

    C7: never some of each, since two device plugins, or a pool with GKE's label among pools without it, make GPUs come and go.
    """
    if machine.vendor == TPU_VENDOR:
        return TPU
    cos = image.os == "cos"
    owner = Owner.CLOUD if cos else Owner.GPU_OPERATOR
    return Ownership(
        driver=owner,
        toolkit=owner,
        device_plugin=owner,
        nfd=Owner.NOBODY if cos else Owner.GPU_OPERATOR,
        gfd=Owner.NOBODY if cos else Owner.GPU_OPERATOR,
        exporter=(Owner.CLOUD if here.managed_metrics else Owner.NOBODY) if cos else Owner.GPU_OPERATOR,
        mig_manager=owner,
        fabric_plugin=FabricPlugin.CLOUD if fabric else FabricPlugin.NOBODY,
    )


def _on_azure(_image: ImageKind, _machine: Machine, fabric: bool, here: Circumstances) -> Ownership:
    """No image ships a part. AKS installs driver and toolkit together or neither (C2, C3), and divides GPUs where it does."""
    brought = Owner.CLOUD if here.cloud_driver else Owner.GPU_OPERATOR
    return Ownership(
        driver=brought,
        toolkit=brought,
        device_plugin=Owner.GPU_OPERATOR,
        # C18: the Network Operator's release carries the one node feature discovery of a cluster, since its own rule must label nodes first
        nfd=Owner.NETWORK_OPERATOR if here.network_operator else Owner.GPU_OPERATOR,
        gfd=Owner.GPU_OPERATOR,
        exporter=Owner.GPU_OPERATOR,
        mig_manager=brought,
        fabric_plugin=FabricPlugin.CHART if fabric else FabricPlugin.NOBODY,
    )


_TABLES: Mapping[Cloud, Callable[[ImageKind, Machine, bool, Circumstances], Ownership]] = {
    "aws": _on_aws,
    "gcp": _on_gcp,
    "azure": _on_azure,
}


def _owner(image: ImageKind, part: str, *, shipped: bool | None) -> Owner:
    if shipped is None:
        raise OwnerUnknown(f"image kind {image.kind} does not say whether it ships the {part}: its owner is not guessed (C3)")
    return Owner.IMAGE if shipped else Owner.GPU_OPERATOR


OPERATOR_SWITCHES: Mapping[str, str] = {
    "driver": "driver",
    "toolkit": "toolkit",
    "device_plugin": "devicePlugin",
    "nfd": "nfd",
    "gfd": "gfd",
    "exporter": "dcgmExporter",
    "mig_manager": "migManager",
}
"""Each part and the section of the gpu-operator chart whose `enabled` turns it on."""


def operator_values(ownerships: Mapping[str, Ownership]) -> dict[str, dict[str, object]]:
    """The GPU Operator values that these pools (name to owners; those without a GPU do not matter) agree on.

    One operator has one setting for all nodes. Raises OwnersConflict when two pools need different ones (C3).
    """
    gpu = {pool: owners for pool, owners in ownerships.items() if owners not in (NO_GPU, TPU)}
    return {section: {"enabled": _agreed(part, gpu)} for part, section in OPERATOR_SWITCHES.items()}


def _agreed(part: str, ownerships: Mapping[str, Ownership]) -> bool:
    wanted: dict[bool, list[str]] = {}
    for pool, owners in ownerships.items():
        wanted.setdefault(getattr(owners, part) is Owner.GPU_OPERATOR, []).append(pool)
    if len(wanted) == 2:
        raise OwnersConflict(
            f"pools {', '.join(wanted[True])} need the GPU Operator's {part.replace('_', ' ')}, "
            f"pools {', '.join(wanted[False])} bring their own: give them images of one kind, or put them into two clusters"
        )
    return next(iter(wanted), False)
