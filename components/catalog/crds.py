"""Custom resource kinds: which versions the pinned releases serve, with the first-level fields of their spec."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal, cast

from .names import UnknownName
from .tables import as_of, rows, source, words


@dataclass(frozen=True, slots=True, kw_only=True)
class CrdVersion:
    """One version of a custom resource kind as one component's release ships it."""

    component: str
    group: str
    kind: str
    plural: str
    scope: Literal["namespaced", "cluster"]
    version: str
    served: bool
    storage: bool
    deprecated: bool
    fields: tuple[str, ...]
    """First-level fields under `spec`; of the kind itself where it has no spec."""
    required: tuple[str, ...]
    """Required paths down to four levels; `[]` marks a list."""
    source: str
    as_of: date | None


@cache
def crd_versions() -> tuple[CrdVersion, ...]:
    return tuple(
        CrdVersion(
            component=row["component"],
            group=row["group"],
            kind=row["kind"],
            plural=row["plural"],
            scope=cast('Literal["namespaced", "cluster"]', row["scope"]),
            version=row["version"],
            served=row["served"] == "yes",
            storage=row["storage"] == "yes",
            deprecated=row["deprecated"] == "yes",
            fields=words(row["fields"]),
            required=words(row["required"]),
            source=source(row),
            as_of=as_of(row),
        )
        for row in rows("crds")
    )


def served(group: str, kind: str) -> tuple[CrdVersion, ...]:
    """Versions of a kind that a pinned release serves, the storage version first.

    Several components may ship the same kind (kubeflow.org/MPIJob): compare `component`. Raises UnknownName for a kind that none ships.
    """
    of_kind = [crd for crd in crd_versions() if (crd.group, crd.kind) == (group, kind)]
    if not of_kind:
        raise UnknownName("custom resource kind", f"{group}/{kind}", {f"{crd.group}/{crd.kind}" for crd in crd_versions()})
    return tuple(sorted((crd for crd in of_kind if crd.served), key=lambda crd: not crd.storage))
