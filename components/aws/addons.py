"""EKS add-ons: what every node needs before it is ready, and what needs nodes to run on.

Versions: those that the stack file pins. The catalogue pins none, as build numbers of new minors stand in no document: EKS then installs its
default for the cluster's Kubernetes version and keeps it until someone changes it. Sources: EKS User Guide, "Amazon EKS add-ons"; README of amazon-vpc-cni-k8s; configuration schema of
the add-on aws-ebs-csi-driver.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import pulumi
from pulumi_aws import eks

from components.naming import Identity

from .pod_identity import PodIdentityArgs, pod_identity
from .roles import partition

CNI_ENVIRONMENT = {"ENABLE_PREFIX_DELEGATION": "true", "WARM_IP_TARGET": "5", "MINIMUM_IP_TARGET": "16"}
"""A6: addresses come in blocks of 16, one a node to begin with, and no spare interface is attached. Holds for the whole cluster.

Needs no more than the 32 addresses a node of the address plan for up to 27 pods.
"""
EBS_SERVICE_ACCOUNT = "ebs-csi-controller-sa"
EBS_POLICY = "service-role/AmazonEBSCSIDriverPolicy"


@dataclass(frozen=True, kw_only=True)
class AddonOutline:
    """One add-on and what it is told."""

    name: str
    version: str | None = None
    """As `v1.2.3-eksbuild.4`; None leaves it to EKS."""
    configuration: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


def before_nodes(versions: Mapping[str, str]) -> tuple[AddonOutline, ...]:
    """DaemonSets without which a node is not ready, or its pods get no permissions; they wait for no node themselves."""
    return _pinned(
        versions,
        AddonOutline(name="vpc-cni", configuration={"env": CNI_ENVIRONMENT}),
        AddonOutline(name="kube-proxy"),
        AddonOutline(name="eks-pod-identity-agent"),
    )


def after_nodes(volume_tags: Mapping[str, str], versions: Mapping[str, str]) -> tuple[AddonOutline, ...]:
    """Deployments, which need nodes, and the agent whose reports node repair acts on."""
    return _pinned(
        versions,
        AddonOutline(name="coredns"),
        AddonOutline(name="eks-node-monitoring-agent"),
        # J9: volumes of claims are no resources of the stack and would carry nothing of it
        AddonOutline(name="aws-ebs-csi-driver", configuration={"controller": {"extraVolumeTags": dict(volume_tags)}}),
    )


def _pinned(versions: Mapping[str, str], *outlines: AddonOutline) -> tuple[AddonOutline, ...]:
    return tuple(replace(outline, version=versions.get(outline.name)) for outline in outlines)


@dataclass(frozen=True, kw_only=True)
class AddonArgs:
    outline: AddonOutline
    cluster_name: pulumi.Input[str]
    identity: Identity


def addon(name: str, args: AddonArgs, parent: pulumi.Resource, *, after: tuple[pulumi.Resource, ...] = ()) -> eks.Addon:
    """The add-on; what EKS put there unasked is taken over."""
    configuration = args.outline.configuration
    return eks.Addon(
        name,
        cluster_name=args.cluster_name,
        addon_name=args.outline.name,
        addon_version=args.outline.version,
        configuration_values=json.dumps(configuration, sort_keys=True) if configuration else None,
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="OVERWRITE",
        tags=args.identity.tags(name),
        opts=pulumi.ResourceOptions(parent=parent, depends_on=list(after)),
    )


@dataclass(frozen=True, kw_only=True)
class AddonsArgs:
    cluster: str
    """Name of the cluster, as the trust policy spells it."""
    cluster_name: pulumi.Input[str]
    """Known once there are nodes."""
    region: str
    identity: Identity
    versions: Mapping[str, str]


class Addons(pulumi.ComponentResource):
    """Name resolution, block storage and health reports of nodes, once there are nodes to run them on."""

    def __init__(self, name: str, args: AddonsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:Addons", name, {}, opts)
        tags = args.identity.tags(name)
        for outline in after_nodes(tags, args.versions):
            permitted = (self._ebs_identity(name, args),) if outline.name == "aws-ebs-csi-driver" else ()
            made = AddonArgs(outline=outline, cluster_name=args.cluster_name, identity=args.identity)
            addon(f"{name}-{outline.name}", made, self, after=permitted)
        self.register_outputs({})

    def _ebs_identity(self, name: str, args: AddonsArgs) -> pulumi.Resource:
        """What the driver's controller may do: AWS's own policy for it, which limits it to volumes that it tagged itself."""
        permissions = PodIdentityArgs(
            cluster=args.cluster,
            cluster_name=args.cluster_name,
            namespace="kube-system",
            service_account=EBS_SERVICE_ACCOUNT,
            managed_policies=(f"arn:{partition(args.region)}:iam::aws:policy/{EBS_POLICY}",),
            identity=args.identity,
        )
        return pod_identity(f"{name}-ebs-csi", permissions, self)
