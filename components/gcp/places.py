"""Where a cluster and its pools stand: a zone or a region, and the zones of its nodes. Plain decisions."""

from __future__ import annotations

from components.spec import Pool, Spec


def zones(spec: Spec) -> tuple[str, ...]:
    """Zones of the cluster's nodes: those of the network, else those that the pools name. Raises ValueError when nothing names any."""
    named = spec.zones or tuple(dict.fromkeys(pool.zone for pool in spec.pools if pool.zone))
    if not named:
        raise ValueError("no zone is named: give network.zones, or a zone to each pool")
    return named


def pool_zone(spec: Spec, pool: Pool) -> str:
    """The one zone of a GPU pool (D7: a pool without one has nodes in every zone of the cluster)."""
    return pool.zone or next(iter(zones(spec)))


def location(spec: Spec, region: str) -> str:
    """One zone makes a zonal cluster; several make a regional one, whose control plane stands in three zones and upgrades without pause."""
    named = zones(spec)
    return region if len(named) > 1 else next(iter(named))
