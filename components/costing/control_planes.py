"""Managed control planes: an hourly fee by cloud, tier and age of the Kubernetes version."""

from __future__ import annotations

from datetime import datetime

from components import catalog
from components.inventory import ControlPlane
from components.pricing import Terms
from components.unknown import Unknown

from .lines import priced, service_figure, single
from .result import Entry, Kind, Missing

_GKE_CREDIT = "billing-account-month"


def control_plane(plane: ControlPlane, terms: Terms) -> Entry | None:
    """The line of one control plane; None for the one that costs nothing, AKS's free tier."""
    if plane.cloud == "aws":
        sku = _support(plane, terms.now)
        figure = service_figure(plane.cloud, plane.region, "eks_control_plane", sku)
        return single(plane.urn, Kind.CONTROL_PLANE, f"control plane, {sku} support", priced(figure, terms))
    if plane.cloud == "gcp":
        figure = service_figure(plane.cloud, plane.region, "gke_control_plane", "standard")
        return single(plane.urn, Kind.CONTROL_PLANE, f"control plane{_credit(plane)}", priced(figure, terms))
    return _aks(plane, terms)


def _credit(plane: ControlPlane) -> str:
    """GKE's free tier is one credit for a whole billing account, on which other clusters may draw: said, never subtracted."""
    credit = service_figure(plane.cloud, plane.region, "gke_control_plane", "free_tier_credit")
    if credit is None or credit.unit != _GKE_CREDIT:
        return ""
    return f"; the free tier ({credit.usd:g} USD a month per billing account, zonal and Autopilot clusters only) is not taken off"


def _aks(plane: ControlPlane, terms: Terms) -> Entry | None:
    """Without a tier AKS makes the free one."""
    if isinstance(plane.tier, Unknown):
        return Missing(urn=plane.urn, what=f"control plane ({plane.name})", reason=str(plane.tier))
    tier = (plane.tier or "free").casefold()
    if tier == "free":
        return None
    figure = service_figure(plane.cloud, plane.region, "aks_control_plane", tier)
    return single(plane.urn, Kind.CONTROL_PLANE, f"control plane, {tier} tier", priced(figure, terms))


def _support(plane: ControlPlane, now: datetime) -> str:
    """`extended` from the day after a minor's standard support ends, and while the version is not known, as the dearer of the two."""
    if plane.version is None:
        return "standard"
    if isinstance(plane.version, Unknown):
        return "extended"
    versions = catalog.kubernetes_versions(plane.cloud)
    end = next((v.end_of_standard_support for v in versions if v.minor == plane.version), None)
    if end is not None:
        return "extended" if now.date() > end else "standard"
    oldest = min((_minor(v.minor) for v in versions), default=(0, 0))
    return "extended" if _minor(plane.version) < oldest else "standard"


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdecimal())
