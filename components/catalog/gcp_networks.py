"""The networks that a GPU pool on GKE must be given besides its own, by machine family."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal, cast

from .machine_types import Machine
from .tables import as_of, rows, source


@dataclass(frozen=True, slots=True, kw_only=True)
class GcpNetworks:
    """Extra networks of a family's pools."""

    family: str
    gpu_networks: int
    """VPCs with one subnet each, one per GPU interface (A3 High, Edge, Mega)."""
    gvnic_networks: int
    """VPCs for extra gVNIC interfaces beside the pool's own."""
    rdma_subnets: int
    """Subnets of the one RDMA VPC, one per RDMA interface."""
    mtu: int
    device_mode: Literal["NetDevice", "RDMA"]
    """Of the GPU interfaces; an extra gVNIC is NetDevice."""
    network_profile: str | None
    """Suffix of the zonal network profile of the RDMA VPC: `<zone>-vpc-roce`."""
    notes: str
    source: str
    as_of: date | None


@cache
def _networks() -> dict[str, GcpNetworks]:
    return {
        row["family"]: GcpNetworks(
            family=row["family"],
            gpu_networks=int(row["gpu_networks"]),
            gvnic_networks=int(row["gvnic_networks"]),
            rdma_subnets=int(row["rdma_subnets"]),
            mtu=int(row["mtu"]),
            device_mode=cast('Literal["NetDevice", "RDMA"]', row["device_mode"]),
            network_profile=row["network_profile"] or None,
            notes=row["notes"],
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("gcp_networks")
    }


def gcp_networks(machine: Machine) -> GcpNetworks | None:
    """What a pool of `machine` needs; None for a machine without fabric, and for A4X Max, which takes no extra networks (DRANET)."""
    return _networks().get(machine.family) if machine.fabric else None
