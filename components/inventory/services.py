"""Managed services that bill beside the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.unknown import Maybe

from .clouds import Cloud


@dataclass(frozen=True, kw_only=True)
class ControlPlane:
    """A managed Kubernetes control plane, billed by the hour."""

    urn: str
    name: str
    cloud: Cloud
    region: Maybe[str]
    version: Maybe[str | None]
    tier: Maybe[str | None] = None
    """The cloud's own word for what it charges (`Free`, `Standard`, `Premium` on AKS); None where there is one price or none is named."""
    deletion_protection: Maybe[bool | None] = None
    """Whether the cloud refuses to delete it; None where the program does not say."""
    protected: bool = False
    """Whether Pulumi refuses to delete it (resource option `protect`)."""
    tags: Maybe[Mapping[str, Maybe[str]]] | None = None
    """Tags or labels of its own; None where the reader does not tell."""
    tags_everywhere: Maybe[Mapping[str, Maybe[str]]] | None = None
    """Those that its provider puts on everything; None where the cloud's providers have none."""
    tag_property: str = "tags"
    """Where the cloud's resource has them."""
    existing: bool = False
    """Whether the program only looks it up: its other pools, its owner and its bill are elsewhere."""


@dataclass(frozen=True, kw_only=True)
class Disk:
    """Block storage. `count` multiplies it: root disks follow their pool's nodes and are not listed apart."""

    urn: str
    cloud: Cloud
    region: Maybe[str]
    kind: Maybe[str]
    gib: Maybe[float]


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """Object storage, billed by what it holds: no plan knows how much."""

    urn: str
    cloud: Cloud
    region: Maybe[str]


@dataclass(frozen=True, kw_only=True)
class FileSystem:
    """A managed file system of a fixed size."""

    urn: str
    cloud: Cloud
    region: Maybe[str]
    tier: Maybe[str]
    """The service's price list and row: `fsx_lustre/persistent_2_ssd_125_gb_month`."""
    gib: Maybe[float]
