"""All rules, one file an area. To add one: write its check, add a `Rule` to its area's `RULES`, regenerate the table of the README."""

from __future__ import annotations

from . import (
    access,
    autoscaling,
    capacity,
    cluster_objects,
    cost,
    driver,
    efa,
    efa_software,
    gpu_software,
    jobs,
    lease,
    limits,
    network,
    node_groups,
    node_images,
    offers,
    operator_on_gke,
    operator_settings,
    placement,
    quota,
    reading,
    serving,
    tags,
)
from .rule import Case, Rule, Scope, Verdict

RULES: tuple[Rule, ...] = (
    *efa.RULES,
    *efa_software.RULES,
    *offers.RULES,
    *placement.RULES,
    *network.RULES,
    *capacity.RULES,
    *node_images.RULES,
    *node_groups.RULES,
    *autoscaling.RULES,
    *driver.RULES,
    *operator_on_gke.RULES,
    *gpu_software.RULES,
    *operator_settings.RULES,
    *jobs.RULES,
    *serving.RULES,
    *cluster_objects.RULES,
    *access.RULES,
    *tags.RULES,
    *cost.RULES,
    *quota.RULES,
    *reading.RULES,
    *lease.RULES,
    *limits.RULES,
)

__all__ = ["RULES", "Case", "Rule", "Scope", "Verdict"]
