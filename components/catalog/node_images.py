"""Node images: what each ships of the GPU stack, and which one a machine takes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import cast

from .machine_types import Arch, Machine
from .names import Cloud, cloud_named
from .tables import as_of, claim, rows, source, words

NVIDIA = "NVIDIA"
CPU = "CPU"
NOT_ESTABLISHED = "?"
"""Among the vendors of a row: the list may not be complete."""
IMAGE_WORDS = ("auto", "al2023", "bottlerocket", "ubuntu")


class UnsuitableImage(ValueError):
    """The image does not run on the machine; the text says why and what to take instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageKind:
    """One kind of node image as the cloud's API spells it."""

    cloud: Cloud
    kind: str
    os: str
    """`al2023`, `bottlerocket`, `al2`, `cos`, `ubuntu`, `azurelinux`, `windows` or `custom`."""
    arch: Arch | None
    """None: built for several, or decided by whoever built it."""
    serves: tuple[str, ...]
    """Vendors whose accelerators it serves, and `CPU` for machines without any; () for the user's own image."""
    serves_others: bool | None
    """None where it is not established whether it serves vendors that `serves` does not name."""
    driver: bool | None
    driver_branch: str | None
    """Branch of the NVIDIA driver in it ("580"), where known."""
    toolkit: bool | None
    device_plugin: bool | None
    mig_manager: bool | None
    fabric_manager: bool | None
    efa: bool | None
    """Whether the EFA kernel module and rdma-core are in it. Like the others: None for the user's own image, which says nothing.

    GKE and AKS put driver and plugin on the node themselves, which is not in the image: `notes` say when.
    """
    families: tuple[str, ...]
    """Machine families that the vendor supports it on; () where it is not bound to families."""
    offered: bool
    """Whether new node groups may still use it."""
    notes: str
    source: str
    as_of: date | None


@cache
def _images() -> dict[tuple[str, str], ImageKind]:
    return {
        (row["cloud"], row["kind"]): ImageKind(
            cloud=cloud_named(row["cloud"]),
            kind=row["kind"],
            os=row["os"],
            arch=cast("Arch | None", row["arch"] or None),
            serves=tuple(vendor for vendor in words(row["serves"]) if vendor != NOT_ESTABLISHED),
            serves_others=None if NOT_ESTABLISHED in words(row["serves"]) else False,
            driver=claim(row["driver"]),
            driver_branch=row["driver_branch"] or None,
            toolkit=claim(row["toolkit"]),
            device_plugin=claim(row["device_plugin"]),
            mig_manager=claim(row["mig_manager"]),
            fabric_manager=claim(row["fabric_manager"]),
            efa=claim(row["efa"]),
            families=words(row["families"]),
            offered=row["offered"] == "yes",
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("images")
    }


def image(cloud: str, kind: str) -> ImageKind | None:
    """What the image kind ships, or None for a kind that the catalogue does not hold."""
    return _images().get((cloud_named(cloud), kind))


def images(cloud: str | None = None) -> tuple[ImageKind, ...]:
    wanted = None if cloud is None else cloud_named(cloud)
    return tuple(i for i in _images().values() if wanted in (None, i.cloud))


def ami_type(machine: Machine, word: str) -> str:
    """The EKS AMI type that `word` of a stack file (auto, al2023, bottlerocket, ubuntu) means on an AWS machine.

    `ubuntu` is `CUSTOM`: EKS has no type for it, the launch template names the image.
    Raises UnsuitableImage with the reason and the way out when no such image runs on the machine.
    """
    if machine.cloud != "aws":
        raise UnsuitableImage(f"{machine.name} is a {machine.cloud} machine: EKS AMI types are for AWS machines")
    if word not in IMAGE_WORDS:
        raise UnsuitableImage(f"image {word!r} is not known: take one of {', '.join(IMAGE_WORDS)}")
    if word == "ubuntu":
        return "CUSTOM"
    os = "al2023" if word == "auto" else word
    for kind in images("aws"):
        if kind.os == os and _runs_on(kind, machine):
            return kind.kind
    raise UnsuitableImage(_why_not(machine, os))


def unsuitable(kind: ImageKind, machine: Machine) -> str | None:
    """Why nodes of `machine` cannot be started from `kind`, or would not offer their accelerators; None when they can.

    Says nothing about the user's own image (`CUSTOM`), which serves nobody by its row.
    """
    if kind.cloud != machine.cloud:
        return f"{kind.kind} is an image of {kind.cloud}, {machine.name} a machine of {machine.cloud}"
    if not kind.offered:
        return f"{kind.kind} is not offered to new node groups or not described: {kind.notes}"
    if (machine.vendor or CPU) not in kind.serves:
        return f"{kind.kind} serves {', '.join(kind.serves) or 'nobody'}, and {machine.name} has {machine.vendor or 'no'} accelerators"
    if kind.arch not in (None, machine.arch):
        return f"{kind.kind} is built for {kind.arch}, and {machine.name} is {machine.arch}"
    if kind.families and machine.family not in kind.families:
        return f"{kind.kind} does not support {machine.family}, only {', '.join(kind.families)}"
    return None


def _runs_on(kind: ImageKind, machine: Machine) -> bool:
    return unsuitable(kind, machine) is None


def _why_not(machine: Machine, os: str) -> str:
    others = tuple(dict.fromkeys(kind.os for kind in images("aws") if _runs_on(kind, machine)))
    if others:
        return f"no {os} image serves {machine.family} machines ({machine.arch}, {machine.vendor or CPU}): take image {' or '.join(others)}"
    if machine.vendor == NVIDIA:
        need = f" (it takes: {machine.min_image})" if machine.min_image else ""
        return f"no EKS image with a driver supports {machine.family}{need}: take image ubuntu, where the GPU Operator installs the driver"
    return f"no EKS image serves {machine.vendor or CPU} machines of family {machine.family}: take another machine"
