"""Custom roles for Google Cloud, one a role of ours: `gcloud iam roles create NAME --project=PROJECT --file=DOCUMENT`.

What acts on a billing account is a role of its own, since a project's role cannot hold it. Google's roles allow by project, not by name: a
condition on the binding narrows them, where the service's names allow one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from .table import Calls, Role, called_directly, calls_by_type

KEPT = frozenset(
    {
        "gcp:compute/globalAddress:GlobalAddress",
        "gcp:lustre/instance:Instance",
        "gcp:servicenetworking/connection:Connection",
        "gcp:storage/bucket:Bucket",
    }
)
"""Data, and what a file system cannot do without: deleting it takes a person with more rights."""
BILLING = "billing."
_TITLES = {
    Role.DEPLOY: "gpukit deploy",
    Role.PLAN: "gpukit plan with live quotas",
    Role.IDLE: "gpukit idle",
    Role.TEARDOWN: "gpukit teardown",
}


@cache
def types() -> Mapping[str, Calls]:
    """Permissions behind each resource type, by type token."""
    return calls_by_type("gcp_types.csv")


@cache
def direct(role: Role) -> frozenset[str]:
    """Permissions that gpukit itself needs in a role, beside the provider."""
    return called_directly("gcp_calls.csv", "permission", role)


def permissions(role: Role) -> frozenset[str]:
    """Every permission of a role, the billing account's with them."""
    found = set(direct(role))
    for token, calls in types().items():
        delete = frozenset[str]() if token in KEPT else calls.delete
        if role is Role.DEPLOY:
            found |= calls.create | calls.read | calls.update | delete
        elif role is Role.TEARDOWN:
            found |= calls.read | delete
    return frozenset(found)


def document(role: Role, *, billing: bool = False) -> dict[str, object]:
    """The custom role on the project; with `billing` the one on the billing account."""
    chosen = sorted(each for each in permissions(role) if each.startswith(BILLING) is billing)
    return {
        "title": f"{_TITLES[role]}{' (billing account)' if billing else ''}",
        "description": "Made from gpukit's tables of permissions.",
        "stage": "GA",
        "includedPermissions": chosen,
    }


def with_budgets() -> tuple[Role, ...]:
    """Roles that act on a billing account."""
    return tuple(role for role in Role if any(each.startswith(BILLING) for each in permissions(role)))
