"""What a program installs on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from components.unknown import Maybe


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A Helm release with the values that the program sets."""

    urn: str
    name: str
    chart: Maybe[str]
    version: Maybe[str | None]
    namespace: Maybe[str | None]
    values: Maybe[Mapping[str, object]]
    cluster: Maybe[str | None] = None
    timeout_s: Maybe[int | None] = None
    dependents: frozenset[str] = frozenset()
    """URNs of everything that waits for it, by any chain of dependencies."""
    deleted_with: Maybe[str | None] = None
    """URN of what it goes away with, without being uninstalled; unknown where the source does not tell options."""
    waits: bool = True
    """Whether the program waits for what the chart installs; False where it only renders it."""
    delegated: bool = False
    """Whether another controller installs it in its own time, as Argo CD and Flux do."""
