"""What Compute Engine and GKE know of a machine type: where it is offered, its accelerators, its interfaces, how it is sold."""

from __future__ import annotations

from components import catalog
from components.catalog import Machine
from components.catalog.gcp_networks import gcp_networks
from components.catalog.gke_machines import GkeMachine, gke_machine
from scripts.sandbox.kinds.gcp import paths
from scripts.sandbox.refusal import Refusal

_ORDINARY_INTERFACES = 10
"""Compute Engine documentation, multiple network interfaces: no machine takes more, and small ones fewer."""


def machine(name: str, zone: str) -> Machine:
    """The machine type in a zone. Raises Refusal when the catalogue has none of that name, or knows that the region has none."""
    found = catalog.find_machine("gcp", name)
    offered = catalog.regions("gcp", name) if found else ()
    if found is None or (offered and paths.region_of(zone) not in offered):
        known = f"offered in {', '.join(offered)}" if offered else "the simulated cloud knows the machines of the catalogue"
        raise Refusal(
            "Error 400",
            f"Machine type with name '{name}' does not exist in zone '{zone}' ({known}), badRequest",
            source="D8: terraform-google-kubernetes-engine#263",
        )
    return found


def in_gke(found: Machine) -> GkeMachine | None:
    return gke_machine(found)


def accelerators(found: Machine) -> int:
    """GPUs or TPU chips of one machine; a share of a GPU counts as one, as GKE attaches it."""
    return max(1, int(found.gpu_count)) if found.gpu_count else 0


def is_gpu(found: Machine) -> bool:
    return found.vendor == "NVIDIA"


def is_tpu(found: Machine) -> bool:
    return found.vendor == "Google"


def most_interfaces(found: Machine) -> int:
    """Network interfaces of a machine in all, where the catalogue knows its fabric; else the most that any machine takes."""
    networks = gcp_networks(found)
    if networks is None or not (found.rdma_interfaces or 0):
        return _ORDINARY_INTERFACES
    return 1 + networks.gpu_networks + networks.gvnic_networks + networks.rdma_subnets
