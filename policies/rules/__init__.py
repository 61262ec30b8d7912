"""All rules, one file an area. To add one: write its check, add a `Rule` to its area's `RULES`, regenerate the table of the README."""

from __future__ import annotations

from . import (
    aks,
    capacity,
    cost,
    driver,
    efa,
    gke_accelerators,
    gke_capacity,
    gke_clusters,
    gke_counts,
    gke_networks,
    gke_operator,
    gke_vpcs,
    lease,
    limits,
    loosening,
    offers,
    quota,
)
from .rule import Case, Rule, Scope, Verdict

RULES: tuple[Rule, ...] = (
    *efa.RULES,
    *offers.RULES,
    *capacity.RULES,
    *driver.RULES,
    *gke_networks.RULES,
    *gke_vpcs.RULES,
    *gke_capacity.RULES,
    *gke_counts.RULES,
    *gke_accelerators.RULES,
    *gke_clusters.RULES,
    *gke_operator.RULES,
    *cost.RULES,
    *quota.RULES,
    *lease.RULES,
    *limits.RULES,
    *loosening.RULES,
    *aks.RULES,
)

__all__ = ["RULES", "Case", "Rule", "Scope", "Verdict"]
