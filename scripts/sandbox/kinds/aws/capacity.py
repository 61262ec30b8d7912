"""Whether one more instance can be had now: the account's vCPU quotas and the zone's stock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from components import catalog
from components.catalog import Machine
from components.inventory import Market
from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.refusal import Refusal

if TYPE_CHECKING:
    from scripts.sandbox.simulation import Simulation


def refuse_over_quota(world: Simulation, key: str, machine: Machine, *, spot: bool) -> None:
    """Raises Refusal when the world declares a quota that one more machine would exceed. Quotas that it does not declare are plenty."""
    declared: dict[str, float] = world.store.meta("quotas", {})
    for quota in catalog.quotas_for(machine, Market.SPOT if spot else Market.ON_DEMAND):
        limit = declared.get(quota.code)
        if limit is None or quota.unit != "vCPU" or quota.ambiguous:
            continue
        used = vcpus_in_use(world, key, quota.code)
        if used + machine.vcpus > limit:
            raise Refusal(
                "MaxSpotInstanceCountExceeded" if spot else "VcpuLimitExceeded",
                f"You have requested more vCPU capacity than your current vCPU limit of {limit:g} allows for the instance bucket "
                f"({quota.name}, {quota.code}): {used} in use, {machine.vcpus} more for {machine.name}.",
                source="EC2 error codes VcpuLimitExceeded, MaxSpotInstanceCountExceeded",
            )


def vcpus_in_use(world: Simulation, key: str, code: str) -> int:
    """VCPUs of running instances in one region that draw on a quota."""
    total = 0
    for instance in world.store.of_kind(t.INSTANCE, key):
        machine = catalog.find_machine("aws", str(instance.state["instanceType"]))
        if machine is None or instance.status == "terminated":
            continue
        spot = instance.state.get("instanceLifecycle") == "spot"
        if code in {q.code for q in catalog.quotas_for(machine, Market.SPOT if spot else Market.ON_DEMAND)}:
            total += machine.vcpus
    return total


def refuse_shortage(world: Simulation, machine: Machine, zone: str) -> None:
    """Raises Refusal when a capacity fault is set for this machine and zone."""
    if world.faults.no_capacity(machine.name, zone):
        raise Refusal(
            "InsufficientInstanceCapacity",
            f"We currently do not have sufficient {machine.name} capacity in the Availability Zone you requested ({zone}).",
            source="B4: containers-roadmap#2204, eksctl#4732",
        )
