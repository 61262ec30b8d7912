"""Leave for a namespace of GKE to run pods of the critical priority classes.

C4: GKE admits `system-node-critical` and `system-cluster-critical` outside kube-system only where a quota covers them; without one the
pods are refused and their release times out.
"""

from __future__ import annotations

import pulumi
import pulumi_kubernetes as kubernetes

from components.handle import ClusterHandle

CLASSES = ("system-node-critical", "system-cluster-critical")
MOST_PODS = "1000000000"
"""No limit of its own: as many pods as the nodes take."""


def critical_quota(name: str, namespace: str, cluster: ClusterHandle, parent: pulumi.Resource, after: pulumi.Resource) -> pulumi.Resource:
    """The quota of `namespace`, which `after` makes."""
    covered = kubernetes.core.v1.ScopedResourceSelectorRequirementArgs(scope_name="PriorityClass", operator="In", values=list(CLASSES))
    return kubernetes.core.v1.ResourceQuota(
        name,
        metadata=kubernetes.meta.v1.ObjectMetaArgs(name="critical-pods", namespace=namespace),
        spec=kubernetes.core.v1.ResourceQuotaSpecArgs(
            hard={"pods": MOST_PODS}, scope_selector=kubernetes.core.v1.ScopeSelectorArgs(match_expressions=[covered])
        ),
        opts=cluster.options(parent, after),
    )
