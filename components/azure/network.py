"""The cluster's own network: private subnets for nodes behind NAT gateways, storage and registries reached without them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Literal

import pulumi
from pulumi_azure_native import network

from components.addresses import AddressPlan, ZonePlan
from components.kept import kept_options, kept_tags
from components.naming import Identity
from components.ordering import after

from .outline import WHOLE_NETWORK

SERVICES = ("Microsoft.Storage", "Microsoft.ContainerRegistry")
"""J4: service endpoints cost nothing and keep image layers and data off the NAT gateway, which bills every byte."""


@dataclass(frozen=True, kw_only=True)
class NetworkArgs:
    """Address plan and ways out of a network. Raises ValueError for one without a way out: its nodes could fetch no image."""

    region: str
    resource_group: pulumi.Input[str]
    plan: AddressPlan
    nat: Literal["single", "per_zone", "none"]
    identity: Identity
    endpoints: bool = False
    """Whether there is a subnet for private endpoints."""
    kept_group: pulumi.Input[str] | None = None
    """Resource group of a network that holds a file system: a destroy leaves it with the file system's subnet, which cost nothing."""

    def __post_init__(self) -> None:
        if self.nat == "none":
            raise ValueError("network.nat: none leaves the GPU stack's charts and images out of reach: use single or per_zone")


class Network(pulumi.ComponentResource):
    """A virtual network whose nodes have no public addresses, reach the internet through NAT, storage and registries through endpoints."""

    vnet_id: pulumi.Output[str]
    node_subnet_ids: Mapping[str, pulumi.Output[str]]
    """By zone, or one for the whole network."""
    egress_addresses: tuple[pulumi.Output[str], ...]
    """Public addresses that the nodes' own calls come from."""
    endpoint_subnet_id: pulumi.Output[str] | None
    file_system_subnet_id: pulumi.Output[str] | None

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpukit:azure:Network", name, {}, opts)
        self._name = name
        self._args = args
        self._own = pulumi.ResourceOptions(parent=self)
        vnet = self._vnet()
        gateways = self._nat_gateways()
        self.vnet_id = vnet.id
        last: network.Subnet | None = None
        subnets: dict[str, network.Subnet] = {}
        for zone in args.plan.zones:
            last = subnets[zone.zone] = self._node_subnet(zone, _behind(vnet, last), self._gateway_of(zone, gateways))
        self.node_subnet_ids = {zone: subnet.id for zone, subnet in subnets.items()}
        self.endpoint_subnet_id, self.file_system_subnet_id = self._small_subnets(vnet, last)
        self.egress_addresses = tuple(address for _, address in gateways.values())
        self.register_outputs({"vnetId": self.vnet_id, "nodeSubnetIds": dict(self.node_subnet_ids)})

    @property
    def _home(self) -> pulumi.Input[str]:
        """Resource group of the network itself."""
        return self._args.kept_group if self._args.kept_group is not None else self._args.resource_group

    def _vnet(self) -> network.VirtualNetwork:
        name = f"{self._name}-vnet"
        kept = self._args.kept_group is not None
        return network.VirtualNetwork(
            name,
            resource_group_name=self._home,
            location=self._args.region,
            address_space=network.AddressSpaceArgs(address_prefixes=[str(self._args.plan.cidr)]),
            tags=kept_tags(self._args.identity, name) if kept else self._args.identity.tags(name),
            # subnets are resources of their own: written here too, each update would take the others away
            opts=kept_options(self, ignore_changes=["subnets"]) if kept else self._ignoring_subnets(),
        )

    def _ignoring_subnets(self) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(parent=self, ignore_changes=["subnets"])

    def _nat_gateways(self) -> dict[str, tuple[network.NatGateway, pulumi.Output[str]]]:
        """By zone: one gateway and its address, or one each. One alone is bound to no zone."""
        if self._args.nat == "per_zone":
            return {zone.zone: self._nat_gateway(zone.zone) for zone in self._args.plan.zones}
        return {WHOLE_NETWORK: self._nat_gateway(WHOLE_NETWORK)}

    def _nat_gateway(self, zone: str) -> tuple[network.NatGateway, pulumi.Output[str]]:
        name = self._name if zone == WHOLE_NETWORK else f"{self._name}-{zone}"
        zones = None if zone == WHOLE_NETWORK else [zone]
        address = network.PublicIPAddress(
            f"{name}-nat-ip",
            resource_group_name=self._args.resource_group,
            location=self._args.region,
            sku=network.PublicIPAddressSkuArgs(name="Standard"),
            public_ip_allocation_method="Static",
            zones=zones,
            tags=self._args.identity.tags(f"{name}-nat-ip"),
            opts=self._own,
        )
        gateway = network.NatGateway(
            f"{name}-nat",
            resource_group_name=self._args.resource_group,
            location=self._args.region,
            sku=network.NatGatewaySkuArgs(name="Standard"),
            public_ip_addresses=[network.SubResourceArgs(id=address.id)],
            zones=zones,
            tags=self._args.identity.tags(f"{name}-nat"),
            opts=self._own,
        )
        return gateway, address.ip_address.apply(str)

    def _gateway_of(self, zone: ZonePlan, gateways: Mapping[str, tuple[network.NatGateway, pulumi.Output[str]]]) -> network.NatGateway:
        return (gateways.get(zone.zone) or gateways[WHOLE_NETWORK])[0]

    def _node_subnet(self, zone: ZonePlan, vnet_name: pulumi.Output[str], gateway: network.NatGateway) -> network.Subnet:
        return network.Subnet(
            f"{self._name}-nodes" if zone.zone == WHOLE_NETWORK else f"{self._name}-nodes-{zone.zone}",
            resource_group_name=self._home,
            virtual_network_name=vnet_name,
            address_prefix=str(zone.nodes),
            nat_gateway=network.SubResourceArgs(id=gateway.id),
            default_outbound_access=False,  # no way out but the gateway's
            service_endpoints=[network.ServiceEndpointPropertiesFormatArgs(service=service) for service in SERVICES],
            opts=self._own,
        )

    def _small_subnets(
        self, vnet: network.VirtualNetwork, last: network.Subnet | None
    ) -> tuple[pulumi.Output[str] | None, pulumi.Output[str] | None]:
        """For private endpoints and for a file system, each where one is wanted."""
        endpoints, file_system = self._args.plan.small.subnets(prefixlen_diff=1)
        first = self._small("endpoints", endpoints, _behind(vnet, last)) if self._args.endpoints else None
        keeps = self._args.kept_group is not None
        second = self._small("files", file_system, _behind(vnet, first or last), kept=True) if keeps else None
        return first.id if first else None, second.id if second else None

    def _small(self, kind: str, prefix: IPv4Network, vnet_name: pulumi.Input[str], *, kept: bool = False) -> network.Subnet:
        return network.Subnet(
            f"{self._name}-{kind}",
            resource_group_name=self._home,
            virtual_network_name=vnet_name,
            address_prefix=str(prefix),
            default_outbound_access=False,
            opts=kept_options(self) if kept else self._own,
        )


def _behind(vnet: network.VirtualNetwork, last: network.Subnet | None) -> pulumi.Output[str]:
    """The network's name, known once its last subnet is there: Azure refuses to change two subnets of a network at a time."""
    return after(vnet.name, last) if last is not None else vnet.name
