"""Which cluster a pool belongs to, and the zones that both of them name."""

from __future__ import annotations

from components.resource import Resource
from components.unknown import Maybe, Unknown, known
from policies.readers import gcp_types
from policies.readers.program import Program
from policies.readers.values import OUTSIDE, given

from .parts import Part
from .places import is_zone, location, short
from .references import reference

ZONES_OF_A_REGION = 3
"""Zones over which GKE spreads the nodes of a regional cluster whose zones nobody names."""


def cluster_of(pool: Resource, program: Program) -> tuple[Maybe[str | None], Resource | None]:
    """URN of the planned cluster, or name of an existing one; and the planned resource."""
    named = reference(program, pool, "cluster", pool.read("cluster"), "cluster", gcp_types.CLUSTER)
    return named, program.resources.by_urn.get(named) if isinstance(named, str) else None


def pool_place(pool: Resource, cluster: Resource | None, program: Program) -> Maybe[str]:
    """Region or zone of the control plane: the pool's own property, else that of its cluster."""
    if pool.read("location") is None and cluster is not None:
        return location(cluster, program, "location")
    return location(pool, program, "location")


def zones(pool: Part, cluster: Resource | None, place: Maybe[str]) -> tuple[Maybe[tuple[Maybe[str], ...]], bool]:
    """Zones of a pool, one entry each, and whether anyone chose them. Its own, else the cluster's, else GKE's choice in the region."""
    own = _listed(pool)
    if isinstance(own, Unknown) or own:
        return own, True
    if cluster is not None:
        shared = _listed(Part(cluster))
        if isinstance(shared, Unknown):
            return shared, True
        if shared or (known(place) and is_zone(place)):
            home = (place,) if known(place) and is_zone(place) else ()
            return tuple(dict.fromkeys((*home, *shared))), True
    elif known(place) and not is_zone(place):
        return Unknown(pool.path("nodeLocations"), f"not given: those of a cluster {OUTSIDE}"), False
    if isinstance(place, Unknown):
        return place, False
    if is_zone(place):
        return (place,), True
    return tuple(Unknown(pool.path(f"nodeLocations[{i}]"), "not given, so that GKE picks it") for i in range(ZONES_OF_A_REGION)), False


def _listed(part: Part) -> Maybe[tuple[Maybe[str], ...]]:
    listed = part.items("nodeLocations")
    if isinstance(listed, Unknown):
        return listed
    named = [short(part.read("nodeLocations", i), part.path("nodeLocations", i)) for i in range(len(listed))]
    return tuple(dict.fromkeys(given(zone, part.path("nodeLocations", i), "not given") for i, zone in enumerate(named)))
