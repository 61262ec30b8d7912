"""Rights in Azure: a built-in role, given to one identity on one scope. Source of the ids: "Azure built-in roles" (Azure RBAC)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pulumi
from pulumi_azure_native import authorization

RoleName = Literal[
    "Contributor",
    "Network Contributor",
    "Key Vault Crypto User",
    "Storage Blob Data Contributor",
    "Azure Kubernetes Service RBAC Reader",
]

ROLES: Mapping[RoleName, str] = {
    "Contributor": "b24988ac-6180-42a0-ab88-20f7382dd24c",
    "Network Contributor": "4d97b98b-1d4f-4787-a291-c67834d212e7",
    "Key Vault Crypto User": "12338af0-0e69-4776-bea7-57ae8d297424",
    "Storage Blob Data Contributor": "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
    "Azure Kubernetes Service RBAC Reader": "7f6c6a51-bcf8-42ba-9220-52d62157d7db",
}


@dataclass(frozen=True, kw_only=True)
class GrantArgs:
    """Who may do what where."""

    role: RoleName
    scope: pulumi.Input[str]
    """Id of the resource, or resource group, on which the role holds."""
    principal_id: pulumi.Input[str]
    subscription: str
    group: bool = False
    """Whether the principal is an Entra group; else an identity."""


def grant(name: str, args: GrantArgs, parent: pulumi.Resource) -> authorization.RoleAssignment:
    """The role assignment. The kind of principal is said, so that Azure does not look for a new identity where it is not known yet."""
    return authorization.RoleAssignment(
        name,
        scope=args.scope,
        principal_id=args.principal_id,
        principal_type="Group" if args.group else "ServicePrincipal",
        role_definition_id=f"/subscriptions/{args.subscription}/providers/Microsoft.Authorization/roleDefinitions/{ROLES[args.role]}",
        opts=pulumi.ResourceOptions(parent=parent),
    )
