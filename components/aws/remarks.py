"""What a reader of the plan must know about a cluster on AWS and no resource says."""

from __future__ import annotations

from collections.abc import Iterator

from components.spec import Spec
from components.spec.checks import EKS_ADDONS

from .budget_outline import BLIND_SPOT
from .existing_checks import ONLY_THE_CLOUD_KNOWS
from .idle_watch_outline import REMARK
from .outline import pool_outlines
from .storage_outline import lustre_outline


def remarks(spec: Spec) -> Iterator[str]:
    """One sentence each. `spec` is sound. Raises as `pool_outlines` does."""
    if spec.network.existing is not None:
        yield ONLY_THE_CLOUD_KNOWS
    loose = [name for name in EKS_ADDONS if name not in spec.addon_versions]
    if loose and spec.protected:
        yield f"addon_versions: EKS chooses the versions of {', '.join(loose)} when the cluster is made; pin them for equal clusters"
    lustre = lustre_outline(spec, pool_outlines(spec))
    if lustre is not None:
        yield f"storage.shared_filesystem: {lustre.remark}"
        yield "storage.shared_filesystem: a destroy keeps it with its subnet and VPC; it bills until a person deletes it"
    if spec.storage.buckets:
        yield "storage.buckets: a destroy keeps them; they bill for what they hold until a person deletes them"
    if spec.budget.alert_emails:
        yield f"budget.alert_emails: {BLIND_SPOT}"
    if spec.idle.watch is not None:
        yield REMARK
