from __future__ import annotations

import pytest

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.store import Record
from tests.sandbox.cloud import Cloud
from tests.sandbox.kinds.aws.test_network import refused


def nat(cloud: Cloud, subnet: Record, **changes: object) -> Record:
    address = cloud.make(t.EIP, domain="vpc")
    given = {"subnetId": subnet.id, "allocationId": address.id, **changes}
    return cloud.make(t.NAT_GATEWAY, **{k: v for k, v in given.items() if v is not None})


def test_a_nat_gateway_takes_its_address_and_puts_an_interface_into_the_subnet(cloud: Cloud):
    subnet = cloud.subnet(cloud.vpc())
    made = nat(cloud, subnet)
    interface = cloud.world.store.get(t.NETWORK_INTERFACE, made.key, made.state["networkInterfaceId"])
    assert interface is not None
    assert interface.state["subnetId"] == subnet.id
    assert made.state["publicIp"] == cloud.all(t.EIP)[0].state["publicIp"]


@pytest.mark.parametrize(("changes", "code"), [
    ({"allocationId": None}, "MissingParameter"),
    ({"connectivityType": "private"}, "InvalidParameter"),
    ({"allocationId": "eipalloc-none"}, "InvalidAllocationID.NotFound"),
    ({"subnetId": "subnet-none"}, "InvalidSubnetID.NotFound"),
])  # fmt: skip
def test_a_nat_gateway_without_what_it_needs_is_refused(cloud: Cloud, changes: dict[str, object], code: str):
    subnet = cloud.subnet(cloud.vpc())
    with refused(code):
        nat(cloud, subnet, **changes)


def test_a_private_nat_gateway_needs_no_address(cloud: Cloud):
    assert nat(cloud, cloud.subnet(cloud.vpc()), connectivityType="private", allocationId=None).state["publicIp"] == ""


def test_an_address_serves_one_gateway(cloud: Cloud):
    subnet = cloud.subnet(cloud.vpc())
    first = nat(cloud, subnet)
    with refused("Resource.AlreadyAssociated"):
        nat(cloud, subnet, allocationId=first.state["allocationId"])


def test_address_and_internet_gateway_wait_for_the_nat_gateway(cloud: Cloud):
    vpc = cloud.vpc()
    gateway = cloud.make(t.INTERNET_GATEWAY, vpcId=vpc.id)
    made = nat(cloud, cloud.subnet(vpc))
    address = cloud.all(t.EIP)[0]
    with refused("InvalidIPAddress.InUse"):
        cloud.delete(address)
    with refused("DependencyViolation"):
        cloud.delete(gateway)
    for record in (made, address, gateway):
        cloud.delete(record)
    assert not cloud.all(t.NETWORK_INTERFACE)


def test_a_network_has_one_internet_gateway(cloud: Cloud):
    vpc = cloud.vpc()
    cloud.make(t.INTERNET_GATEWAY, vpcId=vpc.id)
    with refused("Resource.AlreadyAssociated"):
        cloud.make(t.INTERNET_GATEWAY, vpcId=vpc.id)


def test_an_interface_endpoint_holds_its_security_group_and_a_gateway_endpoint_does_not(cloud: Cloud):
    vpc = cloud.vpc()
    subnet = cloud.subnet(vpc)
    group = cloud.make(t.SECURITY_GROUP, vpcId=vpc.id)
    table = cloud.make(t.ROUTE_TABLE, vpcId=vpc.id)
    cloud.make(t.VPC_ENDPOINT, vpcId=vpc.id, serviceName="com.amazonaws.us-east-1.s3", routeTableIds=[table.id])
    endpoint = cloud.make(
        t.VPC_ENDPOINT, vpcId=vpc.id, serviceName="com.amazonaws.us-east-1.ec2", vpcEndpointType="Interface", subnetIds=[subnet.id],
        securityGroupIds=[group.id],
    )  # fmt: skip
    assert len(endpoint.state["networkInterfaceIds"]) == 1
    with refused("DependencyViolation"):
        cloud.delete(group)
    cloud.delete(endpoint)
    cloud.delete(group)
    assert not cloud.there(group)


def test_routes_need_an_existing_target_and_are_unique(cloud: Cloud):
    vpc = cloud.vpc()
    table = cloud.make(t.ROUTE_TABLE, vpcId=vpc.id)
    gateway = cloud.make(t.INTERNET_GATEWAY, vpcId=vpc.id)
    route = {"routeTableId": table.id, "destinationCidrBlock": "0.0.0.0/0"}
    with refused("InvalidInternetGatewayID.NotFound"):
        cloud.make(t.ROUTE, **route, gatewayId="igw-none")
    cloud.make(t.ROUTE, **route, gatewayId=gateway.id)
    with refused("RouteAlreadyExists"):
        cloud.make(t.ROUTE, **route, gatewayId=gateway.id)


def test_an_associated_route_table_cannot_be_deleted_and_a_free_one_takes_its_routes_with_it(cloud: Cloud):
    vpc = cloud.vpc()
    subnet, table = cloud.subnet(vpc), cloud.make(t.ROUTE_TABLE, vpcId=vpc.id)
    gateway = cloud.make(t.INTERNET_GATEWAY, vpcId=vpc.id)
    cloud.make(t.ROUTE, routeTableId=table.id, destinationCidrBlock="0.0.0.0/0", gatewayId=gateway.id)
    association = cloud.make(t.ROUTE_TABLE_ASSOCIATION, routeTableId=table.id, subnetId=subnet.id)
    with refused("DependencyViolation"):
        cloud.delete(table)
    cloud.delete(association)
    cloud.delete(table)
    assert not cloud.all(t.ROUTE)
