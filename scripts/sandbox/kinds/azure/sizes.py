"""VM sizes: what exists, where it is offered, in which zones, and which OS disks fit. Facts of sizes come from the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from components import catalog
from components.catalog import Machine
from scripts.sandbox.refusal import Refusal

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

GIB = 1 << 30
DEFAULT_OS_DISK_GIB = 128
"""What AKS takes for a node when none is given (Azure/aks-baseline-windows#41)."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Machines of one size that something would start."""

    resource: str
    """Path of the machine or scale set."""
    location: str
    size: str
    zones: Sequence[str] = ()
    spot: bool = False
    ephemeral: bool = False
    placement_group: str = ""

    @property
    def subscription(self) -> str:
        return self.resource.split("/")[2] if self.resource.count("/") > 2 else ""


def find(size: str) -> Machine | None:
    """The catalogue's machine of a size; Compute does not tell cases apart."""
    exact = catalog.find_machine("azure", size)
    if exact is not None:
        return exact
    return next((m for m in catalog.machines("azure") if m.name.lower() == size.lower()), None)


def machine(size: str) -> Machine:
    """As `find`. Raises Refusal for a size that the catalogue does not have."""
    found = find(size)
    if found is None:
        raise Refusal(
            "InvalidParameter",
            f"The value {size} provided for the VM size is not valid (the simulated cloud knows the sizes of the catalogue).",
            source="MicrosoftDocs/azure-docs#51062",
        )
    return found


def offered(size: Machine, location: str) -> bool:
    """Whether a region lists a size. Sizes of which no region is known are taken to be everywhere."""
    listed = catalog.regions("azure", size.name)
    return not listed or location in listed


def zones(world: Simulation, size: Machine, location: str) -> tuple[str, ...]:
    """Zones that AKS and Compute offer a size in.

    A world may declare them (`zones: {"eastus/Standard_ND96isr_H100_v5": ["1"]}`); without, sizes with InfiniBand have none and all others
    three. Simplified: the real lists differ by region, size and subscription.
    """
    declared = world.store.meta("zones", {}).get(f"{location}/{size.name}")
    if declared is not None:
        return tuple(str(zone) for zone in declared)
    return () if size.fabric == "infiniband" else ("1", "2", "3")


def refuse_unavailable(world: Simulation, wanted: Wanted) -> Machine:
    """The machine. Raises Refusal as Compute does when region or zone do not offer it."""
    size = machine(wanted.size)
    known = zones(world, size, wanted.location)
    if not offered(size, wanted.location) or any(zone not in known for zone in wanted.zones):
        raise Refusal(
            "SkuNotAvailable",
            f"The requested size for resource '{wanted.resource}' is currently not available in location '{wanted.location}' zones "
            f"'{','.join(wanted.zones)}' for subscription '{wanted.subscription}'. Please try another size or deploy to a different location or "
            "zones. See https://aka.ms/azureskunotavailable for details.",
            source="E7: Azure/AKS#1444, mspnp/aks-baseline#372",
            status=409,
        )
    return size


def refuse_no_room(world: Simulation, wanted: Wanted, zone: str) -> None:
    """Raises Refusal when a capacity fault is set for this size and zone (or region)."""
    size = machine(wanted.size)
    if not world.faults.no_capacity(size.name, f"{wanted.location}-{zone}" if zone else wanted.location):
        return
    constraints = ["Availability Zone"] * bool(zone) + ["Differencing (Ephemeral) Disks"] * wanted.ephemeral
    constraints += ["Proximity Placement Group"] * bool(wanted.placement_group)
    if wanted.ephemeral or wanted.placement_group:
        raise Refusal(
            "OverconstrainedZonalAllocationRequest" if zone else "OverconstrainedAllocationRequest",
            "Allocation failed. VM(s) with the following constraints cannot be allocated, because the condition is too restrictive. Please remove "
            f"some constraints and try again. Constraints applied are: {', '.join([*constraints, 'VM Size'])}",
            source="Azure/karpenter-provider-azure#892, jenkins-infra/helpdesk#3584, Azure-Samples/aks-store-demo#115",
            status=409,
        )
    where = "in this zone" if zone else "in this region"
    raise Refusal(
        "ZonalAllocationFailed" if zone else "AllocationFailed",
        f"Allocation failed. We do not have sufficient capacity for the requested VM size {where}. Read more about improving likelihood of "
        "allocation success at http://aka.ms/allocation-guidance",
        source="Azure/WALinuxAgent#3056, MicrosoftDocs/azure-docs#41402",
        status=409,
    )


def refuse_small_cache(size: str, os_disk_gib: int) -> None:
    """Raises Refusal when an ephemeral OS disk does not fit on a size whose local disk is known."""
    found = machine(size)
    if found.nvme_gib is not None and found.nvme_gib < os_disk_gib:
        raise Refusal(
            "VMCacheSizeTooSmall",
            f"The virtual machine size {size} has a cache size of {int(found.nvme_gib * GIB)} bytes, but the OS disk requires {os_disk_gib * GIB} "
            "bytes. Use a VM size with larger cache or disable ephemeral OS.",
            source="Azure/AKS#1988, hashicorp/terraform-provider-azurerm#15200",
        )
