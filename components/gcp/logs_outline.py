"""How long a cluster's logs are kept, as a plain decision.

Cloud Logging keeps what is written to a project's default bucket for 30 days, without charge; another time needs a bucket of the
cluster's own. Source: Cloud Logging documentation, "Configure log buckets" (1 to 3650 days).
"""

from __future__ import annotations

from collections.abc import Iterator

from components.refusals import SpecError
from components.spec import Spec

KEPT_BY_GOOGLE_DAYS = 30
MOST_DAYS = 3650


def own_retention_days(spec: Spec) -> int | None:
    """Days in a bucket of the cluster's own; None where Google's default bucket is kept to."""
    days = spec.monitoring.log_retention_days
    return None if days in (None, KEPT_BY_GOOGLE_DAYS) else days


def retention_problems(spec: Spec) -> Iterator[SpecError]:
    days = spec.monitoring.log_retention_days
    if days is not None and days > MOST_DAYS:
        message = f"is longer than Cloud Logging keeps anything: give at most {MOST_DAYS}"
        yield SpecError(path="monitoring.log_retention_days", value=str(days), message=message)
