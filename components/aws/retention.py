"""Which logs are kept, and for how long: plain decisions by environment.

Source of the days that CloudWatch takes: CloudWatch Logs API reference, "PutRetentionPolicy".
"""

from __future__ import annotations

from collections.abc import Mapping

from components.spec import Environment, Spec

TAKEN_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)
DEFAULT_DAYS: Mapping[Environment, int] = {"dev": 7, "staging": 30, "prod": 90}
"""Judgement: long enough to look into last week's failure, last month's release, last quarter's incident."""

WHO_DID_WHAT = ("audit", "authenticator")
ALL = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def retention_days(spec: Spec) -> int:
    """Days that logs of the control plane and of the network are kept."""
    return spec.monitoring.log_retention_days or DEFAULT_DAYS[spec.environment]


def log_types(environment: Environment) -> tuple[str, ...]:
    """Logs of the control plane. In dev those that answer who did what; each type is billed by its volume."""
    return WHO_DID_WHAT if environment == "dev" else ALL
