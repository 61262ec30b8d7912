"""The key that encrypts a cluster's Kubernetes secrets.

AKS encrypts its store with keys of its own; one of ours adds a record of each use and a switch that is ours.
Source: AKS documentation, "Add Key Management Service etcd encryption" (a user-assigned identity with the role Key Vault Crypto User).
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
from pulumi_azure_native import keyvault

from components.naming import Identity, tight_name
from components.ordering import after

from .roles import GrantArgs, grant

DAYS_TO_REGRET = 90
"""Days between deletion and loss, the longest that a vault takes. A vault that AKS uses can never skip them (purge protection)."""
KEY_BITS = 2048


@dataclass(frozen=True, kw_only=True)
class SecretsKeyArgs:
    """Where the key lies, and who uses it."""

    region: str
    resource_group: pulumi.Input[str]
    tenant_id: pulumi.Input[str]
    principal_id: pulumi.Input[str]
    """Of the cluster's own identity."""
    subscription: str
    identity: Identity


@dataclass(frozen=True, kw_only=True)
class SecretsKey:
    """Known once the cluster's identity may use the key."""

    key_id: pulumi.Output[str]
    """Address of the key in its present version."""


def secrets_key(name: str, args: SecretsKeyArgs, parent: pulumi.Resource) -> SecretsKey:
    """A key in a vault of its own."""
    own = pulumi.ResourceOptions(parent=parent)
    vault = keyvault.Vault(
        tight_name(args.identity.cluster, name),
        resource_group_name=args.resource_group,
        location=args.region,
        properties=keyvault.VaultPropertiesArgs(
            tenant_id=args.tenant_id,
            sku=keyvault.SkuArgs(family="A", name=keyvault.SkuName.STANDARD),
            enable_rbac_authorization=True,
            enable_soft_delete=True,
            enable_purge_protection=True,
            soft_delete_retention_in_days=DAYS_TO_REGRET,
        ),
        tags=args.identity.tags(name),
        opts=own,
    )
    right = GrantArgs(role="Key Vault Crypto User", scope=vault.id, principal_id=args.principal_id, subscription=args.subscription)
    granted = grant(name, right, parent)
    key = keyvault.Key(
        name,
        key_name="kubernetes-secrets",
        resource_group_name=args.resource_group,
        vault_name=vault.name,
        properties=keyvault.KeyPropertiesArgs(kty="RSA", key_size=KEY_BITS),
        tags=args.identity.tags(name),
        opts=own,
    )
    return SecretsKey(key_id=after(key.key_uri_with_version, granted))
