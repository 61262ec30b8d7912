"""Which logs are kept, and for how long: plain decisions by environment.

Source of the days: Azure Monitor documentation, "Manage data retention in a Log Analytics workspace" (30 to 730 days of interactive
retention, 31 of them without a charge). Source of the categories: AKS documentation, "AKS data reference", resource logs.
"""

from __future__ import annotations

from collections.abc import Mapping

from components.spec import Environment, Spec

FEWEST_DAYS, MOST_DAYS = 30, 730
DEFAULT_DAYS: Mapping[Environment, int] = {"dev": 30, "staging": 30, "prod": 90}
"""Judgement: long enough to look into last month's release, last quarter's incident."""

WHO_DID_WHAT = ("kube-audit-admin", "guard")
ALL = (*WHO_DID_WHAT, "kube-apiserver", "kube-controller-manager", "kube-scheduler", "cluster-autoscaler")


def retention_days(spec: Spec) -> int:
    """Days that logs of the control plane are kept."""
    return spec.monitoring.log_retention_days or DEFAULT_DAYS[spec.environment]


def log_types(environment: Environment) -> tuple[str, ...]:
    """Logs of the control plane. In dev those that answer who did what; each type is billed by its volume."""
    return WHO_DID_WHAT if environment == "dev" else ALL
