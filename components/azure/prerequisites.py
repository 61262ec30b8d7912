"""What a subscription must have before a cluster's pools can work. The plan says it; `gpukit doctor` asks Azure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .outline import PoolOutline

INFINIBAND_FEATURE = ("Microsoft.ContainerService", "AKSInfinibandSupport")
"""Provider and feature. Registered once for a subscription, by a person: a stack that registered it would take it away from others."""


def prerequisites(pools: Iterable[PoolOutline]) -> Iterator[str]:
    """One sentence each, with the command."""
    pools = tuple(pools)
    wired = [pool.name for pool in pools if pool.infiniband]
    if wired:
        provider, feature = INFINIBAND_FEATURE
        yield (
            f"pools {', '.join(wired)} need the feature {provider}/{feature} before they are made, else their nodes land on different "
            f"fabrics: az feature register --namespace {provider} --name {feature}, wait for Registered, then az provider register "
            f"--namespace {provider}"
        )
    reserved = [pool for pool in pools if pool.reservation_group]
    for pool in reserved:
        yield (
            f"pool {pool.name} needs a capacity reservation of {pool.machine.name} in its group: without one AKS makes the pool outside "
            "of it, with a warning alone; the cluster's right on the group may take up to an hour to be known"
        )
