"""Storage that is there already, as a volume that pods of one namespace may mount."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as kubernetes

from components.handle import ClusterHandle

MOUNT = "gpukit/mount"
"""Annotation of a claim: the path at which pods of this cluster mount it."""


@dataclass(frozen=True, kw_only=True)
class StaticVolumeArgs:
    """One file system or bucket. `gib` is what the claim asks for; drivers of buckets ignore it, Kubernetes wants some number."""

    cluster: ClusterHandle
    namespace: pulumi.Input[str]
    claim: str
    """Name of the claim in the namespace."""
    driver: str
    volume_handle: pulumi.Input[str]
    attributes: Mapping[str, pulumi.Input[str]]
    gib: int
    mount: str
    mount_options: tuple[str, ...] = ()
    after: tuple[pulumi.Resource, ...] = ()
    """What must be there first: the driver."""


class StaticVolume(pulumi.ComponentResource):
    """A persistent volume and the one claim that it is reserved for. Deleting either leaves the data alone."""

    claim: pulumi.Output[str]

    def __init__(self, name: str, args: StaticVolumeArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:k8s:StaticVolume", name, {}, opts)
        volume = self._volume(name, args)
        claim = kubernetes.core.v1.PersistentVolumeClaim(
            name,
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=args.claim, namespace=args.namespace, annotations={MOUNT: args.mount}),
            spec=kubernetes.core.v1.PersistentVolumeClaimSpecArgs(
                access_modes=["ReadWriteMany"],
                storage_class_name="",  # no class: the cluster's default one would make a new volume
                volume_name=name,
                resources=kubernetes.core.v1.VolumeResourceRequirementsArgs(requests={"storage": f"{args.gib}Gi"}),
            ),
            opts=args.cluster.options(self, volume),
        )
        self.claim = claim.metadata.apply(lambda metadata: str(metadata.name))
        self.register_outputs({"claim": self.claim})

    def _volume(self, name: str, args: StaticVolumeArgs) -> kubernetes.core.v1.PersistentVolume:
        return kubernetes.core.v1.PersistentVolume(
            name,
            metadata=kubernetes.meta.v1.ObjectMetaArgs(name=name),
            spec=kubernetes.core.v1.PersistentVolumeSpecArgs(
                capacity={"storage": f"{args.gib}Gi"},
                access_modes=["ReadWriteMany"],
                persistent_volume_reclaim_policy="Retain",  # data outlives the cluster
                storage_class_name="",
                mount_options=list(args.mount_options) or None,
                claim_ref=kubernetes.core.v1.ObjectReferenceArgs(namespace=args.namespace, name=args.claim),
                csi=kubernetes.core.v1.CSIPersistentVolumeSourceArgs(
                    driver=args.driver, volume_handle=args.volume_handle, volume_attributes=dict(args.attributes)
                ),
            ),
            opts=args.cluster.options(self, *args.after),
        )
