"""The cluster autoscaler on EKS, set for pools of GPU nodes.

Sources: README of the autoscaler's AWS provider (permissions, tags, static list of machines); values of the pinned chart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components import catalog, naming
from components.handle import ClusterHandle
from components.inventory import Market
from components.k8s.release import release
from components.naming import Identity, pool_name

from .outline import PoolOutline
from .pod_identity import PodIdentityArgs, pod_identity
from .scaling_tags import PREFIX

CHART = "cluster-autoscaler"
NAMESPACE = "kube-system"
SERVICE_ACCOUNT = "cluster-autoscaler"

PRIORITIES: Mapping[Market, int] = {Market.RESERVATION: 30, Market.SPOT: 20, Market.ON_DEMAND: 10}
"""What is paid for already comes first, then what is cheap."""
SYSTEM_PRIORITY = 1

LOOKS = (
    "autoscaling:DescribeAutoScalingGroups",
    "autoscaling:DescribeAutoScalingInstances",
    "autoscaling:DescribeLaunchConfigurations",
    "autoscaling:DescribeScalingActivities",
    "autoscaling:DescribeTags",
    "ec2:DescribeImages",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeLaunchTemplateVersions",
    "ec2:GetInstanceTypesFromInstanceRequirements",
    "eks:DescribeNodegroup",
)
CHANGES = ("autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup")


@dataclass(frozen=True, kw_only=True)
class AutoscalerArgs:
    cluster: ClusterHandle
    cluster_name: pulumi.Input[str]
    """Known once the agent that hands out pod identities is there."""
    pools: Sequence[PoolOutline]
    offline: bool
    """Whether the network has no way to the API that lists machine types."""
    identity: Identity


class Autoscaler(pulumi.ComponentResource):
    """Starts nodes for pods that wait, ends nodes that nobody uses, on this cluster's pools and no others."""

    release: kubernetes.helm.v3.Release

    def __init__(self, name: str, args: AutoscalerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:Autoscaler", name, {}, opts)
        permissions = PodIdentityArgs(
            cluster=args.cluster.name,
            cluster_name=args.cluster_name,
            namespace=NAMESPACE,
            service_account=SERVICE_ACCOUNT,
            policy=json.dumps(policy(args.cluster.name)),
            identity=args.identity,
        )
        permitted = pod_identity(name, permissions, self)
        self.release = release(name, catalog.chart(CHART), NAMESPACE, values(args), args.cluster.options(self, permitted))
        self.register_outputs({"version": catalog.chart(CHART).version})


def policy(cluster: str) -> dict[str, object]:
    """It may look at everything, which these actions cannot narrow, and change the scaling groups that carry the cluster's tag."""
    owned = {f"aws:ResourceTag/{PREFIX}/{cluster}": "owned"}
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": list(LOOKS), "Resource": "*"},
            {"Effect": "Allow", "Action": list(CHANGES), "Resource": "*", "Condition": {"StringEquals": owned}},
        ],
    }


def values(args: AutoscalerArgs) -> dict[str, object]:
    """The chart's values."""
    return {
        "cloudProvider": "aws",
        "awsRegion": args.cluster.region,
        "autoDiscovery": {"clusterName": args.cluster.name},
        "rbac": {"serviceAccount": {"name": SERVICE_ACCOUNT}},
        "priorityClassName": "system-cluster-critical",
        "resources": {"requests": {"cpu": "100m", "memory": "600Mi"}},
        "extraArgs": _arguments(offline=args.offline),
        "expanderPriorities": priorities(args.cluster.name, args.pools),
    }


def _arguments(*, offline: bool) -> dict[str, str]:
    arguments = {
        "expander": "priority",
        "balance-similar-node-groups": "false",  # a job's nodes live in one pool, however alike two pools look
        # F5: by default a node with fewer than half of its GPUs in use is emptied, and the job on it with it
        "scale-down-gpu-utilization-threshold": "0.01",
    }
    return {**arguments, "aws-use-static-instance-list": "true"} if offline else arguments


def priorities(cluster: str, pools: Sequence[PoolOutline]) -> dict[str, list[str]]:
    """Priority to patterns of scaling groups, which EKS names after their node groups: `eks-<cluster>-<pool>-<random>-<uuid>`."""
    found: dict[str, list[str]] = {}
    for pool in pools:
        if pool.autoscaled:
            rank = SYSTEM_PRIORITY if pool.name == naming.SYSTEM_POOL else PRIORITIES[pool.market]
            found.setdefault(str(rank), []).append(f"^eks-{pool_name('aws', cluster, pool.name)}-[0-9a-f]{{7}}-.*")
    return found
