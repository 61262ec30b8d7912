from __future__ import annotations

from ipaddress import ip_network

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scripts.sandbox.kinds.aws import tokens as t
from scripts.sandbox.kinds.aws.network import free_addresses, next_address, zone_id
from scripts.sandbox.refusal import Refusal
from tests.sandbox.cloud import Cloud


def refused(code: str) -> pytest.RaisesExc[Refusal]:
    return pytest.raises(Refusal, check=lambda error: error.code == code and bool(error.source))


def test_a_vpc_comes_with_a_main_route_table_and_a_default_group_and_takes_them_with_it(cloud: Cloud):
    vpc = cloud.vpc()
    assert [r.id for r in cloud.all(t.ROUTE_TABLE)] == [vpc.state["mainRouteTableId"]]
    assert [r.id for r in cloud.all(t.SECURITY_GROUP)] == [vpc.state["defaultSecurityGroupId"]]
    cloud.delete(vpc)
    assert not cloud.all(t.ROUTE_TABLE) + cloud.all(t.SECURITY_GROUP) + cloud.all(t.VPC)


@pytest.mark.parametrize("block", ["10.0.0.0/8", "10.0.0.0/29"])
def test_a_vpc_block_outside_of_16_to_28_is_refused(cloud: Cloud, block: str):
    with refused("InvalidVpc.Range"):
        cloud.vpc(cidrBlock=block)


def test_a_block_that_is_none_is_refused(cloud: Cloud):
    with refused("InvalidParameterValue"):
        cloud.vpc(cidrBlock="ten")


def test_subnets_inside_the_vpc_that_do_not_overlap_are_made(cloud: Cloud):
    vpc = cloud.vpc()
    assert [cloud.subnet(vpc, zone).state["availabilityZone"] for zone in "abc"] == ["us-east-1a", "us-east-1b", "us-east-1c"]


def test_a_subnet_outside_of_its_vpc_is_refused(cloud: Cloud):
    with refused("InvalidSubnet.Range"):
        cloud.subnet(cloud.vpc(), cidr="10.1.0.0/20")


def test_overlapping_subnets_are_refused_in_one_vpc_and_fine_in_two(cloud: Cloud):
    vpc = cloud.vpc()
    cloud.subnet(vpc, "a", cidr="10.0.0.0/20")
    with refused("InvalidSubnet.Conflict"):
        cloud.subnet(vpc, "b", cidr="10.0.8.0/21")
    assert cloud.subnet(cloud.vpc(), "b", cidr="10.0.8.0/21")


@pytest.mark.parametrize("zone", ["us-west-2a", "us-east-1", "us-east-1-a"])
def test_a_zone_of_another_region_is_refused(cloud: Cloud, zone: str):
    with refused("InvalidParameterValue"):
        cloud.subnet(cloud.vpc(), availabilityZone=zone)


def test_a_subnet_of_a_vpc_in_another_region_is_refused(cloud: Cloud):
    vpc = cloud.vpc(region="us-west-2")
    with refused("InvalidVpcID.NotFound"):
        cloud.subnet(vpc)


def test_a_vpc_with_a_subnet_cannot_be_deleted_and_an_emptied_one_can(cloud: Cloud):
    vpc = cloud.vpc()
    subnet = cloud.subnet(vpc)
    with refused("DependencyViolation"):
        cloud.delete(vpc)
    cloud.delete(subnet)
    cloud.delete(vpc)
    assert not cloud.there(vpc)


@pytest.mark.failure("K5")
def test_a_subnet_with_an_interface_cannot_be_deleted_until_its_owner_is_gone(cloud: Cloud):
    cluster = cloud.cluster()
    subnet = cloud.all(t.SUBNET)[0]
    with refused("DependencyViolation"):
        cloud.delete(subnet)
    cloud.delete(cluster)
    cloud.delete(subnet)
    assert not cloud.there(subnet)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12, deadline=None)
@given(prefix=st.integers(24, 28))
def test_addresses_are_given_once_and_never_the_five_that_aws_keeps(tmp_path_factory: pytest.TempPathFactory, prefix: int):
    cloud = Cloud(tmp_path_factory.mktemp("world"))
    vpc = cloud.vpc()
    subnet = cloud.subnet(vpc, cidr=f"10.0.0.0/{prefix}")
    assert free_addresses(cloud.world, subnet) == 2 ** (32 - prefix) - 5
    address = next_address(cloud.world, subnet)
    block = list(ip_network(subnet.state["cidrBlock"]))
    assert address in {str(a) for a in block[4:-1]}


@pytest.mark.parametrize(
    ("name", "id_"), [("us-east-1a", "use1-az1"), ("ap-northeast-1c", "apne1-az3"), ("eu-west-3b", "euw3-az2"), ("ap-south-1a", "aps1-az1")]
)
def test_zone_ids_are_spelt_as_aws_spells_them(name: str, id_: str):
    assert zone_id(name) == id_
