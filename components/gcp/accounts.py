"""Service accounts with exactly the roles that their users need.

Source of the nodes' roles: GKE documentation, "Use least privilege service accounts".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
from pulumi_gcp import projects, serviceaccount

from components.naming import Identity, account_description, account_id

NODE_ROLES = ("roles/container.defaultNodeServiceAccount", "roles/artifactregistry.reader")
"""Logs and metrics of nodes; images of the project's own registry."""


@dataclass(frozen=True, kw_only=True)
class AccountArgs:
    word: str
    """What it is for, in one word; part of its address."""
    project: str
    roles: Sequence[str]
    identity: Identity


@dataclass(frozen=True, kw_only=True)
class Account:
    """A service account, and the grants that it needs before anything runs under it."""

    resource: serviceaccount.Account
    grants: tuple[pulumi.CustomResource, ...]


def service_account(name: str, args: AccountArgs, parent: pulumi.Resource) -> Account:
    """An account of the cluster's own: Google's default one may edit the whole project."""
    own = pulumi.ResourceOptions(parent=parent)
    account = serviceaccount.Account(
        name,
        account_id=account_id(args.identity, args.word),
        display_name=f"{args.identity.cluster} {args.word}",
        description=account_description(args.identity.stack),
        opts=own,
    )
    grants = tuple(
        projects.IAMMember(f"{name}-{role.rpartition('.')[2]}", project=args.project, role=role, member=account.member, opts=own)
        for role in args.roles
    )
    return Account(resource=account, grants=grants)
