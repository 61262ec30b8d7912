"""All rules, one file an area. To add one: write its check, add a `Rule` to its area's `RULES`, regenerate the table of the README."""

from __future__ import annotations

from . import aks, capacity, cost, driver, efa, lease, limits, offers, quota
from .rule import Case, Rule, Scope, Verdict

RULES: tuple[Rule, ...] = (
    *efa.RULES,
    *offers.RULES,
    *capacity.RULES,
    *driver.RULES,
    *cost.RULES,
    *quota.RULES,
    *lease.RULES,
    *limits.RULES,
    *aks.RULES,
)

__all__ = ["RULES", "Case", "Rule", "Scope", "Verdict"]
