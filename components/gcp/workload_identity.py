"""Google permissions for pods: a service account that one Kubernetes account of the cluster may act as.

Source: GKE documentation, "Authenticate to Google Cloud APIs from GKE workloads" (linking a Kubernetes account to an IAM account).
"""

from __future__ import annotations

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_gcp import serviceaccount

from components.handle import ClusterHandle
from components.naming import Identity

from .accounts import AccountArgs, service_account

USER_ROLE = "roles/iam.workloadIdentityUser"
ANNOTATION = "iam.gke.io/gcp-service-account"


@dataclass(frozen=True, kw_only=True)
class PodAccountArgs:
    project: str
    cluster: ClusterHandle
    namespace: str
    account: str
    """Name of the Kubernetes service account; part of the IAM account's address."""
    workspace: pulumi.Resource
    """The namespace itself."""
    identity: Identity


def pod_account(name: str, args: PodAccountArgs, parent: pulumi.Resource) -> pulumi.Output[str]:
    """IAM member (`serviceAccount:…`) as which pods under the account act."""
    made = service_account(name, AccountArgs(word=args.account, project=args.project, roles=(), identity=args.identity), parent).resource
    serviceaccount.IAMMember(
        name,
        service_account_id=made.name,
        role=USER_ROLE,
        member=f"serviceAccount:{args.project}.svc.id.goog[{args.namespace}/{args.account}]",
        # the pool of identities is there with the project's first cluster that has Workload Identity
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[args.cluster.cluster]),
    )
    kubernetes.core.v1.ServiceAccount(
        name,
        metadata=kubernetes.meta.v1.ObjectMetaArgs(name=args.account, namespace=args.namespace, annotations={ANNOTATION: made.email}),
        opts=args.cluster.options(parent, args.workspace),
    )
    return made.member
