"""Networks, subnets, ways out, private endpoints: what fits, and what keeps them."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.kinds.azure.network import RESERVED_ADDRESSES, free_addresses
from scripts.sandbox.refusal import Refusal
from tests.sandbox.azure import Azure


@pytest.mark.parametrize(
    ("prefix", "code"), [("10.1.0.0/24", "NetcfgSubnetRangeOutsideVnet"), ("10.0.0.128/25", "NetcfgSubnetRangesOverlap"), ("10.0.0.0/33", "InvalidAddressPrefixFormat")]
)  # fmt: skip
def test_a_subnet_lies_in_its_network_beside_the_others(azure: Azure, prefix: str, code: str):
    azure.ground()
    with pytest.raises(Refusal, match=code):
        azure.subnet("other", prefix)


def test_subnets_inside_and_beside_a_network_are_the_same_thing(azure: Azure):
    azure.group()
    vnet = azure.vnet(subnets=[{"name": "inline", "addressPrefix": "10.0.1.0/24"}])
    azure.subnet()
    assert {s["name"] for s in azure.now(vnet).state["subnets"]} == {"inline", "nodes"}
    azure.change(vnet, subnets=[])
    assert [s.id.rsplit("/", 1)[-1] for s in azure.all(t.SUBNET)] == ["nodes"]


def test_a_subnet_refers_to_what_exists(azure: Azure):
    azure.group()
    azure.vnet()
    with pytest.raises(Refusal, match="InvalidResourceReference"):
        azure.subnet(natGateway={"id": "/subscriptions/s/resourceGroups/lab-rg/providers/Microsoft.Network/natGateways/none"})


@pytest.mark.failure("K5")
def test_a_subnet_with_a_pool_in_it_stays_even_when_the_pool_is_empty(azure: Azure):
    azure.cluster()
    pool = azure.pool(count=0)
    (subnet,) = azure.all(t.SUBNET)
    with pytest.raises(Refusal, match="InUseSubnetCannotBeDeleted"):
        azure.delete(subnet)
    azure.delete(pool)
    with pytest.raises(Refusal, match="InUseSubnetCannotBeDeleted"):
        azure.delete(subnet)
    azure.delete(azure.all(t.CLUSTER)[0])
    azure.delete(subnet)
    assert not azure.there(subnet)


def test_a_network_stays_while_a_subnet_is_in_use(azure: Azure):
    azure.cluster()
    with pytest.raises(Refusal, match="InUseSubnetCannotBeDeleted"):
        azure.delete(azure.all(t.VNET)[0])


def gateway(azure: Azure, name: str = "nat", **changes: Any) -> Any:
    return azure.make(t.NAT_GATEWAY, **{"natGatewayName": name, "sku": {"name": "Standard"}, **changes})


def test_addresses_gateways_and_subnets_go_in_their_order(azure: Azure):
    azure.group()
    azure.vnet()
    address = azure.address()
    nat = gateway(azure, publicIpAddresses=[{"id": address.id}])
    subnet = azure.subnet(natGateway={"id": nat.id})
    with pytest.raises(Refusal, match="PublicIPAddressCannotBeDeleted"):
        azure.delete(address)
    with pytest.raises(Refusal, match="CannotDeleteNatGatewayAssociatedToSubnet"):
        azure.delete(nat)
    for each in (subnet, nat, address):
        azure.delete(each)
    assert not azure.all(t.NAT_GATEWAY)


def test_a_gateway_takes_standard_addresses_that_nobody_else_has(azure: Azure):
    azure.group()
    basic = azure.address("basic", sku={"name": "Basic"})
    with pytest.raises(Refusal, match="NatGatewayCannotBeUsedByBasicSkuPublicIp"):
        gateway(azure, publicIpAddresses=[{"id": basic.id}])
    good = azure.address("good")
    gateway(azure, "one", publicIpAddresses=[{"id": good.id}])
    with pytest.raises(Refusal, match="PublicIPAddressInUse"):
        gateway(azure, "two", publicIpAddresses=[{"id": good.id}])


@pytest.mark.parametrize(
    ("kind", "name", "field", "code"),
    [
        (t.SECURITY_GROUP, "networkSecurityGroupName", "networkSecurityGroup", "InUseNetworkSecurityGroupCannotBeDeleted"),
        (t.ROUTE_TABLE, "routeTableName", "routeTable", "InUseRouteTableCannotBeDeleted"),
    ],
)
def test_what_a_subnet_uses_stays(azure: Azure, kind: str, name: str, field: str, code: str):
    azure.group()
    azure.vnet()
    used = azure.make(kind, **{name: "used"})
    reference: dict[str, Any] = {field: {"id": used.id}}
    subnet = azure.subnet(**reference)
    with pytest.raises(Refusal, match=code):
        azure.delete(used)
    azure.delete(subnet)
    azure.delete(used)
    assert not azure.there(used)


def test_each_machine_and_endpoint_takes_an_address_and_gives_it_back(azure: Azure):
    azure.cluster()
    (subnet,) = azure.all(t.SUBNET)
    before = free_addresses(azure.world, subnet)
    pool = azure.pool(count=2)
    assert free_addresses(azure.world, subnet) == before - 2
    azure.delete(pool)
    assert free_addresses(azure.world, subnet) == before


@pytest.mark.failure("A6")
def test_a_full_subnet_takes_no_more_machines(azure: Azure):
    azure.cluster()
    small = azure.subnet("small", "10.0.9.0/29")
    pool = azure.pool(vnetSubnetID=small.id, count=8 - RESERVED_ADDRESSES)
    failure = azure.resize(pool, 4)
    assert failure is not None
    assert failure.code == "SubnetIsFull"


def test_a_private_zone_stays_while_a_network_is_linked(azure: Azure):
    azure.group()
    vnet = azure.vnet()
    zone = azure.make(t.PRIVATE_ZONE, privateZoneName="privatelink.blob.core.windows.net", location="Global")
    link = azure.make(
        t.ZONE_LINK, privateZoneName=zone.state["name"], virtualNetworkLinkName="l", virtualNetwork={"id": vnet.id}, location="Global"
    )
    with pytest.raises(Refusal, match="CannotDeleteResource"):
        azure.delete(zone)
    azure.delete(link)
    azure.delete(zone)
    assert not azure.there(zone)


def test_a_private_endpoint_has_an_interface_that_goes_with_it(azure: Azure):
    subnet = azure.ground()
    account = azure.make(t.STORAGE_ACCOUNT, accountName="labdata", kind="StorageV2", sku={"name": "Standard_LRS"})
    connection = {"name": "c", "privateLinkServiceId": account.id, "groupIds": ["blob"]}
    endpoint = azure.make(
        t.PRIVATE_ENDPOINT, privateEndpointName="pe", subnet={"id": subnet.id}, privateLinkServiceConnections=[connection]
    )
    assert len(azure.now(endpoint).state["networkInterfaces"]) == len(azure.all(t.INTERFACE)) == 1
    with pytest.raises(Refusal, match="InUseSubnetCannotBeDeleted"):
        azure.delete(subnet)
    azure.delete(endpoint)
    assert not azure.all(t.INTERFACE)
    azure.delete(subnet)
