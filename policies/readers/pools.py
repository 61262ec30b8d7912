"""Which pools have accelerators, or may have."""

from __future__ import annotations

from dataclasses import fields

from components import catalog
from components.inventory import Cloud, GpuPool, NodePool
from components.unknown import Maybe, Unknown


def classified(pool: NodePool) -> NodePool:
    """`pool` as `GpuPool` when the catalogue lists an accelerator in one of its machines, or cannot exclude one.

    A machine in no catalogue may be an accelerated one, unless its family carries no accelerators.
    """
    if not _may_accelerate(pool.cloud, pool.machines):
        return pool
    return GpuPool(**{f.name: getattr(pool, f.name) for f in fields(pool)})


def _may_accelerate(cloud: Cloud, machines: Maybe[tuple[Maybe[str], ...]]) -> bool:
    if isinstance(machines, Unknown):
        return True
    return any(isinstance(machine, Unknown) or not plain(cloud, machine) for machine in machines)


def plain(cloud: Cloud, machine: str) -> bool:
    """Whether it carries no accelerators of its own for certain."""
    row = catalog.find_machine(cloud, machine)
    return not row.accelerated if row is not None else catalog.plain_families.plain_family(cloud, machine) is not None
