"""Cores: three numbers a region (family, all, spot), what uses them, and how Azure words that they are not enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components import catalog
from components.catalog import Machine, Quota
from components.inventory import Market
from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.arm import place_of
from scripts.sandbox.kinds.azure.sizes import Wanted, find
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation

_WORDS = {"cores": "Total Regional Cores", "lowPriorityCores": "LowPriorityCores"}


def caps(machine: Machine, *, spot: bool) -> tuple[Quota, ...]:
    """Quotas that one machine counts against: family and region, or the one for spot."""
    quotas = catalog.quotas_for(machine, Market.SPOT if spot else Market.ON_DEMAND)
    return tuple(quota for quota in quotas if quota.unit == "vCPU" and not quota.ambiguous)


def limit(world: Simulation, code: str) -> float | None:
    """The declared limit of a quota; None where the world declares none, which is plenty. Names are compared without case and spaces."""
    declared: dict[str, float] = world.store.meta("quotas", {})
    return next((value for name, value in declared.items() if _same(name) == _same(code)), None)


def _same(name: str) -> str:
    return name.replace(" ", "").lower()


def machines(world: Simulation, subscription: str, location: str) -> list[Record]:
    """Allocated machines of a region, those of scale sets included. A deallocated spot node goes on counting (AKS spot node pools)."""
    key = place_of(subscription).key
    found = [r for kind in (t.VM, t.SCALE_SET_VM) for r in world.store.of_kind(kind, key)]
    return [r for r in found if r.state.get("location") == location and (r.status != "deallocated" or r.kind == t.SCALE_SET_VM)]


def used(world: Simulation, subscription: str, location: str, code: str) -> int:
    """Cores of a region that draw on a quota."""
    total = 0
    for record in machines(world, subscription, location):
        machine = find(str(record.state.get("size", "")))
        if machine is not None and code in {quota.code for quota in caps(machine, spot=record.state.get("priority") == "Spot")}:
            total += machine.vcpus
    return total


def refuse_over(world: Simulation, wanted: Wanted, machine: Machine, count: int = 1) -> None:
    """Raises Compute's Refusal when `count` more machines exceed a declared quota."""
    for quota in caps(machine, spot=wanted.spot):
        allowed = limit(world, quota.code)
        if allowed is None:
            continue
        usage, more = used(world, wanted.subscription, wanted.location, quota.code), machine.vcpus * count
        if usage + more > allowed:
            raise Refusal(
                "OperationNotAllowed",
                f"Operation could not be completed as it results in exceeding approved {_WORDS.get(quota.code, f'{quota.code} Cores')} quota. "
                f"Additional details - Deployment Model: Resource Manager, Location: {wanted.location}, Current Limit: {allowed:g}, Current "
                f"Usage: {usage}, Additional Required: {more}, (Minimum) New Limit Required: {usage + more}.",
                source="E8: Azure/karpenter-provider-azure#192, scylladb/scylla-cluster-tests#4994, nforgeio/neonKUBE#1671",
                status=409,
            )


def refuse_over_at_aks(world: Simulation, wanted: Wanted, machine: Machine, count: int) -> None:
    """Raises AKS's own Refusal, before it asks Compute for anything."""
    for quota in caps(machine, spot=wanted.spot):
        allowed = limit(world, quota.code)
        if allowed is None:
            continue
        remaining = int(allowed) - used(world, wanted.subscription, wanted.location, quota.code)
        if machine.vcpus * count > remaining:
            raise Refusal(
                "ErrCode_InsufficientVCPUQuota",
                f"Insufficient vcpu quota requested {machine.vcpus * count}, remaining {max(remaining, 0)} for family {quota.code} for region "
                f"{wanted.location}.",
                source="E8: 1ChristianAlex/motordesk#14",
            )
