"""The AKS control plane with its system pool, who may use it, and how to reach it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_azure_native import containerservice, managedidentity

from components.naming import Identity, tag_key
from components.ordering import after

from .cluster_access import access_problems
from .container_insights import CollectionArgs, addon, collection
from .groups import Groups
from .kubeconfig import endpoint_and_authority, exec_kubeconfig
from .logs import LogsArgs, control_plane_logs, workspace
from .outline import PoolOutline
from .overlay import Overlay
from .roles import GrantArgs, grant
from .secrets_key import SecretsKeyArgs, secrets_key
from .system_pool import autoscaler_settings, system_profile
from .upgrades import Upgrades
from .windows import maintenance_windows


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """What the control plane is made of. Raises ValueError for an API that nobody, or everybody, could reach."""

    cluster_name: str
    subscription: str
    region: str
    groups: Groups
    kubernetes_version: str
    system: PoolOutline
    system_subnet_id: pulumi.Input[str]
    vnet_id: pulumi.Input[str]
    """The cluster may join nodes and load balancers to it."""
    reserved_groups: tuple[str, ...] = ()
    """Ids of the resource groups of the capacity reservation groups that pools start in."""
    overlay: Overlay
    api: Literal["public", "private"]
    api_cidrs: tuple[IPv4Network, ...]
    egress_addresses: Sequence[pulumi.Input[str]] = ()
    """Where the nodes' own calls to a public API come from."""
    admins: tuple[str, ...]
    """Entra groups; whoever runs the program must be in one, since local accounts are off."""
    viewers: tuple[str, ...]
    protected: bool
    """Whether the cluster pays for an uptime guarantee, has a key of its own for secrets, and Pulumi refuses to delete it."""
    upgrades: Upgrades
    log_types: tuple[str, ...]
    log_retention_days: int
    container_insights: bool = False
    """Whether Azure Monitor collects metrics and logs of nodes and pods."""
    blob_driver: bool = False
    """Whether pods mount blob containers."""
    owner: str
    expires: str | None
    identity: Identity

    def __post_init__(self) -> None:
        for field, problem in access_problems(self.api, self.api_cidrs, self.admins, self.viewers):
            raise ValueError(f"access.{field}: {problem}")
        if self.system.mode != "System" or self.system.gpus_per_node:
            raise ValueError(f"system: pool {self.system.name} is no system pool: only one without GPUs stands inline (H9)")


class Cluster(pulumi.ComponentResource):
    """An AKS cluster that Entra groups reach, with an identity of its own, its logs, and the one pool that stands inline."""

    name: pulumi.Output[str]
    name_for_pools: pulumi.Output[str]
    """The name, known once the cluster's identity has its rights on reserved capacity."""
    kubeconfig: pulumi.Output[str]
    """Secret; fetches its token by kubelogin, holds none."""
    kubernetes: kubernetes.Provider
    issuer: pulumi.Output[str]
    """Address of the cluster's OIDC issuer, which workload identities trust."""
    resource: containerservice.ManagedCluster

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:azure:Cluster", name, {}, opts)
        self._own = pulumi.ResourceOptions(parent=self)
        self._identity, joined, reserved = self._identity_with_rights(name, args)
        self._logs = workspace(
            name,
            LogsArgs(region=args.region, resource_group=args.groups.cluster, days=args.log_retention_days, identity=args.identity),
            self,
        )
        self.resource = self._control_plane(name, args, joined)
        self.name = self.resource.name
        self.name_for_pools = after(self.name, *reserved)
        self.issuer = self.resource.oidc_issuer_profile.apply(lambda profile: str(profile.issuer_url) if profile else "")
        control_plane_logs(name, self.resource.id, args.log_types, self._logs.id, self)
        if args.container_insights:
            collection(name, self._collected(args), self)
        maintenance_windows(name, args.groups.cluster, self.name, args.upgrades.windows, self)
        viewers = [self._viewer(name, group, args) for group in args.viewers]
        self.kubeconfig = self._kubeconfig(args)
        self.kubernetes = self._kubernetes(name, viewers)
        self.register_outputs({"name": self.name, "kubeconfig": self.kubeconfig})

    def _identity_with_rights(
        self, name: str, args: ClusterArgs
    ) -> tuple[managedidentity.UserAssignedIdentity, pulumi.Output[str], list[pulumi.CustomResource]]:
        """The cluster's identity, its id once it may use the network, and its rights on reserved capacity.

        AKS associates a pool with a capacity reservation group by a user-assigned identity only, and without the right it makes the pool
        outside of it, with a warning alone.
        """
        made = managedidentity.UserAssignedIdentity(
            f"{name}-cluster",
            resource_group_name=args.groups.cluster,
            location=args.region,
            tags=args.identity.tags(f"{name}-cluster"),
            opts=self._own,
        )
        on_network = GrantArgs(
            role="Network Contributor", scope=args.vnet_id, principal_id=made.principal_id, subscription=args.subscription
        )
        joined = grant(f"{name}-network", on_network, self)
        reserved: list[pulumi.CustomResource] = []
        for scope in args.reserved_groups:
            right = GrantArgs(role="Contributor", scope=scope, principal_id=made.principal_id, subscription=args.subscription)
            reserved.append(grant(f"{name}-reserved-{scope.rsplit('/', 1)[1].lower()}", right, self))
        return made, after(made.id, joined), reserved

    def _control_plane(self, name: str, args: ClusterArgs, identity_id: pulumi.Output[str]) -> containerservice.ManagedCluster:
        mutable = {tag_key("azure", "owner"): args.owner} | ({tag_key("azure", "expires"): args.expires} if args.expires else {})
        return containerservice.ManagedCluster(
            name,
            resource_name_=args.cluster_name,
            resource_group_name=args.groups.cluster,
            node_resource_group=args.groups.nodes,
            location=args.region,
            kubernetes_version=args.kubernetes_version,
            dns_prefix=args.cluster_name,
            sku=containerservice.ManagedClusterSKUArgs(name="Base", tier="Standard" if args.protected else "Free"),
            identity=containerservice.ManagedClusterIdentityArgs(
                type=containerservice.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=[identity_id]
            ),
            agent_pool_profiles=[system_profile(args.system, args.system_subnet_id, args.kubernetes_version, args.identity, name)],
            network_profile=_network_profile(args.overlay),
            api_server_access_profile=_api_access(args),
            aad_profile=containerservice.ManagedClusterAADProfileArgs(
                managed=True, enable_azure_rbac=True, admin_group_object_ids=list(args.admins)
            ),
            enable_rbac=True,
            disable_local_accounts=True,  # nothing but Entra lets anyone in; AKS then lists no credential that works by itself
            oidc_issuer_profile=containerservice.ManagedClusterOIDCIssuerProfileArgs(enabled=True),
            security_profile=self._security(name, args),
            auto_upgrade_profile=containerservice.ManagedClusterAutoUpgradeProfileArgs(
                upgrade_channel=args.upgrades.cluster, node_os_upgrade_channel=args.upgrades.node_image
            ),
            auto_scaler_profile=autoscaler_settings(),
            storage_profile=_storage_profile(args.blob_driver),
            addon_profiles=dict(addon(self._logs.id)) if args.container_insights else None,
            tags={**args.identity.tags(name), **mutable},
            opts=pulumi.ResourceOptions(
                parent=self,
                protect=args.protected,
                # H1: the autoscaler writes the number of nodes
                ignore_changes=["agentPoolProfiles[0].count"],
            ),
        )

    def _security(self, name: str, args: ClusterArgs) -> containerservice.ManagedClusterSecurityProfileArgs:
        workload_identity = containerservice.ManagedClusterSecurityProfileWorkloadIdentityArgs(enabled=True)
        if not args.protected:
            return containerservice.ManagedClusterSecurityProfileArgs(workload_identity=workload_identity)
        key = SecretsKeyArgs(
            region=args.region,
            resource_group=args.groups.cluster,
            tenant_id=self._identity.tenant_id,
            principal_id=self._identity.principal_id,
            subscription=args.subscription,
            identity=args.identity,
        )
        return containerservice.ManagedClusterSecurityProfileArgs(
            workload_identity=workload_identity,
            azure_key_vault_kms=containerservice.AzureKeyVaultKmsArgs(
                enabled=True, key_id=secrets_key(f"{name}-secrets", key, self).key_id, key_vault_network_access="Public"
            ),
        )

    def _collected(self, args: ClusterArgs) -> CollectionArgs:
        return CollectionArgs(
            region=args.region,
            resource_group=args.groups.cluster,
            workspace_id=self._logs.id,
            cluster_id=self.resource.id,
            identity=args.identity,
        )

    def _viewer(self, name: str, group: str, args: ClusterArgs) -> pulumi.Resource:
        right = GrantArgs(
            role="Azure Kubernetes Service RBAC Reader",
            scope=self.resource.id,
            principal_id=group,
            subscription=args.subscription,
            group=True,
        )
        return grant(f"{name}-{group.lower()}", right, self)

    def _kubeconfig(self, args: ClusterArgs) -> pulumi.Output[str]:
        """Address and certificate from what AKS lists for the cluster's users: no output of the cluster holds the certificate."""
        listed = containerservice.list_managed_cluster_user_credentials_output(
            resource_group_name=args.groups.cluster,
            resource_name=self.name,
            format="exec",
            opts=pulumi.InvokeOutputOptions(parent=self, depends_on=[self.resource]),
        )
        text = listed.apply(lambda known: exec_text(args.cluster_name, str(known.kubeconfigs[0].value)))
        return pulumi.Output.secret(text)  # H8

    def _kubernetes(self, name: str, viewers: list[pulumi.Resource]) -> kubernetes.Provider:
        """H7: only a new cluster (its address is its own) replaces the provider, never a new text of the kubeconfig."""
        address = pulumi.Output.all(self.resource.fqdn, self.resource.private_fqdn).apply(lambda known: str(known[0] or known[1]))
        return kubernetes.Provider(
            name,
            kubeconfig=self.kubeconfig,
            cluster_identifier=address,
            enable_server_side_apply=True,
            opts=pulumi.ResourceOptions(parent=self, depends_on=viewers),
        )


def exec_text(cluster: str, credentials: str) -> str:
    """The kubeconfig of `cluster` as text, made of what AKS lists for its users."""
    endpoint, authority = endpoint_and_authority(credentials)
    return json.dumps(exec_kubeconfig(name=cluster, endpoint=endpoint, authority=authority))


def _network_profile(overlay: Overlay) -> containerservice.ContainerServiceNetworkProfileArgs:
    return containerservice.ContainerServiceNetworkProfileArgs(
        network_plugin="azure",
        network_plugin_mode="overlay",
        network_dataplane="cilium",
        network_policy="cilium",
        load_balancer_sku="standard",
        outbound_type="userAssignedNATGateway",
        pod_cidr=str(overlay.pods),
        service_cidr=str(overlay.services),
        dns_service_ip=overlay.dns,
    )


def _api_access(args: ClusterArgs) -> containerservice.ManagedClusterAPIServerAccessProfileArgs:
    if args.api == "private":
        return containerservice.ManagedClusterAPIServerAccessProfileArgs(
            enable_private_cluster=True, enable_private_cluster_public_fqdn=False, private_dns_zone="system", disable_run_command=True
        )
    # nodes reach a public API through their NAT gateway: without its address they would be shut out
    own = [pulumi.Output.concat(address, "/32") for address in args.egress_addresses]
    return containerservice.ManagedClusterAPIServerAccessProfileArgs(
        authorized_ip_ranges=[*(str(cidr) for cidr in args.api_cidrs), *own], disable_run_command=True
    )


def _storage_profile(blob_driver: bool) -> containerservice.ManagedClusterStorageProfileArgs:
    return containerservice.ManagedClusterStorageProfileArgs(
        disk_csi_driver=containerservice.ManagedClusterStorageProfileDiskCSIDriverArgs(enabled=True),
        blob_csi_driver=containerservice.ManagedClusterStorageProfileBlobCSIDriverArgs(enabled=blob_driver),
        file_csi_driver=containerservice.ManagedClusterStorageProfileFileCSIDriverArgs(enabled=False),
    )
