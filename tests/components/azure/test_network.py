"""The network of a cluster on Azure: addresses, ways out, endpoints, and a network that is there already."""

from __future__ import annotations

from typing import Any

import pytest

from components.azure.network import NetworkArgs
from components.azure.outline import address_plan
from components.naming import Identity
from components.resource import ResourceSet

from .specs import ACCOUNT, STACK, built, inference, one, training

VNET = "azure-native:network:VirtualNetwork"
SUBNET = "azure-native:network:Subnet"
NAT = "azure-native:network:NatGateway"
ADDRESS = "azure-native:network:PublicIPAddress"
HOME = f"/subscriptions/{ACCOUNT}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/shared"
EXISTING: dict[str, Any] = {"network": HOME, "node_subnets": {"1": f"{HOME}/subnets/a", "2": f"{HOME}/subnets/b"}}


@pytest.fixture(scope="module")
def network() -> ResourceSet:
    return built(training())


def test_each_zone_has_a_subnet_of_its_own_block(network: ResourceSet) -> None:
    assert one(network, "network:VirtualNetwork").inputs["addressSpace"] == {"addressPrefixes": ["10.64.0.0/16"]}
    blocks = {r.name: r.inputs["addressPrefix"] for r in network.of_type(SUBNET)}
    assert blocks == {"lab-nodes-1": "10.64.32.0/19", "lab-nodes-2": "10.64.64.0/19"}


def test_without_zones_one_subnet_holds_all_nodes() -> None:
    made = built(training({"network": {"zones": []}}))
    assert [r.name for r in made.of_type(SUBNET)] == ["lab-nodes"]
    assert "availabilityZones" not in one(made, "containerservice:ManagedCluster").inputs["agentPoolProfiles"][0]


@pytest.mark.parametrize(("nat", "zones"), [("single", [None]), ("per_zone", [["1"], ["2"]])])
def test_nat_gateways_are_as_many_as_asked_for(nat: str, zones: list[Any]) -> None:
    made = built(training({"network": {"nat": nat}}))
    assert [r.inputs.get("zones") for r in made.of_type(NAT)] == zones
    assert [r.inputs.get("zones") for r in made.of_type(ADDRESS)] == zones
    used = {made.by_urn[u].name for r in made.of_type(SUBNET) for u in r.property_dependencies["natGateway"]}
    assert len(used) == len(zones)


def test_nodes_have_no_way_out_but_their_gateway(network: ResourceSet) -> None:
    assert {r.inputs["defaultOutboundAccess"] for r in network.of_type(SUBNET)} == {False}
    cluster = one(network, "containerservice:ManagedCluster").inputs
    assert cluster["networkProfile"]["outboundType"] == "userAssignedNATGateway"
    pools = [*cluster["agentPoolProfiles"], *(r.inputs for r in network.of_type("azure-native:containerservice:AgentPool"))]
    assert {pool["enableNodePublicIP"] for pool in pools} == {False}


@pytest.mark.failure("J4")
def test_storage_and_registries_are_reached_without_the_nat_gateway(network: ResourceSet) -> None:
    for subnet in network.of_type(SUBNET):
        assert [e["service"] for e in subnet.inputs["serviceEndpoints"]] == ["Microsoft.Storage", "Microsoft.ContainerRegistry"]


def test_subnets_are_made_one_after_the_other(network: ResourceSet) -> None:
    second = one(network, "network:Subnet", "nodes-2")
    assert one(network, "network:Subnet", "nodes-1").urn in second.property_dependencies["virtualNetworkName"]


def test_a_network_without_a_way_out_is_refused() -> None:
    identity = Identity(cloud="azure", stack="s", cluster="c")
    with pytest.raises(ValueError, match="out of reach"):
        NetworkArgs(region="eastus", resource_group="g", plan=address_plan(training()), nat="none", identity=identity)


def test_pods_and_services_have_ranges_beside_any_network_of_the_nodes() -> None:
    from ipaddress import IPv4Network

    for cidr in ("10.64.0.0/16", "10.240.0.0/16", "172.28.0.0/16", "172.16.0.0/16"):
        profile = one(built(training({"network": {"cidr": cidr}})), "containerservice:ManagedCluster").inputs["networkProfile"]
        ranges = [IPv4Network(profile["podCidr"]), IPv4Network(profile["serviceCidr"]), IPv4Network(cidr)]
        assert not any(a.overlaps(b) for a in ranges for b in ranges if a != b)
        assert profile["dnsServiceIP"] in {str(address) for address in list(ranges[1].hosts())[:20]}


def test_everything_in_the_network_that_takes_tags_says_whose_it_is(network: ResourceSet) -> None:
    identity = Identity(cloud="azure", stack=STACK, cluster="lab")
    for kind in (VNET, NAT, ADDRESS):
        for resource in network.of_type(kind):
            assert resource.inputs["tags"].items() >= identity.fixed(resource.name).items()


# A network that is there already ----------------------------------------------------------------------------------------------------------


def test_an_existing_network_is_used_and_nothing_is_made_in_it() -> None:
    made = built(inference({"network": {"existing": EXISTING}, "pools": {"zone": "2"}}))
    assert [r.type for r in made if r.type.startswith("azure-native:network")] == []
    assert one(made, "containerservice:AgentPool").inputs["vnetSubnetID"] == f"{HOME}/subnets/b"
    cluster = one(made, "containerservice:ManagedCluster").inputs
    assert cluster["agentPoolProfiles"][0]["vnetSubnetID"] == f"{HOME}/subnets/a"
    assert one(made, "authorization:RoleAssignment").inputs["scope"] == HOME
    assert cluster["apiServerAccessProfile"]["authorizedIPRanges"] == ["203.0.113.0/24"]
