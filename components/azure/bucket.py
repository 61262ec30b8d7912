"""A private store for blobs, and how long what it holds is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pulumi
from pulumi_azure_native import storage

from components.kept import kept_options, kept_tags
from components.naming import Identity, tight_name

Use = Literal["checkpoint", "dataset", "model", "scratch"]

VERSIONED: frozenset[Use] = frozenset({"checkpoint"})
"""A job that overwrites its last good checkpoint with a broken one loses nothing."""
OLD_VERSIONS_DAYS = 30
SCRATCH_DAYS = 30
REGRET_DAYS = 7
"""Judgement: how long a deleted blob or container can be brought back."""


@dataclass(frozen=True, kw_only=True)
class BucketArgs:
    """A bucket of the stack file. Raises ValueError for one that nobody could reach."""

    bucket: str
    """Its name in the stack file, and of the container."""
    use: Use
    region: str
    resource_group: pulumi.Input[str]
    """That of kept data: Azure deletes a group with all that is in it."""
    subnet_ids: Sequence[pulumi.Input[str]]
    """Whose nodes reach it through their service endpoint."""
    private: bool = False
    """Whether it is reached by private endpoints alone."""
    identity: Identity

    def __post_init__(self) -> None:
        if not self.private and not self.subnet_ids:
            raise ValueError(f"storage.buckets: {self.bucket} is open to no subnet: name those of the nodes, or use private endpoints")


class Bucket(pulumi.ComponentResource):
    """A storage account with one container, closed to the public and to shared keys, reached over TLS from the cluster's subnets only;
    kept with all its settings when the stack is destroyed.
    """

    account_name: pulumi.Output[str]
    account_id: pulumi.Output[str]
    container: str

    def __init__(self, name: str, args: BucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:azure:Bucket", name, {}, opts)
        self._kept = kept_options(self)
        account = self._account(name, args)
        self.account_name, self.account_id, self.container = account.name, account.id, args.bucket
        settings = self._settings(name, args, account)
        storage.BlobContainer(
            name,
            account_name=account.name,
            container_name=args.bucket,
            resource_group_name=args.resource_group,
            public_access=storage.PublicAccess.NONE,
            opts=kept_options(self, depends_on=[settings]),
        )
        self._expiring(name, args, account)
        self.register_outputs({"account": self.account_name})

    def _account(self, name: str, args: BucketArgs) -> storage.StorageAccount:
        return storage.StorageAccount(
            tight_name(args.bucket, args.identity.cluster),
            resource_group_name=args.resource_group,
            location=args.region,
            kind="StorageV2",
            sku=storage.SkuArgs(name="Standard_LRS"),
            allow_blob_public_access=False,
            allow_shared_key_access=False,
            allow_cross_tenant_replication=False,
            enable_https_traffic_only=True,
            minimum_tls_version="TLS1_2",
            public_network_access="Disabled" if args.private else "Enabled",
            network_rule_set=_reached_from([] if args.private else args.subnet_ids),
            tags=kept_tags(args.identity, name),
            opts=self._kept,
        )

    def _settings(self, name: str, args: BucketArgs, account: storage.StorageAccount) -> storage.BlobServiceProperties:
        regret = storage.DeleteRetentionPolicyArgs(enabled=True, days=REGRET_DAYS)
        return storage.BlobServiceProperties(
            name,
            account_name=account.name,
            blob_services_name="default",
            resource_group_name=args.resource_group,
            is_versioning_enabled=args.use in VERSIONED,
            delete_retention_policy=regret,
            container_delete_retention_policy=regret,
            opts=self._kept,
        )

    def _expiring(self, name: str, args: BucketArgs, account: storage.StorageAccount) -> None:
        """Scratch goes after a while, old versions of checkpoints too; everything else stays."""
        actions = None
        if args.use == "scratch":
            age = storage.DateAfterModificationArgs(days_after_modification_greater_than=SCRATCH_DAYS)
            actions = storage.ManagementPolicyActionArgs(base_blob=storage.ManagementPolicyBaseBlobArgs(delete=age))
        elif args.use in VERSIONED:
            old = storage.DateAfterCreationArgs(days_after_creation_greater_than=OLD_VERSIONS_DAYS)
            actions = storage.ManagementPolicyActionArgs(version=storage.ManagementPolicyVersionArgs(delete=old))
        if actions is None:
            return
        rule = storage.ManagementPolicyDefinitionArgs(actions=actions, filters=storage.ManagementPolicyFilterArgs(blob_types=["blockBlob"]))
        storage.ManagementPolicy(
            name,
            account_name=account.name,
            management_policy_name="default",
            resource_group_name=args.resource_group,
            policy=storage.ManagementPolicySchemaArgs(
                rules=[storage.ManagementPolicyRuleArgs(name="expiry", enabled=True, type="Lifecycle", definition=rule)]
            ),
            opts=self._kept,
        )


def _reached_from(subnet_ids: Sequence[pulumi.Input[str]]) -> storage.NetworkRuleSetArgs:
    return storage.NetworkRuleSetArgs(
        default_action=storage.DefaultAction.DENY,
        bypass="None",
        virtual_network_rules=[storage.VirtualNetworkRuleArgs(virtual_network_resource_id=subnet) for subnet in subnet_ids],
    )
