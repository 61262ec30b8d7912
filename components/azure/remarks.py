"""What a reader of the plan must know about a cluster on Azure and no resource says."""

from __future__ import annotations

from collections.abc import Iterator

from components.spec import Spec

from .budget_outline import BLIND_SPOT
from .driver import DriverMode
from .existing_checks import ONLY_THE_CLOUD_KNOWS
from .outline import PoolOutline, pool_outlines
from .prerequisites import prerequisites
from .scaling_tags import unseen
from .storage_outline import lustre_outline

LARGEST_FABRIC = 100
"""Nodes of one scale set above which partition keys were seen to differ (field advice, no documented limit)."""


def remarks(spec: Spec) -> Iterator[str]:
    """One sentence each. `spec` is sound. Raises as `pool_outlines` does."""
    pools = pool_outlines(spec)
    yield from (f"prerequisite: {needed}" for needed in prerequisites(pools))
    if spec.network.existing is not None:
        yield ONLY_THE_CLOUD_KNOWS
    for pool in pools:
        yield from _about(pool)
    if lustre_outline(spec) is not None:
        yield "storage.shared_filesystem: a destroy keeps it with its subnet and network; it bills until a person deletes it"
    if spec.storage.buckets:
        yield "storage.buckets: a destroy keeps them; they bill for what they hold until a person deletes them"
    if spec.budget.alert_emails:
        yield f"budget.alert_emails: {BLIND_SPOT}"
    if spec.protected:
        yield "environment: Azure has no deletion protection for AKS; Pulumi refuses to delete the cluster until it is unprotected"


def _about(pool: PoolOutline) -> Iterator[str]:
    if pool.zones:
        # E7
        yield f"pool {pool.name}: whether AKS offers {pool.machine.name} in zone {pool.zones[0]} only AKS can tell; without a zone it chooses"
    if pool.infiniband and pool.nodes.max > LARGEST_FABRIC:
        # E1
        yield (
            f"pool {pool.name}: a scale set of more than {LARGEST_FABRIC} nodes may span placement groups without one partition key: "
            "compare the keys of all nodes after the first up"
        )
    if pool.nodes.min == 0 and (hidden := unseen(pool)):
        yield (
            f"pool {pool.name}: it grows from no node, and whether AKS's autoscaler believes the tags that announce {', '.join(hidden)} "
            "is not established: if no first node starts, set nodes.min to 1"
        )
    if pool.driver is DriverMode.GRID:
        yield f"pool {pool.name}: AKS installs the GRID driver, and node images stay as they are until you change them (E2)"
