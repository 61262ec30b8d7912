"""The EKS control plane, who may use it, and how to reach it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_aws import eks

from components import idle_tags
from components.naming import Identity, tag_key
from components.ordering import after

from .addons import AddonArgs, addon, before_nodes
from .cluster_access import access_problems, principal_name
from .kubeconfig import TokenCommand, exec_kubeconfig
from .logs import LogsArgs, control_plane_logs
from .roles import CLUSTER_POLICIES, NODE_POLICIES, RoleArgs, partition, service_role
from .secrets_key import secrets_key, use_of_key

ADMIN_POLICY = "AmazonEKSClusterAdminPolicy"
VIEW_POLICY = "AmazonEKSAdminViewPolicy"


@dataclass(frozen=True, kw_only=True)
class ClusterArgs:
    """What the control plane is made of. Raises ValueError for an API that nobody, or everybody, could reach."""

    cluster_name: str
    region: str
    kubernetes_version: str
    subnet_ids: Sequence[pulumi.Input[str]]
    """Of at least two zones."""
    api: Literal["public", "private"]
    api_cidrs: tuple[IPv4Network, ...]
    admins: tuple[str, ...]
    """IAM principals; the one that runs the program must be among them, since creating the cluster gives no rights in it."""
    viewers: tuple[str, ...]
    deletion_protection: bool
    support: Literal["STANDARD", "EXTENDED"]
    """What happens when the version's standard support ends: EKS upgrades the cluster by itself, or extended support is paid."""
    log_types: tuple[str, ...]
    """Logs of the control plane that are kept."""
    log_retention_days: int
    owner: str
    expires: str | None
    identity: Identity
    token: TokenCommand
    addon_versions: Mapping[str, str]
    """Pinned versions by add-on; the others are EKS's choice at creation."""

    def __post_init__(self) -> None:
        for field, problem in access_problems(self.api, self.api_cidrs, self.admins, self.viewers):
            raise ValueError(f"access.{field}: {problem}")


class Cluster(pulumi.ComponentResource):
    """An EKS cluster that IAM principals reach through access entries, with roles for itself and its nodes."""

    name: pulumi.Output[str]
    name_for_nodes: pulumi.Output[str]
    """The name, known once the add-ons are there without which no node becomes ready."""
    kubeconfig: pulumi.Output[str]
    """Secret; fetches its token by `aws eks get-token`, holds none."""
    kubernetes: kubernetes.Provider
    node_role_arn: pulumi.Output[str]
    security_group_id: pulumi.Output[str]
    """The group that EKS makes for control plane and nodes."""
    resource: eks.Cluster

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:Cluster", name, {}, opts)
        self.resource = self._control_plane(name, args)
        self.name = self.resource.name
        self.name_for_nodes = self._node_add_ons(name, args)
        access = self._access(name, args)
        self.node_role_arn = self._role(f"{name}-nodes", "ec2.amazonaws.com", NODE_POLICIES, args)
        self.security_group_id = self.resource.vpc_config.apply(lambda config: str(config.cluster_security_group_id))
        self.kubeconfig = self._kubeconfig(args)
        self.kubernetes = self._kubernetes(name, access)
        self.register_outputs({"name": self.name, "kubeconfig": self.kubeconfig})

    def _control_plane(self, name: str, args: ClusterArgs) -> eks.Cluster:
        key = secrets_key(f"{name}-secrets", args.identity, protected=args.deletion_protection, parent=self)
        role = self._role(f"{name}-cluster", "eks.amazonaws.com", CLUSTER_POLICIES, args, own_policy=key.apply(use_of_key))
        logs = control_plane_logs(name, LogsArgs(cluster=args.cluster_name, days=args.log_retention_days, identity=args.identity), self)
        mutable = {tag_key("aws", "owner"): args.owner} | ({tag_key("aws", "expires"): args.expires} if args.expires else {})
        return eks.Cluster(
            name,
            name=args.cluster_name,
            version=args.kubernetes_version,
            role_arn=role,
            vpc_config=eks.ClusterVpcConfigArgs(
                subnet_ids=list(args.subnet_ids),
                endpoint_private_access=True,
                endpoint_public_access=args.api == "public",
                public_access_cidrs=[str(c) for c in args.api_cidrs] if args.api == "public" else None,
            ),
            access_config=eks.ClusterAccessConfigArgs(
                authentication_mode="API",
                # rights are written down as access entries; changing this later would replace the cluster
                bootstrap_cluster_creator_admin_permissions=False,
            ),
            encryption_config=eks.ClusterEncryptionConfigArgs(
                provider=eks.ClusterEncryptionConfigProviderArgs(key_arn=key), resources=["secrets"]
            ),
            enabled_cluster_log_types=list(args.log_types),
            upgrade_policy=eks.ClusterUpgradePolicyArgs(support_type=args.support),
            deletion_protection=args.deletion_protection,
            tags={**args.identity.tags(name), **mutable},
            # EKS would make the group of its logs itself, without an end to what it keeps
            # people write it by hand to keep the cluster from the idle tools: an update must not take it off
            opts=pulumi.ResourceOptions(parent=self, depends_on=[logs], ignore_changes=[f'tags["{idle_tags.KEEP_KEY}"]']),
        )

    def _node_add_ons(self, name: str, args: ClusterArgs) -> pulumi.Output[str]:
        made = [
            addon(f"{name}-{o.name}", AddonArgs(outline=o, cluster_name=self.name, identity=args.identity), self)
            for o in before_nodes(args.addon_versions)
        ]
        return after(self.name, *made)

    def _access(self, name: str, args: ClusterArgs) -> list[pulumi.Resource]:
        """An access entry and its policy for every principal; the associations, which the Kubernetes provider waits for."""
        granted = [*((arn, ADMIN_POLICY) for arn in args.admins), *((arn, VIEW_POLICY) for arn in args.viewers)]
        return [self._grant(f"{name}-{principal_name(arn)}", arn, policy, args) for arn, policy in granted]

    def _grant(self, name: str, principal: str, policy: str, args: ClusterArgs) -> pulumi.Resource:
        own = pulumi.ResourceOptions(parent=self)
        entry = eks.AccessEntry(name, cluster_name=self.name, principal_arn=principal, tags=args.identity.tags(name), opts=own)
        return eks.AccessPolicyAssociation(
            name,
            cluster_name=self.name,
            principal_arn=entry.principal_arn,
            policy_arn=f"arn:{partition(args.region)}:eks::aws:cluster-access-policy/{policy}",
            access_scope=eks.AccessPolicyAssociationAccessScopeArgs(type="cluster"),
            opts=own,
        )

    def _role(
        self, name: str, service: str, policies: Sequence[str], args: ClusterArgs, own_policy: pulumi.Input[str] | None = None
    ) -> pulumi.Output[str]:
        role = RoleArgs(service=service, policies=policies, region=args.region, identity=args.identity, own_policy=own_policy)
        return service_role(name, role, self)

    def _kubeconfig(self, args: ClusterArgs) -> pulumi.Output[str]:
        authority = self.resource.certificate_authority.apply(lambda a: str(a.data))
        text = pulumi.Output.all(self.name, self.resource.endpoint, authority).apply(
            lambda known: json.dumps(exec_kubeconfig(name=known[0], endpoint=known[1], authority=known[2], token=args.token))
        )
        return pulumi.Output.secret(text)  # H8

    def _kubernetes(self, name: str, access: list[pulumi.Resource]) -> kubernetes.Provider:
        """H7: only a new cluster (its endpoint is its own) replaces the provider, never a new text of the kubeconfig."""
        return kubernetes.Provider(
            name,
            kubeconfig=self.kubeconfig,
            cluster_identifier=self.resource.endpoint,
            enable_server_side_apply=True,
            opts=pulumi.ResourceOptions(parent=self, depends_on=access),
        )
