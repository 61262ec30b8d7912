from __future__ import annotations

from typing import Any

import pytest

from components.aws.existing_checks import existing_problems
from components.aws.network import NetworkArgs
from components.aws.outline import address_plan
from components.aws.remarks import remarks
from components.naming import Identity
from components.resource import Resource, ResourceSet
from components.unknown import Unknown

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
    with pytest.raises(ValueError, match="out of reach"):
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


# Interface endpoints and flow logs --------------------------------------------------------------------------------------------------------

LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
FLOW_LOG = "aws:ec2/flowLog:FlowLog"


@pytest.fixture(scope="module")
def private() -> ResourceSet:
    return built(training({"network": {"endpoints": "private"}}))


def interfaces(made: ResourceSet) -> list[Resource]:
    return [r for r in made.of_type(ENDPOINT) if r.inputs["vpcEndpointType"] == "Interface"]


def test_nodes_reach_what_they_need_to_join_inside_the_network(private: ResourceSet) -> None:
    services = {r.inputs["serviceName"].removeprefix("com.amazonaws.us-east-1.") for r in interfaces(private)}
    assert services >= {"ec2", "ecr.api", "ecr.dkr", "sts", "eks", "eks-auth", "autoscaling", "logs"}
    assert {r.inputs["privateDnsEnabled"] for r in interfaces(private)} == {True}


def test_an_endpoint_stands_in_every_zone_and_lets_the_network_in(private: ResourceSet) -> None:
    group = only(private, "aws:ec2/securityGroup:SecurityGroup", "lab-endpoints")
    for endpoint in interfaces(private):
        assert len(endpoint.inputs["subnetIds"]) == 2
        assert endpoint.property_dependencies["securityGroupIds"] == (group.urn,)
    rule = only(private, "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "lab-endpoints-in").inputs
    assert (rule["cidrIpv4"], rule["ipProtocol"], rule["fromPort"], rule["toPort"]) == ("10.64.0.0/16", "tcp", 443, 443)


@pytest.mark.failure("J4")
def test_s3_keeps_its_free_endpoint_beside_them(private: ResourceSet, network: ResourceSet) -> None:
    assert [r.name for r in private.of_type(ENDPOINT) if r.inputs["vpcEndpointType"] == "Gateway"] == ["lab-s3"]
    assert interfaces(network) == []


def test_flow_logs_are_written_when_asked_for_and_kept_for_a_time(network: ResourceSet) -> None:
    assert network.of_type(FLOW_LOG) == ()
    made = built(training({"network": {"flow_logs": True}, "environment": "staging"}))
    log, group = only(made, FLOW_LOG), only(made, LOG_GROUP, "flow-logs")
    assert (log.inputs["trafficType"], group.inputs["retentionInDays"]) == ("ALL", 30)
    assert log.property_dependencies["logDestination"] == (group.urn,)


def test_flow_logs_wait_for_the_right_to_write_them() -> None:
    made = built(training({"network": {"flow_logs": True}}))
    allowed = only(made, "aws:iam/rolePolicy:RolePolicy", "flow-logs")
    assert allowed.urn in only(made, FLOW_LOG).property_dependencies["iamRoleArn"]
    assert allowed.property_dependencies["policy"] == (only(made, LOG_GROUP, "flow-logs").urn,)


# A network that is there already ----------------------------------------------------------------------------------------------------------

EXISTING: dict[str, Any] = {
    "network": "vpc-0123456789abcdef0",
    "node_subnets": {"us-east-1b": "subnet-0123456789abcdef0", "us-east-1d": "subnet-0123456789abcdef1"},
}
PLANES = ["subnet-0123456789abcdefa", "subnet-0123456789abcdefb"]


def test_an_existing_network_is_used_and_nothing_is_made_in_it() -> None:
    made = built(training({"network": {"existing": EXISTING}}))
    assert not any(made.of_type(kind) for kind in (VPC, SUBNET, TABLE, NAT, ROUTE, ENDPOINT))
    assert only(made, "aws:eks/nodeGroup:NodeGroup", "a100").inputs["subnetIds"] == ["subnet-0123456789abcdef1"]
    assert only(made, "aws:eks/cluster:Cluster").inputs["vpcConfig"]["subnetIds"] == list(EXISTING["node_subnets"].values())
    assert only(made, "aws:ec2/securityGroup:SecurityGroup", "efa").inputs["vpcId"] == EXISTING["network"]


def test_nodes_in_an_existing_network_are_in_the_group_that_eks_makes_later() -> None:
    made = built(training({"network": {"existing": EXISTING}}))
    [first, *_] = only(made, "aws:ec2/launchTemplate:LaunchTemplate", "a100").inputs["networkInterfaces"]
    assert all(isinstance(group, Unknown) for group in first["securityGroups"])


def test_the_control_plane_may_have_subnets_of_its_own() -> None:
    made = built(training({"network": {"existing": {**EXISTING, "control_plane_subnets": PLANES}}}))
    assert only(made, "aws:eks/cluster:Cluster").inputs["vpcConfig"]["subnetIds"] == PLANES


@pytest.mark.parametrize(
    ("change", "path", "said"),
    [
        ({"network": "my-vpc"}, "network.existing.network", "give vpc-"),
        ({"node_subnets": {**EXISTING["node_subnets"], "us-east-1b": "private-b"}}, "network.existing.node_subnets.us-east-1b", "give subnet-"),
        ({"node_subnets": dict.fromkeys(EXISTING["node_subnets"], "subnet-0123456789abcdef0"), "control_plane_subnets": PLANES},
         "network.existing.node_subnets", "give each zone its own"),
        ({"node_subnets": {"us-east-1d": "subnet-0123456789abcdef1"}}, "network.existing.node_subnets", "a second zone"),
        ({"control_plane_subnets": PLANES[:1]}, "network.existing.control_plane_subnets", "a second zone"),
    ],
)  # fmt: skip
def test_what_a_plan_can_tell_about_an_existing_network_it_tells(change: dict[str, Any], path: str, said: str) -> None:
    [error] = existing_problems(training({"network": {"existing": {**EXISTING, **change}}}))
    assert error.path == path
    assert said in str(error)


def test_what_only_the_cloud_knows_is_said_in_the_plan() -> None:
    [said] = remarks(training({"network": {"existing": EXISTING}}))
    assert "only the cloud can tell" in said
