"""Agent pools as the GPU-AKS rules ask for them: AKS's own settings beside the facts that every pool has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from components import catalog
from components.catalog import Machine
from components.inventory import AksPool, NodePool
from components.unknown import Maybe, Unknown, known
from policies.finding import Level, Status

from .rule import Case, Verdict, cannot_tell


@dataclass(frozen=True)
class Agents:
    """One agent pool with both sides of its facts."""

    own: AksPool
    pool: NodePool

    @cached_property
    def machines(self) -> tuple[Machine, ...]:
        """Those that the catalogue has."""
        names = () if isinstance(self.pool.machines, Unknown) else self.pool.machines
        rows = [catalog.find_machine("azure", name) if known(name) else None for name in names]
        return tuple(row for row in rows if row is not None)

    @property
    def gpu(self) -> bool:
        """Whether it has GPUs for certain."""
        return any(machine.accelerated for machine in self.machines)

    @property
    def infiniband(self) -> bool:
        return any(machine.fabric == "infiniband" for machine in self.machines)

    @property
    def spot(self) -> Maybe[bool]:
        return is_word(self.own.priority, "Spot")

    def violated(self, prop: str, text: str, *, level: Level | None = None) -> Verdict:
        path = self.own.path(prop)
        return Verdict(status=Status.VIOLATED, urn=self.own.urn, path=path, message=f"{self.own.name}: {text}", level=level)

    def judged(self, claim: Maybe[bool], prop: str, text: str, so: str, *, level: Level | None = None) -> Iterator[Verdict]:
        """Violated where `claim` holds, unknown where it cannot be told."""
        if isinstance(claim, Unknown):
            yield replace(cannot_tell(self.own.urn, claim, subject=self.own.name, so=so), level=level)
        elif claim:
            yield self.violated(prop, text, level=level)


def agents(case: Case) -> Iterator[Agents]:
    pools = {(pool.urn, pool.name): pool for pool in case.inventory.pools if pool.cloud == "azure"}
    return (Agents(own, pools[own.urn, own.name]) for own in case.inventory.azure.pools)


def gpu_agents(case: Case) -> Iterator[Agents]:
    """Agent pools that the catalogue knows to have GPUs."""
    return (found for found in agents(case) if found.gpu)


def infiniband_agents(case: Case) -> Iterator[Agents]:
    return (found for found in gpu_agents(case) if found.infiniband)


def is_word(value: Maybe[str | None], word: str) -> Maybe[bool]:
    """Azure compares its words without regard to case."""
    return value if isinstance(value, Unknown) else (value or "").casefold() == word.casefold()


def given(value: Maybe[object | None]) -> Maybe[bool]:
    return value if isinstance(value, Unknown) else value is not None


def negated(claim: Maybe[bool]) -> Maybe[bool]:
    return claim if isinstance(claim, Unknown) else not claim
