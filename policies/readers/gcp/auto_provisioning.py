"""Node auto-provisioning: what GKE may start by itself counts at its limits, never at what runs now."""

from __future__ import annotations

from collections.abc import Iterator

from components import catalog
from components.catalog import Machine
from components.inventory import GpuPool, Lost, Market, NodeCount, NodePool
from components.unknown import Maybe, Unknown, known
from policies.readers.values import given

from .node_config import DEFAULT_DISK_GIB, DEFAULT_DISK_KIND
from .node_pool import Home
from .parts import Part
from .places import region_of, short

CPU, MEMORY = "cpu", "memory"
_GENERAL = "e2-standard-4"
"""Stands for the E2 machines that GKE takes for pods that ask for no other series."""


def resource_types(cluster: Part) -> Maybe[tuple[Maybe[str], ...]]:
    """Resource types that have a limit; () where node auto-provisioning is off."""
    scaling = cluster.below("clusterAutoscaling")
    enabled = scaling.on("enabled")
    if isinstance(enabled, Unknown) or not enabled:
        return enabled if isinstance(enabled, Unknown) else ()
    limits = scaling.each("resourceLimits")
    if isinstance(limits, Unknown):
        return limits
    named = [(limit, short(limit.read("resourceType"), limit.path("resourceType"))) for limit in limits]
    return tuple(given(kind, limit.path("resourceType"), "not given") for limit, kind in named)


def provisioned_pools(cluster: Part, home: Home) -> Iterator[NodePool | Lost]:
    """One pool for each limit. Memory follows the CPUs and is not counted twice."""
    kinds = resource_types(cluster)
    reason = ""
    if isinstance(kinds, Unknown):
        reason = f"with node auto-provisioning whose limits cannot be read ({kinds})"
    elif not kinds and cluster.below("clusterAutoscaling").on("enabled") is True:
        reason = "with node auto-provisioning without limits"
    if reason:
        yield Lost(urn=cluster.resource.urn, type=cluster.resource.type, reason=reason)
    for i, kind in enumerate(kinds if known(kinds) else ()):
        if kind != MEMORY:
            yield _pool(cluster.below("clusterAutoscaling", "resourceLimits", i), kind, home)


def _pool(limit: Part, kind: Maybe[str], home: Home) -> NodePool:
    """The smallest machines that carry what is limited, as many as fill the limit: prices and quotas are nearly linear in size."""
    machine = None if isinstance(kind, Unknown) else catalog.machine("gcp", _GENERAL) if kind == CPU else _smallest(kind)
    most = given(limit.whole("maximum"), limit.path("maximum"), "not given, so that nothing bounds it")
    made = GpuPool if kind != CPU else NodePool
    return made(
        urn=limit.resource.urn,
        name=f"{limit.resource.name}/auto-provisioned {kind if known(kind) else 'machines'}",
        cloud="gcp",
        region=given(region_of(home.place, "location"), "location", "not given"),
        machines=(machine.name if machine else _unknown(kind, limit),),
        market=Market.ON_DEMAND,
        nodes=NodeCount(minimum=0, desired=0, maximum=_count(most, machine, kind)),
        zones=(),
        image=None,  # D9: whether they get a driver is up to each pod's node selector
        cluster=home.named,
        root_disk_gib=DEFAULT_DISK_GIB,
        root_disk_kind=DEFAULT_DISK_KIND,
        paths={"machines": limit.path("resourceType"), "maximum": limit.path("maximum")},
    )


def _unknown(kind: Maybe[str], limit: Part) -> Unknown:
    return kind if isinstance(kind, Unknown) else Unknown(limit.path("resourceType"), f"{kind!r}, for which the catalogue names no machine")


def _smallest(accelerator: str) -> Machine | None:
    sold = [(m, catalog.gke_machines.gke_machine(m)) for m in catalog.machines("gcp")]
    carrying = [m for m, kind in sold if kind is not None and kind.accelerator == accelerator]
    return min(carrying, key=lambda m: m.gpu_count, default=None)


def _count(most: Maybe[int], machine: Machine | None, kind: Maybe[str]) -> Maybe[int]:
    if isinstance(most, Unknown) or machine is None:
        return most
    return -(-most // machine.vcpus) if kind == CPU else int(most // machine.gpu_count)
