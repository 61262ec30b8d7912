"""What a reader of the plan must know about a cluster on AWS and no resource says."""

from __future__ import annotations

from collections.abc import Iterator

from components.spec import Spec

from .budget_outline import BLIND_SPOT
from .existing_checks import ONLY_THE_CLOUD_KNOWS
from .outline import pool_outlines
from .storage_outline import lustre_outline


def remarks(spec: Spec) -> Iterator[str]:
    """One sentence each. `spec` is sound. Raises as `pool_outlines` does."""
    if spec.network.existing is not None:
        yield ONLY_THE_CLOUD_KNOWS
    lustre = lustre_outline(spec, pool_outlines(spec))
    if lustre is not None:
        yield f"storage.shared_filesystem: {lustre.remark}"
        yield "storage.shared_filesystem: a destroy keeps it with its subnet and VPC; it bills until a person deletes it"
    if spec.storage.buckets:
        yield "storage.buckets: a destroy keeps them; they bill for what they hold until a person deletes them"
    if spec.budget.alert_emails:
        yield f"budget.alert_emails: {BLIND_SPOT}"
