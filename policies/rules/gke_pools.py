"""What the GPU-GKE rules share: pools with what GKE is told about them, their cluster, and settings that exclude each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from components import catalog
from components.catalog import Machine
from components.inventory import GkeCluster, GkePool, GpuPool, NodePool
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status
from policies.readers.values import all_of

from .rule import Case, Verdict, cannot_tell

NVIDIA, GOOGLE = "NVIDIA", "Google"


def gke_pools(case: Case) -> Iterator[tuple[NodePool, GkePool]]:
    for pool in case.inventory.pools:
        if pool.gke is not None:
            yield pool, pool.gke


def gpu_pools(case: Case) -> Iterator[tuple[GpuPool, GkePool]]:
    """Pools on GKE that have accelerators or may have them."""
    for pool, gke in gke_pools(case):
        if isinstance(pool, GpuPool):
            yield pool, gke


def _named(pool: NodePool) -> Maybe[str]:
    """The one machine of a GKE pool."""
    return pool.machines if isinstance(pool.machines, Unknown) else pool.machines[0]


def machine_of(pool: NodePool) -> Machine | None:
    """The pool's machine where the catalogue has it."""
    name = _named(pool)
    return catalog.find_machine(pool.cloud, name) if known(name) else None


def machine_untold(pool: NodePool) -> Unknown | None:
    """Why nothing is known of the machine's accelerators; None where the catalogue has it, or a family that carries none."""
    name = _named(pool)
    if isinstance(name, Unknown):
        return name
    path = pool.paths.get("machines", "machineType")
    listed = catalog.find_machine(pool.cloud, name) or catalog.plain_families.plain_family(pool.cloud, name)
    return None if listed else Unknown(path, f"{name!r}, which is in no catalogue")


def perhaps_plain(pool: NodePool, gke: GkePool) -> Unknown | None:
    """Why it cannot be told whether a pool has GPUs at all; None where its machine or its accelerators tell."""
    listed = gke.accelerators
    return machine_untold(pool) if known(listed) and not listed else None


def cluster_of(case: Case, pool: NodePool) -> GkeCluster | None:
    """The planned cluster of a pool; None where it is made elsewhere or cannot be told."""
    return case.inventory.gke_clusters.get(pool.cluster) if isinstance(pool.cluster, str) else None


def trains(pool: NodePool, gke: GkePool) -> bool:
    """Whether nodes are plainly meant to work together: they have a fabric, come all at once or lie close to each other."""
    machine = machine_of(pool)
    return (
        (machine is not None and machine.fabric is not None)
        or any(claim is True for claim in (gke.queued, gke.flex_start))
        or gke.placement == "COMPACT"
    )


def violated(pool: NodePool, path: str, text: str, level: Level | None = None) -> Verdict:
    gke = pool.gke
    return Verdict(
        status=Status.VIOLATED, urn=pool.urn, path=f"{gke.prefix if gke else ''}{path}", message=f"{pool.name}: {text}", level=level
    )


def unchecked(pool: NodePool, path: str, text: str) -> Verdict:
    return Verdict(status=Status.UNCHECKED, urn=pool.urn, path=path, message=f"{pool.name}: {text}")


def untold(pool: NodePool, unknown: Unknown, so: str, level: Level | None = None) -> Verdict:
    verdict = cannot_tell(pool.urn, unknown, subject=pool.name, so=so)
    return (
        verdict
        if level is None
        else Verdict(status=verdict.status, urn=verdict.urn, path=verdict.path, message=verdict.message, level=level)
    )


def is_word(value: Maybe[str | None], *words: str) -> Maybe[bool]:
    return value if isinstance(value, Unknown) else value in words


def given(value: Maybe[object]) -> Maybe[bool]:
    return value if isinstance(value, Unknown) else value is not None


def several(zones: Maybe[tuple[Maybe[str], ...]]) -> Maybe[bool]:
    """Whether a pool lies in more than one zone."""
    return zones if isinstance(zones, Unknown) else len(zones) > 1


@dataclass(frozen=True)
class Clash:
    """Settings of a pool that GKE refuses together, or of which one makes the other useless."""

    claims: Callable[[NodePool, GkePool], Iterable[Maybe[bool]]]
    """All must hold."""
    path: str
    text: str
    """What is wrong, why, how to mend it."""


def clashing(case: Case, table: Iterable[Clash]) -> Iterator[Verdict]:
    """GKE refuses these at creation and nothing is lost, so that what cannot be told is advice."""
    for pool, gke in gke_pools(case):
        for clash in table:
            claim = all_of(clash.claims(pool, gke))
            if isinstance(claim, Unknown):
                yield untold(pool, claim, f"it cannot be told whether {clash.path} fits the rest of the pool", Level.ADVISORY)
            elif claim:
                yield violated(pool, clash.path, clash.text)
