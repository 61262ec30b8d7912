"""The fabric of a cluster: the extra networks on which its GPUs talk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_gcp import compute

from .fabric_outline import FabricOutline, Vpc
from .network import PATIENCE


@dataclass(frozen=True, kw_only=True)
class FabricArgs:
    """Which networks, and where."""

    outline: FabricOutline
    project: str
    region: str


@dataclass(frozen=True, kw_only=True)
class Attachment:
    """One interface of a node as pool and cluster name it, in the order of the outline."""

    vpc: pulumi.Output[str]
    subnetwork: pulumi.Output[str]


class Fabric(pulumi.ComponentResource):
    """A VPC and a subnet for every GPU interface; for RDMA one VPC from the zone's profile with a subnet for each interface.

    D2, D3: with ordinary networks, or fewer of them, NCCL works at a tenth of its speed and says nothing.
    """

    attachments: Mapping[str, Attachment]
    """By the name of the Network object, in the order of a node's interfaces."""

    def __init__(self, name: str, args: FabricArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:gcp:Fabric", name, {}, opts)
        self._own = pulumi.ResourceOptions(parent=self, custom_timeouts=PATIENCE)
        made: dict[str, Attachment] = {}
        for vpc in args.outline.vpcs:
            made |= self._vpc(name, vpc, args)
        self.attachments = {interface.network: made[interface.network] for interface in args.outline.interfaces}
        self.register_outputs({"networks": list(self.attachments)})

    def _vpc(self, name: str, vpc: Vpc, args: FabricArgs) -> dict[str, Attachment]:
        network = compute.Network(
            f"{name}-{vpc.name}",
            auto_create_subnetworks=False,
            routing_mode="REGIONAL",
            mtu=vpc.mtu,
            network_profile=f"projects/{args.project}/global/networkProfiles/{vpc.profile}" if vpc.profile else None,
            opts=self._own,
        )
        if not vpc.rdma:  # RDMA networks let everything through inside, and take no such rules
            self._inside(name, vpc, network)
        return {
            interface.network: Attachment(vpc=network.name, subnetwork=self._subnetwork(name, vpc, interface.network, network, args))
            for interface in vpc.subnets
        }

    def _subnetwork(self, name: str, vpc: Vpc, subnet: str, network: compute.Network, args: FabricArgs) -> pulumi.Output[str]:
        """A subnet may carry the name of its VPC, which is another kind of resource."""
        cidr = next(str(interface.cidr) for interface in vpc.subnets if interface.network == subnet)
        made = compute.Subnetwork(f"{name}-{subnet}", network=network.id, region=args.region, ip_cidr_range=cidr, opts=self._own)
        return made.name

    def _inside(self, name: str, vpc: Vpc, network: compute.Network) -> None:
        """All traffic among the interfaces of one network, from their private range alone."""
        compute.Firewall(
            f"{name}-{vpc.name}",
            network=network.id,
            direction="INGRESS",
            allows=[compute.FirewallAllowArgs(protocol=protocol) for protocol in ("tcp", "udp", "icmp")],
            source_ranges=[str(interface.cidr) for interface in vpc.subnets],
            opts=self._own,
        )
