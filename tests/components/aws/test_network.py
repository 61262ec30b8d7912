from __future__ import annotations

import pytest

from components.aws.network import NetworkArgs
from components.aws.outline import address_plan
from components.naming import Identity
from components.resource import ResourceSet

from .specs import built, only, training

VPC = "aws:ec2/vpc:Vpc"
SUBNET = "aws:ec2/subnet:Subnet"
TABLE = "aws:ec2/routeTable:RouteTable"
NAT = "aws:ec2/natGateway:NatGateway"
ROUTE = "aws:ec2/route:Route"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"


@pytest.fixture(scope="module")
def network() -> ResourceSet:
    return built(training())


def test_nodes_live_in_private_subnets_one_a_zone(network: ResourceSet) -> None:
    nodes = [r for r in network.of_type(SUBNET) if "-nodes-" in r.name]
    assert [r.inputs["availabilityZone"] for r in nodes] == ["us-east-1b", "us-east-1d"]
    tables = [network.by_urn[u].name for r in routed(network, nodes) for u in r.property_dependencies["routeTableId"]]
    assert tables == ["lab-private-us-east-1b", "lab-private-us-east-1d"]


def routed(network: ResourceSet, subnets: list) -> list:  # type: ignore[type-arg]
    urns = {s.urn for s in subnets}
    return [
        r for r in network.of_type("aws:ec2/routeTableAssociation:RouteTableAssociation") if urns & set(r.property_dependencies["subnetId"])
    ]


@pytest.mark.failure("A7")
def test_no_subnet_hands_out_public_addresses(network: ResourceSet) -> None:
    assert {r.inputs["mapPublicIpOnLaunch"] for r in network.of_type(SUBNET)} == {False}


@pytest.mark.failure("J4")
def test_the_free_s3_endpoint_is_on_every_private_route_table(network: ResourceSet) -> None:
    endpoint = only(network, ENDPOINT)
    tables = {network.by_urn[u].name for u in endpoint.property_dependencies["routeTableIds"]}
    assert tables == {r.name for r in network.of_type(TABLE) if "-private-" in r.name}
    assert endpoint.inputs["vpcEndpointType"] == "Gateway"
    assert endpoint.inputs["serviceName"] == "com.amazonaws.us-east-1.s3"


@pytest.mark.failure("J4")
def test_a_further_zone_gets_the_s3_endpoint_too() -> None:
    made = built(training({"network": {"zones": ["us-east-1b", "us-east-1d", "us-east-1f"]}}))
    assert len(only(made, ENDPOINT).inputs["routeTableIds"]) == 3


@pytest.mark.parametrize(("nat", "count"), [("single", 1), ("per_zone", 2)])
def test_nat_gateways_are_as_many_as_asked_for(nat: str, count: int) -> None:
    made = built(training({"network": {"nat": nat}}))
    assert len(made.of_type(NAT)) == len(made.of_type("aws:ec2/eip:Eip")) == count
    targets = [made.by_urn[u].name for r in made.of_type(ROUTE) for u in r.property_dependencies.get("natGatewayId", ())]
    assert len(targets) == 2
    assert len(set(targets)) == count


def test_a_network_without_a_way_out_is_refused() -> None:
    with pytest.raises(ValueError, match="needs private endpoints"):
        NetworkArgs(region="us-east-1", plan=address_plan(training()), nat="none", identity=Identity(cloud="aws", stack="s", cluster="c"))


def test_production_gets_a_gateway_a_zone_and_dev_one() -> None:
    assert len(built(training({"environment": "prod"})).of_type(NAT)) == 2
    assert len(built(training({"environment": "dev"})).of_type(NAT)) == 1


def test_a_gateway_waits_for_its_way_to_the_internet(network: ResourceSet) -> None:
    gateway = only(network, NAT)
    kinds = {network.by_urn[u].type for u in gateway.dependencies}
    assert {ROUTE, "aws:ec2/routeTableAssociation:RouteTableAssociation"} <= kinds


def test_nodes_wait_for_their_routes(network: ResourceSet) -> None:
    group = only(network, "aws:eks/nodeGroup:NodeGroup", "a100")
    names = {network.by_urn[u].name for u in group.property_dependencies["subnetIds"]}
    assert names == {"lab-nodes-us-east-1d", "lab-nodes-us-east-1d-route", "lab-private-us-east-1d-out"}


def test_zones_may_be_given_by_id() -> None:
    made = built(training({"network": {"zones": ["use1-az1", "use1-az4"]}, "pools": {"zone": "use1-az4"}}))
    nodes = [r for r in made.of_type(SUBNET) if "-nodes-" in r.name]
    assert [(r.inputs.get("availabilityZone"), r.inputs["availabilityZoneId"]) for r in nodes] == [(None, "use1-az1"), (None, "use1-az4")]


@pytest.mark.failure("H12")
def test_everything_in_the_network_that_takes_tags_says_whose_it_is(network: ResourceSet) -> None:
    identity = Identity(cloud="aws", stack="aws-test", cluster="lab")
    for kind in (VPC, SUBNET, TABLE, NAT, ENDPOINT, "aws:ec2/eip:Eip", "aws:ec2/internetGateway:InternetGateway"):
        for resource in network.of_type(kind):
            assert resource.inputs["tags"].items() >= identity.fixed(resource.name).items()
