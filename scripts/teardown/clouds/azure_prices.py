"""What things in Azure bill a month, by the catalogue; None where it has no price, which is never nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components import catalog
from components.costing import HOURS_PER_MONTH
from scripts.teardown import kinds as k

FREE = frozenset({k.NETWORK, k.FIREWALL, k.ROUTES, k.INTERFACE, k.ROLE, k.GRANT, k.PLACEMENT, k.GROUP, k.POOL, k.BUDGET, k.ZONE_LINK})
_BY_HOUR: Mapping[str, tuple[str, str]] = {
    k.CLUSTER: ("aks_control_plane", "standard"),
    k.NAT: ("nat_gateway", "hour"),
    k.ADDRESS: ("public_ipv4", "hour"),
    k.BALANCER: ("load_balancer", "first_five_rules_hour"),
}
_DISKS = {
    "Premium_LRS": "premium_ssd_v1_{}_lrs", "Premium_ZRS": "premium_ssd_v1_{}_zrs",
    "StandardSSD_LRS": "standard_ssd_{}_lrs", "StandardSSD_ZRS": "standard_ssd_{}_zrs",
}  # fmt: skip


def monthly(kind: str, region: str) -> float | None:
    """Price of what costs the same whatever its size."""
    if kind in FREE:
        return 0.0
    if kind not in _BY_HOUR:
        return None
    figure = catalog.service_price("azure", region, *_BY_HOUR[kind])
    return None if figure is None else figure.usd * HOURS_PER_MONTH


def disk(region: str, shown: Mapping[str, Any]) -> float | None:
    """Price of a managed disk by its performance tier, which Azure shows as `properties.tier` (Compute REST reference, Disks)."""
    sku = _DISKS.get(str((shown.get("sku") or {}).get("name")))
    tier = str((shown.get("properties") or {}).get("tier") or "").lower()
    figure = catalog.service_price("azure", region, "managed_disk", sku.format(tier)) if sku and tier else None
    return None if figure is None else figure.usd


def reservation(region: str, shown: Mapping[str, Any]) -> float | None:
    """Reserved capacity bills as if its machines ran (Azure documentation, on-demand capacity reservation: pricing)."""
    sku: Mapping[str, Any] = shown.get("sku") or {}
    price = catalog.price("azure", region, str(sku.get("name")))
    if price is None or price.on_demand is None or sku.get("capacity") is None:
        return None
    return price.on_demand.usd * HOURS_PER_MONTH * int(sku["capacity"])
