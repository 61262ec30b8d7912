"""Managed Lustre: the file system that all nodes share, and the way to the network in which Google runs it."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network

import pulumi
from pulumi_gcp import compute, lustre, servicenetworking

from components.kept import kept_options, kept_tags
from components.naming import Identity

from .storage_outline import LustreOutline

FILE_SYSTEM = "gpukit"
"""Lustre's own name of the file system: letters and digits, eight at most."""
LUSTRE_PORTS = ("988", "6988")
"""Lustre's own, and the one that it takes for GKE clients. Sources: cluster-toolkit's GKE blueprints; the provider's schema."""
SERVICE = "servicenetworking.googleapis.com"


@dataclass(frozen=True, kw_only=True)
class FileSystemArgs:
    """Where the file system lives, and whose network reaches it."""

    outline: LustreOutline
    cluster: str
    network_id: pulumi.Input[str]
    """`projects/…/global/networks/…`."""
    peered: IPv4Network | None
    """Range that Google's network may use; None where the network has its private services access already."""
    key: str | None
    identity: Identity


class FileSystem(pulumi.ComponentResource):
    """A Managed Lustre instance in one zone; kept, with the peering that it cannot do without, when the stack is destroyed."""

    resource: lustre.Instance
    address: pulumi.Output[str]
    """Of its management server, for mounts."""

    def __init__(self, name: str, args: FileSystemArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:gcp:FileSystem", name, {}, opts)
        peered = [self._peering(name, args, args.peered)] if args.peered is not None else []
        self.resource = lustre.Instance(
            name,
            instance_id=f"{args.cluster}-shared",
            location=args.outline.zone,
            filesystem=FILE_SYSTEM,
            capacity_gib=f"{args.outline.gib}",
            per_unit_storage_throughput=f"{args.outline.mb_s_per_tib}",
            network=args.network_id,
            gke_support_enabled=True,
            kms_key=args.key,
            labels=kept_tags(args.identity, name),
            opts=kept_options(self, depends_on=peered),
        )
        self.address = self.resource.mount_point.apply(lambda point: point.partition("@")[0])
        self.register_outputs({"address": self.address})

    def _peering(self, name: str, args: FileSystemArgs, peered: IPv4Network) -> pulumi.Resource:
        """A range lent to Google's network, the peering with it, and leave for it to answer."""
        lent = compute.GlobalAddress(
            name,
            purpose="VPC_PEERING",
            address_type="INTERNAL",
            address=str(peered.network_address),
            prefix_length=peered.prefixlen,
            network=args.network_id,
            opts=kept_options(self),
        )
        compute.Firewall(
            name,
            network=args.network_id,
            direction="INGRESS",
            allows=[compute.FirewallAllowArgs(protocol="tcp", ports=list(LUSTRE_PORTS))],
            source_ranges=[str(peered)],
            opts=pulumi.ResourceOptions(parent=self),
        )
        return servicenetworking.Connection(
            name, network=args.network_id, service=SERVICE, reserved_peering_ranges=[lent.name], opts=kept_options(self)
        )
