"""Which pools have accelerators, or may have."""

from __future__ import annotations

from dataclasses import fields

from components import catalog
from components.inventory import Cloud, GpuPool, NodePool
from components.unknown import Maybe, Unknown, known


def classified(pool: NodePool) -> NodePool:
    """`pool` as `GpuPool` when the catalogue lists an accelerator in one of its machines, or cannot exclude one.

    Names are never read for hints: a machine in no catalogue may be an accelerated one.
    """
    if not _may_accelerate(pool.cloud, pool.machines):
        return pool
    return GpuPool(**{f.name: getattr(pool, f.name) for f in fields(pool)})


def _may_accelerate(cloud: Cloud, machines: Maybe[tuple[Maybe[str], ...]]) -> bool:
    if isinstance(machines, Unknown):
        return True
    rows = [catalog.find_machine(cloud, machine) if known(machine) else None for machine in machines]
    return any(row is None or row.accelerated for row in rows)
