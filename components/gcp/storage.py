"""Data that outlives its cluster: buckets and a shared file system, who may use them, and how pods mount them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network

import pulumi
from pulumi_gcp import storage

from components.handle import ClusterHandle
from components.k8s.static_volume import StaticVolume, StaticVolumeArgs
from components.naming import Identity
from components.spec import Bucket as BucketSpec

from .bucket import Bucket, BucketArgs
from .file_system import FILE_SYSTEM, FileSystem, FileSystemArgs
from .storage_outline import LustreOutline
from .workload_identity import PodAccountArgs, pod_account

FUSE_DRIVER, LUSTRE_DRIVER = "gcsfuse.csi.storage.gke.io", "lustre.csi.storage.gke.io"
DATA_ACCOUNT = "data"
"""Pods that run under it may use the buckets, by mount or through Google's API; a mount needs the annotation gke-gcsfuse/volumes."""
BUCKET_CLAIM_GIB = 1200
"""Any number: a bucket has no size, and Kubernetes wants one."""
BUCKET_MOUNT = "/buckets"
OBJECT_ROLE = "roles/storage.objectUser"
"""Objects and folders of one bucket: no other bucket, no setting of this one."""


@dataclass(frozen=True, kw_only=True)
class StorageArgs:
    """What is stored, and for which cluster."""

    buckets: Sequence[BucketSpec]
    lustre: LustreOutline | None
    project: str
    region: str
    network_id: pulumi.Input[str]
    peered: IPv4Network | None
    """As in FileSystemArgs."""
    key: str | None
    """Encrypts the file system; None: with keys of Google's own."""
    cluster: ClusterHandle
    namespace: str
    """Of the workloads that use the storage."""
    workspace: pulumi.Resource
    """The namespace itself."""
    identity: Identity


class Storage(pulumi.ComponentResource):
    """Buckets and the shared file system of a cluster, mounted by claims in the workloads' namespace.

    A destroy leaves the data, and what it cannot do without; accounts, grants and claims go.
    """

    bucket_names: Mapping[str, pulumi.Output[str]]
    """By the bucket's name in the stack file."""

    def __init__(self, name: str, args: StorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:gcp:Storage", name, {}, opts)
        self._own = pulumi.ResourceOptions(parent=self)
        buckets = {
            b.name: Bucket(f"{name}-{b.name}", BucketArgs(use=b.use, region=args.region, identity=args.identity), self._own)
            for b in args.buckets
        }
        self.bucket_names = {b: made.name for b, made in buckets.items()}
        if buckets:
            self._mount_buckets(name, args)
        if args.lustre is not None:
            self._shared(name, args, args.lustre)
        self.register_outputs({"buckets": dict(self.bucket_names)})

    def _mount_buckets(self, name: str, args: StorageArgs) -> None:
        account = PodAccountArgs(
            project=args.project,
            cluster=args.cluster,
            namespace=args.namespace,
            account=DATA_ACCOUNT,
            workspace=args.workspace,
            identity=args.identity,
        )
        member = pod_account(f"{name}-{DATA_ACCOUNT}", account, self)
        for bucket, bucket_name in self.bucket_names.items():
            grant = storage.BucketIAMMember(f"{name}-{bucket}", bucket=bucket_name, role=OBJECT_ROLE, member=member, opts=self._own)
            volume = StaticVolumeArgs(
                cluster=args.cluster,
                namespace=args.namespace,
                claim=bucket,
                driver=FUSE_DRIVER,
                volume_handle=bucket_name,
                attributes={},
                gib=BUCKET_CLAIM_GIB,
                mount=f"{BUCKET_MOUNT}/{bucket}",
                mount_options=("implicit-dirs",),
                after=(grant, args.workspace),
            )
            StaticVolume(f"{name}-{bucket}", volume, self._own)

    def _shared(self, name: str, args: StorageArgs, lustre: LustreOutline) -> None:
        made = FileSystem(
            f"{name}-shared",
            FileSystemArgs(
                outline=lustre,
                cluster=args.cluster.name,
                network_id=args.network_id,
                peered=args.peered,
                key=args.key,
                identity=args.identity,
            ),
            self._own,
        )
        volume = StaticVolumeArgs(
            cluster=args.cluster,
            namespace=args.namespace,
            claim="shared",
            driver=LUSTRE_DRIVER,
            volume_handle=pulumi.Output.concat(f"{args.project}/{lustre.zone}/", made.resource.instance_id),
            attributes={"ip": made.address, "filesystem": FILE_SYSTEM},
            gib=lustre.gib,
            mount=lustre.mount,
            after=(args.workspace,),
        )
        StaticVolume(f"{name}-shared", volume, self._own)
