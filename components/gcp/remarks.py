"""What a reader of the plan must know about a cluster on Google Cloud and no resource says."""

from __future__ import annotations

from collections.abc import Iterator

from components.spec import Spec

from .budget_outline import BLIND_SPOT, NO_ACCOUNT
from .capacity import Phase
from .cluster_access import groups_domain
from .existing_checks import ONLY_THE_CLOUD_KNOWS
from .outline import PoolOutline, pool_outlines

KEY_USERS = (
    "encryption_key: the service agents of Compute Engine and GKE must hold roles/cloudkms.cryptoKeyEncrypterDecrypter on it before the "
    "first up"
)
DRANET_RISK = "pools whose networks GKE manages have been seen never to finish deleting: allow a destroy its time, and look afterwards"
QUEUED = "its nodes come for a ProvisioningRequest of class queued-provisioning.gke.io only, never for pods that wait by themselves (D14)"


def remarks(spec: Spec) -> Iterator[str]:
    """One sentence each. `spec` is sound. Raises as `pool_outlines` does."""
    if spec.network.existing is not None:
        yield ONLY_THE_CLOUD_KNOWS
    for pool in pool_outlines(spec):
        yield from _of_pool(pool)
    if domain := groups_domain((*spec.access.admins, *spec.access.viewers)):
        yield f"access: GKE finds the members of groups that are themselves members of gke-security-groups@{domain}"
    if spec.encryption_key is not None:
        yield KEY_USERS
    yield from _of_data(spec)
    if spec.billing_account is not None:
        yield f"budget: {BLIND_SPOT}"
    elif spec.budget.monthly_usd is not None:
        yield f"budget: {NO_ACCOUNT}"


def _of_pool(pool: PoolOutline) -> Iterator[str]:
    if pool.purchase.queued:
        yield f"pool {pool.name}: {QUEUED}"
    if pool.dranet:
        yield f"pool {pool.name}: {DRANET_RISK}"
    if pool.phase is Phase.BEFORE and pool.nodes.min:
        yield f"pool {pool.name}: it starts no node before its window; nodes.min holds from the first up in it"


def _of_data(spec: Spec) -> Iterator[str]:
    if spec.storage.shared_filesystem is not None:
        yield "storage.shared_filesystem: a destroy keeps it with its VPC; it bills until a person deletes it"
        if spec.network.existing is not None:
            yield "storage.shared_filesystem: the existing network must have private services access, which only the cloud can tell"
    if spec.storage.buckets:
        yield "storage.buckets: a destroy keeps them; they bill for what they hold until a person deletes them"
