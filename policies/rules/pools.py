"""Questions that several areas ask of pools."""

from __future__ import annotations

from collections.abc import Iterator

from components import catalog
from components.catalog import Machine
from components.inventory import GpuPool, NodePool
from components.unknown import Maybe, Unknown, known
from policies.readers.values import any_of, mapped

from .efa_layouts import efa_of
from .rule import Case, Place

NVIDIA = "NVIDIA"


def rows(pool: NodePool) -> tuple[Machine, ...]:
    """Machines of the pool that the catalogue holds. One that it does not hold, or that is not known, fails GPU-COST-03 already."""
    if isinstance(pool.machines, Unknown):
        return ()
    found = (catalog.find_machine(pool.cloud, name) if known(name) else None for name in pool.machines)
    return tuple(row for row in found if row is not None)


def accelerated(pool: NodePool) -> Maybe[bool]:
    """Whether its machines have accelerators: of a `GpuPool` that may only be so."""
    if not isinstance(pool, GpuPool):
        return False
    if isinstance(pool.machines, Unknown):
        return pool.machines
    if known(pool.attached) and pool.attached:
        return True
    return any_of([pool.attached if isinstance(pool.attached, Unknown) else False, *(_accelerates(pool, name) for name in pool.machines)])


def _accelerates(pool: NodePool, name: Maybe[str]) -> Maybe[bool]:
    if isinstance(name, Unknown):
        return name
    row = catalog.find_machine(pool.cloud, name)
    if row is not None:
        return row.accelerated
    if catalog.tpus.is_slice(name):
        return True
    family = catalog.plain_families.plain_family(pool.cloud, name)
    return False if family is not None else Unknown(pool.paths.get("machines", "machine"), f"{name!r}, which is in no catalogue")


def place(pool: NodePool, prop: str) -> Place:
    """The pool's property: by the path that its reader recorded under that name, else as it is. An image knows its own."""
    own = pool.image.path if prop == "image" and pool.image is not None else ""
    return Place(pool.urn, pool.name, pool.paths.get(prop) or own or prop)


def with_efa(pool: NodePool) -> Maybe[bool]:
    """Whether nodes start with EFA interfaces."""
    if pool.interfaces is None:
        return False
    return mapped(mapped(pool.interfaces.items, efa_of), bool)


def nvidia_pools(case: Case) -> Iterator[GpuPool]:
    """Pools in a cluster that have NVIDIA GPUs or may have them."""
    return (pool for pool in case.inventory.gpu_pools if in_cluster_with_nvidia(pool))


def in_cluster_with_nvidia(pool: GpuPool) -> bool:
    return pool.cluster is not None and _may_be_nvidia(pool)


def _may_be_nvidia(pool: GpuPool) -> bool:
    if isinstance(pool.machines, Unknown) or isinstance(pool.attached, Unknown) or pool.attached:
        return True
    found = [catalog.find_machine(pool.cloud, machine) if known(machine) else None for machine in pool.machines]
    return any(row is None or row.vendor == NVIDIA for row in found)


def version(text: str | None) -> tuple[int, ...]:
    """`v0.5.10` -> (0, 5, 10): the numbers before anything else; () where there are none."""
    numbers: list[int] = []
    for part in (text or "").lstrip("v").split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits[:9]))
        if digits != part:
            break
    return tuple(numbers)
