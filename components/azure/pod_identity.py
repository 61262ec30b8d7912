"""Rights for pods: an identity in Azure that the cluster's own tokens stand for, with a role on what it may use.

Source: AKS documentation, "Use Microsoft Entra Workload ID with AKS". No secret is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_azure_native import managedidentity

from components.naming import Identity

from .roles import GrantArgs, RoleName, grant

AUDIENCE = "api://AzureADTokenExchange"


@dataclass(frozen=True, kw_only=True)
class PodIdentityArgs:
    """Who (a service account of one namespace) may do what where (`scopes`: name to id)."""

    region: str
    resource_group: pulumi.Input[str]
    issuer: pulumi.Input[str]
    namespace: str
    service_account: str
    role: RoleName
    scopes: Mapping[str, pulumi.Input[str]]
    subscription: str
    identity: Identity


def pod_identity(name: str, args: PodIdentityArgs, parent: pulumi.Resource) -> managedidentity.UserAssignedIdentity:
    """The identity, trusted by this one service account alone."""
    own = pulumi.ResourceOptions(parent=parent)
    made = managedidentity.UserAssignedIdentity(
        name, resource_group_name=args.resource_group, location=args.region, tags=args.identity.tags(name), opts=own
    )
    managedidentity.FederatedIdentityCredential(
        name,
        resource_group_name=args.resource_group,
        resource_name_=made.name,
        issuer=args.issuer,
        subject=f"system:serviceaccount:{args.namespace}:{args.service_account}",
        audiences=[AUDIENCE],
        opts=own,
    )
    for scope, scope_id in args.scopes.items():
        right = GrantArgs(role=args.role, scope=scope_id, principal_id=made.principal_id, subscription=args.subscription)
        grant(f"{name}-{scope}", right, parent)
    return made
