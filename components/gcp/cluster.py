"""The GKE control plane, who may use it, and how to reach it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_gcp import container, projects

from components.naming import Identity, tag_key
from components.ordering import after
from components.regional_addresses import PODS_PER_NODE

from .accounts import NODE_ROLES, AccountArgs, service_account
from .cluster_access import access_problems, groups_domain, identified
from .cluster_features import Features, addons, maintenance, monitoring
from .kubeconfig import exec_kubeconfig
from .upkeep import Upkeep

VIEWER_ROLE = "roles/container.clusterViewer"
"""Finding the cluster and its address; what one may do in it is for the bindings inside."""


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """What the control plane is made of. Raises ValueError for an API that nobody, or everybody, could reach."""

    cluster_name: str
    project: str
    location: str
    """A zone, or a region."""
    node_zones: tuple[str, ...]
    kubernetes_version: str
    network: pulumi.Input[str]
    subnetwork: pulumi.Input[str]
    pod_range: str
    service_range: str
    api: Literal["public", "private"]
    api_cidrs: tuple[IPv4Network, ...]
    admins: tuple[str, ...]
    """Users, service accounts and groups; the one that runs the program has its rights from IAM."""
    viewers: tuple[str, ...]
    deletion_protection: bool
    upkeep: Upkeep
    features: Features
    encryption_key: str | None
    owner: str
    expires: str | None
    identity: Identity

    def __post_init__(self) -> None:
        for field, problem in access_problems(self.api, self.api_cidrs, self.admins, self.viewers):
            raise ValueError(f"access.{field}: {problem}")


class Cluster(pulumi.ComponentResource):
    """A Standard cluster (D15) with private nodes, Dataplane V2, Workload Identity, and a least-privilege account for its nodes."""

    name: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    """Secret; fetches its token by Google's plugin, holds none."""
    kubernetes: kubernetes.Provider
    node_account: pulumi.Output[str]
    """Address of the nodes' service account, known once it may do its work."""
    resource: container.Cluster

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:gcp:Cluster", name, {}, opts)
        self._own = pulumi.ResourceOptions(parent=self)
        nodes = AccountArgs(word="nodes", project=args.project, roles=NODE_ROLES, identity=args.identity)
        account = service_account(f"{name}-nodes", nodes, self)
        self.node_account = after(account.resource.email, *account.grants)
        self.resource = self._control_plane(name, args)
        self.name = self.resource.name
        self.kubeconfig = self._kubeconfig()
        self.kubernetes = self._kubernetes(name)
        self._access(name, args)
        self.register_outputs({"name": self.name, "kubeconfig": self.kubeconfig})

    def _control_plane(self, name: str, args: ClusterArgs) -> container.Cluster:
        mutable = {tag_key("gcp", "owner"): args.owner} | ({tag_key("gcp", "expires"): args.expires} if args.expires else {})
        return container.Cluster(
            name,
            name=args.cluster_name,
            location=args.location,
            node_locations=_further_zones(args),
            min_master_version=args.kubernetes_version,
            deletion_protection=args.deletion_protection,  # H14: true unless written, and then a destroy stops with the pools gone
            remove_default_node_pool=True,
            initial_node_count=1,
            node_config=_default_pool(self.node_account),
            network=args.network,
            subnetwork=args.subnetwork,
            networking_mode="VPC_NATIVE",
            ip_allocation_policy=container.ClusterIpAllocationPolicyArgs(
                cluster_secondary_range_name=args.pod_range, services_secondary_range_name=args.service_range
            ),
            default_max_pods_per_node=PODS_PER_NODE,
            datapath_provider="ADVANCED_DATAPATH",
            enable_multi_networking=args.features.multi_networking or None,  # D2: at creation or never
            private_cluster_config=container.ClusterPrivateClusterConfigArgs(
                enable_private_nodes=True, enable_private_endpoint=args.api == "private"
            ),
            master_authorized_networks_config=_authorised(args),
            workload_identity_config=container.ClusterWorkloadIdentityConfigArgs(workload_pool=f"{args.project}.svc.id.goog"),
            authenticator_groups_config=_groups(args),
            release_channel=container.ClusterReleaseChannelArgs(channel=args.upkeep.channel),
            maintenance_policy=maintenance(args.upkeep),
            monitoring_config=monitoring(args.features),
            logging_config=container.ClusterLoggingConfigArgs(enable_components=["SYSTEM_COMPONENTS", "WORKLOADS"]),
            addons_config=addons(args.features),
            cost_management_config=container.ClusterCostManagementConfigArgs(enabled=True),
            database_encryption=_encryption(args.encryption_key),
            enable_shielded_nodes=True,
            resource_labels={**args.identity.tags(name), **mutable},
            # the default pool is gone as soon as it was made: what it would look like is no difference
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["nodeConfig", "initialNodeCount"]),
        )

    def _access(self, name: str, args: ClusterArgs) -> None:
        """IAM to find the cluster, RBAC for what one may do in it."""
        for written, role in [*((who, "cluster-admin") for who in args.admins), *((who, "view") for who in args.viewers)]:
            who = identified(written)
            projects.IAMMember(f"{name}-{who.word}", project=args.project, role=VIEWER_ROLE, member=who.member, opts=self._own)
            kubernetes.rbac.v1.ClusterRoleBinding(
                f"{name}-{who.word}",
                metadata=kubernetes.meta.v1.ObjectMetaArgs(name=f"gpukit-{role}-{who.word}"),
                role_ref=kubernetes.rbac.v1.RoleRefArgs(api_group="rbac.authorization.k8s.io", kind="ClusterRole", name=role),
                subjects=[kubernetes.rbac.v1.SubjectArgs(api_group="rbac.authorization.k8s.io", kind=who.kind, name=who.email)],
                opts=pulumi.ResourceOptions(parent=self, provider=self.kubernetes, deleted_with=self.resource),
            )

    def _kubeconfig(self) -> pulumi.Output[str]:
        authority = self.resource.master_auth.apply(lambda auth: str(auth.cluster_ca_certificate))
        text = pulumi.Output.all(self.name, self.resource.endpoint, authority).apply(
            lambda known: json.dumps(exec_kubeconfig(name=known[0], endpoint=known[1], authority=known[2]))
        )
        return pulumi.Output.secret(text)  # H8

    def _kubernetes(self, name: str) -> kubernetes.Provider:
        """H7: only a new cluster (its endpoint is its own) replaces the provider, never a new text of the kubeconfig."""
        return kubernetes.Provider(
            name,
            kubeconfig=self.kubeconfig,
            cluster_identifier=self.resource.endpoint,
            enable_server_side_apply=True,
            opts=self._own,
        )


def _further_zones(args: ClusterArgs) -> list[str] | None:
    """Of a regional cluster all zones of its nodes; a zonal one has its own zone already."""
    return None if args.location in args.node_zones else list(args.node_zones)


def _default_pool(account: pulumi.Input[str]) -> container.ClusterNodeConfigArgs:
    """The pool that GKE insists on making: not under Google's default account, which some organisations forbid."""
    return container.ClusterNodeConfigArgs(
        machine_type="e2-small", service_account=account, oauth_scopes=["https://www.googleapis.com/auth/cloud-platform"]
    )


def _authorised(args: ClusterArgs) -> container.ClusterMasterAuthorizedNetworksConfigArgs:
    """Without any block only the nodes reach the API, which is what a private one means."""
    blocks = [container.ClusterMasterAuthorizedNetworksConfigCidrBlockArgs(cidr_block=str(cidr)) for cidr in args.api_cidrs]
    return container.ClusterMasterAuthorizedNetworksConfigArgs(cidr_blocks=blocks if args.api == "public" else None)


def _groups(args: ClusterArgs) -> container.ClusterAuthenticatorGroupsConfigArgs | None:
    domain = groups_domain((*args.admins, *args.viewers))
    return container.ClusterAuthenticatorGroupsConfigArgs(security_group=f"gke-security-groups@{domain}") if domain else None


def _encryption(key: str | None) -> container.ClusterDatabaseEncryptionArgs | None:
    return container.ClusterDatabaseEncryptionArgs(state="ENCRYPTED", key_name=key) if key else None
