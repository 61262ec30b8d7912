"""Data that outlives its cluster: buckets and a shared file system, who may use them, and how pods mount them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components import catalog
from components.handle import ClusterHandle
from components.k8s.release import release
from components.k8s.static_volume import StaticVolume, StaticVolumeArgs
from components.naming import Identity
from components.spec import Bucket as BucketSpec

from .bucket import Bucket, BucketArgs
from .file_system import FileSystem, FileSystemArgs
from .pod_identity import PodIdentityArgs, pod_identity
from .storage_outline import LustreOutline

SYSTEM_NAMESPACE = "kube-system"
S3_CHART, S3_DRIVER, S3_SERVICE_ACCOUNT = "aws-mountpoint-s3-csi-driver", "s3.csi.aws.com", "s3-csi-driver-sa"
LUSTRE_CHART, LUSTRE_DRIVER = "aws-fsx-csi-driver", "fsx.csi.aws.com"
DATA_SERVICE_ACCOUNT = "data"
"""Pods that run under it may use the buckets through the S3 API."""
BUCKET_CLAIM_GIB = 1200
"""Any number: a bucket has no size, and Kubernetes wants one."""
BUCKET_MOUNT = "/buckets"
OBJECT_ACTIONS = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload")
"""Mountpoint for Amazon S3, CONFIGURATION.md, "IAM permissions"."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a file system stands, and the groups of the nodes that reach it."""

    vpc_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    node_security_group_id: pulumi.Input[str]
    fabric_security_group_id: pulumi.Input[str] | None = None


@dataclass(frozen=True, kw_only=True)
class StorageArgs:
    """What is stored, and for which cluster. Raises ValueError for a file system without a place."""

    buckets: Sequence[BucketSpec]
    lustre: LustreOutline | None
    place: Place | None
    """Required with a file system."""
    cluster: ClusterHandle
    cluster_name: pulumi.Input[str]
    namespace: str
    """Of the workloads that use the storage."""
    workspace: pulumi.Resource
    """The namespace itself."""
    identity: Identity

    def __post_init__(self) -> None:
        if self.lustre is not None and self.place is None:
            raise ValueError("storage.shared_filesystem: the file system has no network to stand in: pass its place")


class Storage(pulumi.ComponentResource):
    """Buckets and the shared file system of a cluster, mounted by claims in the workloads' namespace.

    A destroy leaves the data, and what it cannot do without; roles, drivers, claims and rules for the nodes go.
    """

    bucket_names: Mapping[str, pulumi.Output[str]]
    """By the bucket's name in the stack file."""

    def __init__(self, name: str, args: StorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:aws:Storage", name, {}, opts)
        self._own = pulumi.ResourceOptions(parent=self)
        buckets = {b.name: Bucket(f"{name}-{b.name}", BucketArgs(use=b.use, identity=args.identity), self._own) for b in args.buckets}
        self.bucket_names = {b: made.name for b, made in buckets.items()}
        if buckets:
            self._mount_buckets(name, args, buckets)
        if args.lustre is not None and args.place is not None:
            self._shared(name, args, args.lustre, args.place)
        self.register_outputs({"buckets": dict(self.bucket_names)})

    def _mount_buckets(self, name: str, args: StorageArgs, buckets: Mapping[str, Bucket]) -> None:
        policy = pulumi.Output.all(*(made.arn for made in buckets.values())).apply(lambda arns: json.dumps(use_of(arns)))
        self._let_pods_use(name, args, policy)
        driver = self._bucket_driver(name, args, policy)
        for bucket, made in buckets.items():
            StaticVolume(f"{name}-{bucket}", _bucket_volume(args, bucket, made, driver), self._own)

    def _let_pods_use(self, name: str, args: StorageArgs, policy: pulumi.Output[str]) -> None:
        account = f"{name}-{DATA_SERVICE_ACCOUNT}"
        pod_identity(account, _identity(args, args.namespace, DATA_SERVICE_ACCOUNT, policy), self)
        kubernetes.core.v1.ServiceAccount(
            account,
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=DATA_SERVICE_ACCOUNT, namespace=args.namespace),
            opts=args.cluster.options(self, args.workspace),
        )

    def _bucket_driver(self, name: str, args: StorageArgs, policy: pulumi.Output[str]) -> kubernetes.helm.v3.Release:
        """Mountpoint on every node. Its pods get their permissions when they start, so the identity comes first."""
        named = f"{name}-s3-driver"
        associated = pod_identity(named, _identity(args, SYSTEM_NAMESPACE, S3_SERVICE_ACCOUNT, policy), self)
        values = {"node": {"serviceAccount": {"create": True, "name": S3_SERVICE_ACCOUNT}, "tolerateAllTaints": True}}
        return release(named, catalog.chart(S3_CHART), SYSTEM_NAMESPACE, values, args.cluster.options(self, associated))

    def _shared(self, name: str, args: StorageArgs, lustre: LustreOutline, place: Place) -> None:
        bucket = self.bucket_names[lustre.bucket] if lustre.bucket is not None else None
        made = FileSystem(
            f"{name}-shared",
            FileSystemArgs(
                outline=lustre,
                vpc_id=place.vpc_id,
                subnet_id=place.subnet_id,
                node_security_group_id=place.node_security_group_id,
                fabric_security_group_id=place.fabric_security_group_id,
                bucket=bucket,
                identity=args.identity,
            ),
            self._own,
        )
        values = {"node": {"tolerateAllTaints": True}}
        driver = release(f"{name}-lustre-driver", catalog.chart(LUSTRE_CHART), SYSTEM_NAMESPACE, values, args.cluster.options(self))
        StaticVolume(f"{name}-shared", _shared_volume(args, lustre, made, driver), self._own)


def use_of(arns: Sequence[str]) -> dict[str, object]:
    """An IAM policy that lists these buckets, and reads and writes their objects: no other bucket, no setting of these."""
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Sid": "List", "Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": list(arns)},
            {"Sid": "Objects", "Effect": "Allow", "Action": list(OBJECT_ACTIONS), "Resource": [f"{arn}/*" for arn in arns]},
        ],
    }


def _identity(args: StorageArgs, namespace: str, account: str, policy: pulumi.Output[str]) -> PodIdentityArgs:
    return PodIdentityArgs(
        cluster=args.cluster.name,
        cluster_name=args.cluster_name,
        namespace=namespace,
        service_account=account,
        policy=policy,
        identity=args.identity,
    )


def _bucket_volume(args: StorageArgs, name: str, bucket: Bucket, driver: pulumi.Resource) -> StaticVolumeArgs:
    return StaticVolumeArgs(
        cluster=args.cluster,
        namespace=args.namespace,
        claim=name,
        driver=S3_DRIVER,
        volume_handle=f"{args.cluster.name}-{name}",
        attributes={"bucketName": bucket.name},
        gib=BUCKET_CLAIM_GIB,
        mount=f"{BUCKET_MOUNT}/{name}",
        mount_options=("allow-delete", "allow-other", "allow-overwrite", f"region {args.cluster.region}"),
        after=(driver, args.workspace),
    )


def _shared_volume(args: StorageArgs, lustre: LustreOutline, made: FileSystem, driver: pulumi.Resource) -> StaticVolumeArgs:
    return StaticVolumeArgs(
        cluster=args.cluster,
        namespace=args.namespace,
        claim="shared",
        driver=LUSTRE_DRIVER,
        volume_handle=made.resource.id,
        attributes={"dnsname": made.resource.dns_name, "mountname": made.resource.mount_name},
        gib=lustre.gib,
        mount=lustre.mount,
        mount_options=("flock",),
        after=(driver, args.workspace),
    )
