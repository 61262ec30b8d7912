"""Data that outlives its cluster: blob stores and a shared file system, who may use them, and how pods mount them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_azure_native import managedidentity

from components import catalog
from components.handle import ClusterHandle
from components.k8s.release import release
from components.k8s.static_volume import StaticVolume, StaticVolumeArgs
from components.naming import Identity
from components.spec import Bucket as BucketSpec

from .bucket import Bucket, BucketArgs
from .endpoints import EndpointsArgs, private_endpoints
from .file_system import FileSystem, FileSystemArgs
from .pod_identity import PodIdentityArgs, pod_identity
from .storage_outline import LustreOutline

SYSTEM_NAMESPACE = "kube-system"
BLOB_DRIVER = "blob.csi.azure.com"
LUSTRE_CHART, LUSTRE_DRIVER = "azurelustre-csi-driver", "azurelustre.csi.azure.com"
FILE_SYSTEM_NAME = "lustrefs"
"""Every Azure Managed Lustre is called so. Source: Azure documentation, "Use the Azure Lustre CSI driver with AKS"."""
DATA_SERVICE_ACCOUNT = "data"
"""Pods that run under it may use the stores, mounted or through the blob API."""
CLIENT_ANNOTATION = "azure.workload.identity/client-id"
BUCKET_CLAIM_GIB = 1200
"""Any number: a container has no size, and Kubernetes wants one."""
BUCKET_MOUNT = "/buckets"
MOUNT_OPTIONS = ("-o allow_other", "--use-attr-cache=true", "--cancel-list-on-mount-seconds=10")
"""Source: blob CSI driver documentation, example of a static volume."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where stores and file system stand, and who reaches them."""

    data_group: pulumi.Input[str]
    """Resource group of kept data."""
    cluster_group: pulumi.Input[str]
    node_subnet_ids: Sequence[pulumi.Input[str]]
    vnet_id: pulumi.Input[str]
    endpoint_subnet_id: pulumi.Input[str] | None = None
    """None: stores are reached through the nodes' service endpoints."""
    file_system_subnet_id: pulumi.Input[str] | None = None


@dataclass(frozen=True, kw_only=True)
class StorageArgs:
    """What is stored, and for which cluster. Raises ValueError for a file system without a subnet."""

    buckets: Sequence[BucketSpec]
    lustre: LustreOutline | None
    place: Place
    subscription: str
    issuer: pulumi.Input[str]
    cluster: ClusterHandle
    namespace: str
    """Of the workloads that use the storage."""
    workspace: pulumi.Resource
    """The namespace itself."""
    identity: Identity

    def __post_init__(self) -> None:
        if self.lustre is not None and self.place.file_system_subnet_id is None:
            raise ValueError("storage.shared_filesystem: the file system has no subnet to stand in: pass it")


class Storage(pulumi.ComponentResource):
    """Blob stores and the shared file system of a cluster, mounted by claims in the workloads' namespace.

    A destroy leaves the data, and what it cannot do without; identities, endpoints and claims go.
    """

    account_names: Mapping[str, pulumi.Output[str]]
    """By the bucket's name in the stack file."""

    def __init__(self, name: str, args: StorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:azure:Storage", name, {}, opts)
        self._own = pulumi.ResourceOptions(parent=self)
        buckets = {bucket.name: Bucket(f"{name}-{bucket.name}", _bucket_args(args, bucket), self._own) for bucket in args.buckets}
        self.account_names = {bucket: made.account_name for bucket, made in buckets.items()}
        if buckets:
            self._mount_buckets(name, args, buckets)
        if buckets and args.place.endpoint_subnet_id is not None:
            private_endpoints(name, _endpoints_args(args, buckets, args.place.endpoint_subnet_id), self)
        if args.lustre is not None and args.place.file_system_subnet_id is not None:
            self._shared(name, args, args.lustre, args.place.file_system_subnet_id)
        self.register_outputs({"accounts": dict(self.account_names)})

    def _mount_buckets(self, name: str, args: StorageArgs, buckets: Mapping[str, Bucket]) -> None:
        account = f"{name}-{DATA_SERVICE_ACCOUNT}"
        made = pod_identity(account, _identity_args(args, buckets), self)
        kubernetes.core.v1.ServiceAccount(
            account,
            metadata=kubernetes.meta.v1.ObjectMetaArgs(
                name=DATA_SERVICE_ACCOUNT, namespace=args.namespace, annotations={CLIENT_ANNOTATION: made.client_id}
            ),
            opts=args.cluster.options(self, args.workspace),
        )
        for bucket, store in buckets.items():
            StaticVolume(f"{name}-{bucket}", _bucket_volume(args, bucket, store, made), self._own)

    def _shared(self, name: str, args: StorageArgs, lustre: LustreOutline, subnet_id: pulumi.Input[str]) -> None:
        place = FileSystemArgs(
            outline=lustre,
            region=args.cluster.region,
            resource_group=args.place.data_group,
            subnet_id=subnet_id,
            identity=args.identity,
        )
        made = FileSystem(f"{name}-shared", place, self._own)
        driver = release(f"{name}-lustre-driver", catalog.chart(LUSTRE_CHART), SYSTEM_NAMESPACE, {}, args.cluster.options(self))
        StaticVolume(f"{name}-shared", _shared_volume(args, lustre, made, driver), self._own)


def _bucket_args(args: StorageArgs, bucket: BucketSpec) -> BucketArgs:
    return BucketArgs(
        bucket=bucket.name,
        use=bucket.use,
        region=args.cluster.region,
        resource_group=args.place.data_group,
        subnet_ids=args.place.node_subnet_ids,
        private=args.place.endpoint_subnet_id is not None,
        identity=args.identity,
    )


def _identity_args(args: StorageArgs, buckets: Mapping[str, Bucket]) -> PodIdentityArgs:
    return PodIdentityArgs(
        region=args.cluster.region,
        resource_group=args.place.cluster_group,
        issuer=args.issuer,
        namespace=args.namespace,
        service_account=DATA_SERVICE_ACCOUNT,
        role="Storage Blob Data Contributor",
        scopes={bucket: made.account_id for bucket, made in buckets.items()},
        subscription=args.subscription,
        identity=args.identity,
    )


def _endpoints_args(args: StorageArgs, buckets: Mapping[str, Bucket], subnet_id: pulumi.Input[str]) -> EndpointsArgs:
    return EndpointsArgs(
        region=args.cluster.region,
        resource_group=args.place.cluster_group,
        vnet_id=args.place.vnet_id,
        subnet_id=subnet_id,
        accounts={bucket: made.account_id for bucket, made in buckets.items()},
        identity=args.identity,
    )


def _bucket_volume(args: StorageArgs, name: str, bucket: Bucket, identity: managedidentity.UserAssignedIdentity) -> StaticVolumeArgs:
    """Mounted with the token of the pod's own service account: no key of the store is ever read."""
    return StaticVolumeArgs(
        cluster=args.cluster,
        namespace=args.namespace,
        claim=name,
        driver=BLOB_DRIVER,
        volume_handle=f"{args.cluster.name}-{name}",
        attributes={
            "protocol": "fuse2",
            "resourceGroup": args.place.data_group,
            "storageAccount": bucket.account_name,
            "containerName": bucket.container,
            "clientID": identity.client_id,
            "mountWithWorkloadIdentityToken": "true",
        },
        gib=BUCKET_CLAIM_GIB,
        mount=f"{BUCKET_MOUNT}/{name}",
        mount_options=MOUNT_OPTIONS,
        after=(args.workspace,),
    )


def _shared_volume(args: StorageArgs, lustre: LustreOutline, made: FileSystem, driver: pulumi.Resource) -> StaticVolumeArgs:
    return StaticVolumeArgs(
        cluster=args.cluster,
        namespace=args.namespace,
        claim="shared",
        driver=LUSTRE_DRIVER,
        volume_handle=f"{args.cluster.name}-shared",
        attributes={"mgs-ip-address": made.address, "fs-name": FILE_SYSTEM_NAME},
        gib=round(lustre.tib * 1024),
        mount=lustre.mount,
        mount_options=("noatime", "flock"),
        after=(driver, args.workspace),
    )
