"""What leaving something on Google Cloud costs a month. None: it bills, at a price that is not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components import catalog
from components.costing import HOURS_PER_MONTH

_IN_FIRST = 5
"""Forwarding rules that one charge covers."""
_DISKS = {
    "pd-standard": "pd_standard", "pd-balanced": "pd_balanced", "pd-ssd": "pd_ssd", "pd-extreme": "pd_extreme",
    "hyperdisk-balanced": "hyperdisk_balanced_capacity", "hyperdisk-ml": "hyperdisk_ml_capacity",
    "hyperdisk-throughput": "hyperdisk_throughput_capacity",
}  # fmt: skip
"""Disk type to what the catalogue calls its capacity; IOPS and throughput that are bought beside are not in it."""


def machine(region: str, name: str) -> float | None:
    """At its on-demand rate, the dearest that it can be."""
    price = catalog.price("gcp", region, name)
    return None if price is None or price.on_demand is None else price.on_demand.usd * HOURS_PER_MONTH


def control_plane(region: str) -> float | None:
    return _hourly(region, "gke_control_plane", "standard")


def disk(region: str, given: Mapping[str, Any]) -> float | None:
    sku = _DISKS.get(str(given.get("type") or "").rsplit("/", 1)[-1])
    return None if sku is None else _by_gib(region, sku, given.get("sizeGb"))


def snapshot(region: str, given: Mapping[str, Any]) -> float | None:
    """By the bytes that it stores; an archive snapshot's rate is not in the catalogue."""
    stored = str(given.get("storageBytes") or "")
    if not stored.isdigit() or given.get("snapshotType", "STANDARD") != "STANDARD":
        return None
    return _by_gib(region, "disk_snapshot", int(stored) / 2**30)


def address(region: str, given: Mapping[str, Any]) -> float | None:
    """Nothing for one inside of a network; a public one costs more while nothing uses it."""
    if given.get("addressType") == "INTERNAL" or given.get("purpose") in ("VPC_PEERING", "PRIVATE_SERVICE_CONNECT"):
        return 0.0
    return _hourly(region, "public_ipv4", "hour" if given.get("users") else "unused_hour")


def forwarding_rule(region: str, before: int) -> float | None:
    """Of a rule with `before` others of the cluster: one charge covers the project's first five, and the first of ours is taken to pay it."""
    if before == 0:
        return _hourly(region, "load_balancer", "first_five_rules_hour")
    return 0.0 if before < _IN_FIRST else None


def reservation(region: str, given: Mapping[str, Any]) -> float | None:
    """Its machines, used or not, at the on-demand rate."""
    specific: Mapping[str, Any] = given.get("specificReservation") or {}
    count = str(specific.get("count") or "")
    one = machine(region, str((specific.get("instanceProperties") or {}).get("machineType") or "").rsplit("/", 1)[-1])
    return None if one is None or not count.isdigit() else one * int(count)


def _hourly(region: str, service: str, sku: str) -> float | None:
    price = catalog.service_price("gcp", region, service, sku)
    return None if price is None else price.usd * HOURS_PER_MONTH


def _by_gib(region: str, sku: str, size: object) -> float | None:
    price = catalog.service_price("gcp", region, "block_storage", sku)
    try:
        return None if price is None else price.usd * float(str(size))
    except ValueError:
        return None
