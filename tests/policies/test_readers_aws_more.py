"""Fleets, spot requests, attached interfaces, template versions, add-ons, routes, and how node groups are set up."""

from __future__ import annotations

from typing import Any

import pytest

from components.inventory import AddOn, Inventory, Market, NodePool, RouteTable
from components.resource import Options
from components.unknown import Unknown, known
from policies.readers import inventory, types
from tests.policies.raw import Raw, training

REGION = {"aws:region": "us-east-1"}


def read(program: Raw) -> Inventory:
    return inventory(program.built())


def fleet(target: dict[str, Any], *overrides: dict[str, Any], machine: str | None = "g5.xlarge") -> dict[Market, NodePool]:
    program = Raw(config=REGION).add(types.LAUNCH_TEMPLATE, "t", instanceType=machine)
    config = {"launchTemplateSpecification": {"launchTemplateId": "@t", "version": "$Latest"}, "overrides": list(overrides)}
    program.add(types.FLEET, "f", launchTemplateConfigs=[config], targetCapacitySpecification=target)
    return {pool.market: pool for pool in read(program).pools if isinstance(pool.market, Market)}


def test_a_fleet_keeps_its_target_in_its_default_market() -> None:
    (pool,) = fleet({"totalTargetCapacity": 5, "defaultTargetCapacityType": "spot"}).values()
    assert (pool.market, pool.machines, pool.nodes.minimum, pool.nodes.maximum) == (Market.SPOT, ("g5.xlarge",), 5, 5)


def test_a_fleet_of_two_markets_is_two_pools() -> None:
    found = fleet(
        {"totalTargetCapacity": 5, "defaultTargetCapacityType": "on-demand", "spotTargetCapacity": 2}, {"instanceType": "p5.48xlarge"}
    )
    assert {market: (pool.machines, pool.nodes.maximum) for market, pool in found.items()} == {
        Market.ON_DEMAND: (("p5.48xlarge",), 5),
        Market.SPOT: (("p5.48xlarge",), 2),
    }


def test_a_fleet_that_chooses_by_attributes_may_start_anything() -> None:
    (pool,) = fleet(
        {"totalTargetCapacity": 1, "defaultTargetCapacityType": "spot"}, {"instanceRequirements": {"vcpuCount": {"min": 8}}}
    ).values()
    assert known(pool.machines)
    assert [isinstance(machine, Unknown) for machine in pool.machines] == [True]


@pytest.mark.parametrize(
    "inputs", [{}, {"targetCapacitySpecification": {"totalTargetCapacity": 2}}, {"launchTemplateConfigs": Unknown("x")}]
)
def test_a_fleet_that_cannot_be_read_has_unknown_nodes(inputs: dict[str, Any]) -> None:
    pools = read(Raw(config=REGION).add(types.FLEET, "f", **inputs)).pools
    assert pools
    assert all(isinstance(pool.nodes.maximum, Unknown) for pool in pools)


def test_a_spot_fleet_counts_its_specifications_and_its_on_demand_base() -> None:
    told = {
        "launchSpecifications": [{"instanceType": "g5.xlarge"}, {"instanceType": "g6.xlarge"}],
        "targetCapacity": 8,
        "onDemandTargetCapacity": 2,
    }
    pools = {pool.market: pool for pool in read(Raw(config=REGION).add(types.SPOT_FLEET, "f", **told)).pools}
    assert (pools[Market.SPOT].machines, pools[Market.SPOT].nodes.maximum) == (("g5.xlarge", "g6.xlarge"), 8)
    assert pools[Market.ON_DEMAND].nodes.maximum == 2


def test_a_spot_request_is_one_spot_instance() -> None:
    (pool,) = read(Raw(config=REGION).add(types.SPOT_REQUEST, "r", instanceType="g5.xlarge")).pools
    assert (pool.market, pool.nodes.maximum) == (Market.SPOT, 1)


@pytest.mark.parametrize("form", ["resource", "inline"])
def test_an_interface_that_is_attached_later_belongs_to_its_instance(form: str) -> None:
    program = (
        Raw(config=REGION)
        .add(types.NETWORK_INTERFACE, "first", interfaceType="interface")
        .add(types.NETWORK_INTERFACE, "efa", interfaceType="efa")
    )
    program.add(types.INSTANCE, "node", instanceType="p4d.24xlarge", primaryNetworkInterface={"networkInterfaceId": "@first"})
    place = {"deviceIndex": 1, "networkCardIndex": 1}
    if form == "resource":
        program.add(types.INTERFACE_ATTACHMENT, "a", instanceId="@node", networkInterfaceId="@efa", **place)
    else:
        program.written["efa"].inputs["attachments"] = [{"instance": "@node", **place}]
    (found,) = read(program).interfaces
    assert known(found.items)
    assert [(item.card, item.device, item.kind) for item in found.items] == [(0, 0, "interface"), (1, 1, "efa")]


def test_a_group_on_another_version_of_its_template_hides_what_is_in_that() -> None:
    program = training().set("gpu", "1", "launchTemplate", "version")
    assert next(pool for pool in read(program).pools if pool.name == "gpu").machines == ("p4d.24xlarge",)
    resources = program.built()
    template = resources.by_urn[program.urn("p4d")]
    object.__setattr__(template, "outputs", {**template.outputs, "latestVersion": 2})
    machines = next(pool for pool in inventory(resources).pools if pool.name == "gpu").machines
    assert known(machines)
    assert isinstance(machines[0], Unknown)


def add_on(**inputs: Any) -> AddOn:
    (found,) = read(training().plus(types.ADD_ON, "ebs", addonName="aws-ebs-csi-driver", clusterName="@eks", **inputs)).add_ons
    return found


@pytest.mark.parametrize("said", ['{"controller": {"extraVolumeTags": {"a": "b"}}}', "controller: {extraVolumeTags: {a: b}}"])
def test_settings_of_an_add_on_are_json_or_yaml(said: str) -> None:
    assert add_on(configurationValues=said).configuration == {"controller": {"extraVolumeTags": {"a": "b"}}}


@pytest.mark.parametrize("said", ["[", "3", "{", Unknown("configurationValues")])
def test_settings_that_cannot_be_read_are_unknown(said: Any) -> None:
    assert isinstance(add_on(configurationValues=said).configuration, Unknown)


def table(**changes: Any) -> RouteTable:
    program = Raw(config=REGION).add(types.NAT_GATEWAY, "nat").add(types.INTERNET_GATEWAY, "igw")
    program.add(types.ROUTE_TABLE, "private", **{"routes": [{"cidrBlock": "0.0.0.0/0", "natGatewayId": "@nat"}], **changes})
    service = {"serviceName": "com.amazonaws.us-east-1.s3", "vpcEndpointType": "Gateway"}
    program.add(types.VPC_ENDPOINT, "s3", **service)
    program.add(types.ENDPOINT_ASSOCIATION, "a", vpcEndpointId="@s3", routeTableId="@private")
    (found,) = read(program).route_tables
    return found


def test_a_table_with_an_inline_route_and_an_endpoint_that_is_associated_apart() -> None:
    found = table()
    assert (found.nat, found.internet, found.object_storage) == (True, False, True)


@pytest.mark.parametrize(
    ("gateway", "internet"), [("@igw", True), ("igw-0123", True), ("vgw-0123", False), ("local", False), ("x-0123", None)]
)
def test_a_gateway_is_told_by_its_id_or_by_what_it_refers_to(gateway: str, internet: bool | None) -> None:
    found = table(routes=[{"cidrBlock": "0.0.0.0/0", "gatewayId": gateway}])
    assert found.nat is False
    assert isinstance(found.internet, Unknown) if internet is None else found.internet is internet


@pytest.mark.parametrize("routes", [Unknown("routes"), [Unknown("routes[0]")]])
def test_routes_that_are_unknown_lead_nobody_knows_where(routes: Any) -> None:
    assert isinstance(table(routes=routes).nat, Unknown)


@pytest.mark.parametrize("ignored", ["scalingConfig", "scalingConfig.desiredSize", "*"])
def test_a_size_is_left_to_others_by_its_own_path_or_one_above(ignored: str) -> None:
    pool = next(p for p in read(training().with_options("gpu", ignore_changes=(ignored,))).pools if p.name == "gpu")
    assert pool.managed is not None
    assert pool.managed.desired_ignored


def test_a_name_that_pulumi_made_is_no_fixed_name() -> None:
    for name, fixed in (("gpu-0a1b2c3", None), ("gpu-nodes", "gpu-nodes")):
        pool = next(p for p in read(training().set("gpu", name, "nodeGroupName")).pools if p.name == "gpu")
        assert pool.managed is not None
        assert pool.managed.physical_name == fixed


def test_tags_of_a_scaling_group_find_their_node_group_by_reference_and_by_its_outputs() -> None:
    by_reference = training().plus(types.SCALING_TAG, "t", autoscalingGroupName="@gpu", tag={"key": "k", "value": "v"})
    by_name = training().plus(types.SCALING_TAG, "t", autoscalingGroupName="eks-gpu", tag={"key": "k", "value": "v"}).built()
    group = next(r for r in by_name if r.name == "gpu")
    object.__setattr__(group, "outputs", {"resources": [{"autoscalingGroups": [{"name": "eks-gpu"}]}]})
    for found in (read(by_reference), inventory(by_name)):
        tags = {pool.name: pool.managed.scaling_tags for pool in found.pools if pool.managed is not None}
        assert tags == {"gpu": {"k"}, "system": frozenset()}


def test_options_that_a_source_does_not_tell_are_unknown() -> None:
    told = training().with_options("operator", deleted_with="urn:cluster")
    assert read(told).charts[0].deleted_with == "urn:cluster"
    assert isinstance(read(told.with_options("operator", partial=True)).charts[0].deleted_with, Unknown)
    assert Options().partial is False


@pytest.mark.parametrize(
    ("zones", "read_as"),
    [
        (["us-east-1d"], ("us-east-1d",)),
        ([Unknown("zone")], (Unknown("availabilityZones[0]"),)),
        (Unknown("z"), Unknown("availabilityZones")),
    ],
)
def test_a_scaling_group_of_the_default_network_stands_in_the_zones_that_it_names(zones: Any, read_as: Any) -> None:
    program = Raw(config=REGION).add(types.LAUNCH_TEMPLATE, "t", instanceType="p3.2xlarge")
    program.add(types.SCALING_GROUP, "g", availabilityZones=zones, minSize=0, maxSize=2, launchTemplate={"id": "@t", "version": "$Latest"})
    (pool,) = read(program).pools
    assert pool.zones == read_as
