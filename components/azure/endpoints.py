"""Private endpoints: blob stores of the cluster, reached at addresses inside the network.

Source: Azure Private Link documentation, "Azure Private Endpoint private DNS zone values".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_azure_native import network, privatedns

from components.naming import Identity

BLOB_ZONE = "privatelink.blob.core.windows.net"
BLOB = "blob"


@dataclass(frozen=True, kw_only=True)
class EndpointsArgs:
    """Which stores (name to id of the account) get an endpoint in which subnet."""

    region: str
    resource_group: pulumi.Input[str]
    vnet_id: pulumi.Input[str]
    subnet_id: pulumi.Input[str]
    accounts: Mapping[str, pulumi.Input[str]]
    identity: Identity


def private_endpoints(name: str, args: EndpointsArgs, parent: pulumi.Resource) -> None:
    """One endpoint a store, found under the store's usual name by everything in the network."""
    zone = _zone(name, args, parent)
    for store, account in args.accounts.items():
        _endpoint(f"{name}-{store}", account, zone, args, parent)


def _zone(name: str, args: EndpointsArgs, parent: pulumi.Resource) -> privatedns.PrivateZone:
    own = pulumi.ResourceOptions(parent=parent)
    zone = privatedns.PrivateZone(
        f"{name}-blob",
        private_zone_name=BLOB_ZONE,
        resource_group_name=args.resource_group,
        location="global",
        tags=args.identity.tags(f"{name}-blob"),
        opts=own,
    )
    privatedns.VirtualNetworkLink(
        f"{name}-blob",
        private_zone_name=zone.name,
        resource_group_name=args.resource_group,
        location="global",
        virtual_network=privatedns.SubResourceArgs(id=args.vnet_id),
        registration_enabled=False,
        tags=args.identity.tags(f"{name}-blob"),
        opts=own,
    )
    return zone


def _endpoint(name: str, account: pulumi.Input[str], zone: privatedns.PrivateZone, args: EndpointsArgs, parent: pulumi.Resource) -> None:
    own = pulumi.ResourceOptions(parent=parent)
    endpoint = network.PrivateEndpoint(
        name,
        resource_group_name=args.resource_group,
        location=args.region,
        subnet=network.SubnetArgs(id=args.subnet_id),
        private_link_service_connections=[
            network.PrivateLinkServiceConnectionArgs(name=BLOB, group_ids=[BLOB], private_link_service_id=account)
        ],
        tags=args.identity.tags(name),
        opts=own,
    )
    network.PrivateDnsZoneGroup(
        name,
        private_dns_zone_group_name="default",
        private_endpoint_name=endpoint.name,
        resource_group_name=args.resource_group,
        private_dns_zone_configs=[network.PrivateDnsZoneConfigArgs(name=BLOB, private_dns_zone_id=zone.id)],
        opts=own,
    )
