"""Which pools of a spec have a fast fabric, and which networks the cluster therefore has. Plain decisions."""

from __future__ import annotations

from ipaddress import IPv4Network

from components import catalog
from components.catalog import Machine
from components.catalog.gcp_networks import GcpNetworks, gcp_networks
from components.regional_addresses import fabric_subnets, plan
from components.spec import Pool, Spec, TrainingSpec

from .fabric_outline import FabricOutline, fabric_outline, one_fabric
from .places import pool_zone


def wants_fabric(spec: Spec, pool: Pool, machine: Machine) -> bool:
    """The fabric belongs to training pools that do not turn it off, and to inference pools whose file asks for it: models over nodes."""
    asked = isinstance(spec, TrainingSpec) or "fabric" in pool.model_fields_set
    return machine.fabric is not None and pool.fabric != "none" and asked


def needed_networks(spec: Spec) -> dict[str, tuple[GcpNetworks, str]]:
    """By pool: the extra networks that its nodes are attached to, and its zone."""
    found: dict[str, tuple[GcpNetworks, str]] = {}
    for pool in spec.pools:
        machine = catalog.machine("gcp", pool.machine_types[0])
        needs = gcp_networks(machine)
        if needs is not None and pool.fabric == "auto" and wants_fabric(spec, pool, machine):
            found[pool.name] = (needs, pool_zone(spec, pool))
    return found


def fabric_of(spec: Spec) -> FabricOutline | None:
    """The cluster's one fabric; None where no pool has any, or GKE manages it. Raises FabricsConflict, DoesNotFit."""
    shared = one_fabric(needed_networks(spec))
    if shared is None:
        return None
    needs, zone = shared
    return fabric_outline(needs, zone, fabric_ranges(spec))


def fabric_ranges(spec: Spec) -> tuple[IPv4Network, ...]:
    """Subnets for the fabric: of the cluster's own range, or of the range given for it beside an existing network."""
    existing = spec.network.existing
    if existing is None:
        return plan(spec.network.cidr).fabric
    if existing.fabric_cidr is None:
        raise ValueError("the fabric's networks need addresses beside the existing network: give network.existing.fabric_cidr")
    return fabric_subnets(existing.fabric_cidr)
