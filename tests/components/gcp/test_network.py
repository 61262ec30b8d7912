from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

import pulumi
import pytest

from components.gcp.stack import build
from components.resource import ResourceSet
from components.spec.network_checks import PRIVATE_RANGES

from .specs import CLUSTER, FIREWALL, INFERENCE, NETWORK, REGION, STACK, SUBNET, TRAINING, built, only, recorded, spec, training

NAT = "gcp:compute/routerNat:RouterNat"
EXISTING = {
    "network": "shared",
    "node_subnets": {"us-central1-a": "nodes"},
    "pod_range": "p",
    "service_range": "s",
    "host_project": "net-host",
}


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training())


def inference_network(patch: dict[str, Any]) -> ResourceSet:
    return built(spec(INFERENCE, patch))


def test_nodes_pods_and_services_have_ranges_of_one_subnet(made: ResourceSet) -> None:
    subnet = only(made, SUBNET, "lab-nodes").inputs
    assert subnet["ipCidrRange"] == "10.64.0.0/20"
    assert {r["rangeName"]: r["ipCidrRange"] for r in subnet["secondaryIpRanges"]} == {
        "pods": "10.64.128.0/17",
        "services": "10.64.16.0/20",
    }
    assert only(made, CLUSTER).inputs["ipAllocationPolicy"] == {
        "clusterSecondaryRangeName": "pods",
        "servicesSecondaryRangeName": "services",
    }


@pytest.mark.failure("J4")
def test_googles_apis_are_reached_without_nat(made: ResourceSet) -> None:
    assert only(made, SUBNET, "lab-nodes").inputs["privateIpGoogleAccess"] is True


def test_the_way_out_is_one_gateway_for_the_region(made: ResourceSet) -> None:
    assert only(made, NAT).inputs["sourceSubnetworkIpRangesToNat"] == "ALL_SUBNETWORKS_ALL_IP_RANGES"


def test_a_network_without_a_way_out_has_no_gateway() -> None:
    assert inference_network({"network": {"nat": "none"}}).of_type(NAT) == ()


def test_flow_logs_are_written_where_the_file_asks(made: ResourceSet) -> None:
    assert "logConfig" not in only(made, SUBNET, "lab-nodes").inputs
    assert "logConfig" in only(inference_network({"network": {"flow_logs": True}}), SUBNET, "lab-nodes").inputs


@pytest.mark.parametrize("machine", ["a3-megagpu-8g", "a3-highgpu-8g", "a3-ultragpu-8g"])
def test_every_rule_lets_in_private_ranges_alone(machine: str) -> None:
    rules = built(training({"pools": {"machine": machine}})).of_type(FIREWALL)
    sources = [IPv4Network(cidr) for rule in rules for cidr in rule.inputs["sourceRanges"]]
    assert sources
    assert all(any(source.subnet_of(private) for private in PRIVATE_RANGES) for source in sources)


@pytest.mark.failure("K6")
def test_networks_wait_for_what_gke_removes_late() -> None:
    patience: dict[str, object] = {}

    def note(args: pulumi.ResourceTransformationArgs) -> None:
        timeouts = args.opts.custom_timeouts
        patience[args.type_] = timeouts.delete if isinstance(timeouts, pulumi.CustomTimeouts) else None

    def program() -> None:
        pulumi.runtime.register_stack_transformation(note)
        build(training(), region=REGION, stack=STACK)

    recorded(program)
    assert patience[NETWORK] == patience[SUBNET] == "60m"


def test_an_existing_network_is_used_by_its_path_and_nothing_is_made_in_it() -> None:
    resources = inference_network({"network": {"existing": EXISTING}})
    inputs = only(resources, CLUSTER).inputs
    assert inputs["network"] == "projects/net-host/global/networks/shared"
    assert inputs["subnetwork"] == "projects/net-host/regions/us-central1/subnetworks/nodes"
    assert inputs["ipAllocationPolicy"] == {"clusterSecondaryRangeName": "p", "servicesSecondaryRangeName": "s"}
    assert resources.of_type(NETWORK) == resources.of_type(SUBNET) == resources.of_type(NAT) == ()


@pytest.mark.failure("D2")
def test_a_fabrics_networks_carry_its_mtu_and_cover_no_address_twice(made: ResourceSet) -> None:
    fabric = [n for n in made.of_type(NETWORK) if "gpu-nic" in n.name]
    assert [n.inputs["mtu"] for n in fabric] == [8244] * 8
    cidrs = [IPv4Network(s.inputs["ipCidrRange"]) for s in made.of_type(SUBNET)]
    assert sum(a.overlaps(b) for a in cidrs for b in cidrs) == len(cidrs)


@pytest.mark.failure("D3")
def test_rdma_subnets_lie_in_one_network_of_the_zones_profile() -> None:
    resources = built(training({"pools": {"machine": "a4-highgpu-8g", "zone": "us-central1-b"}}))
    network = only(resources, NETWORK, "lab-rdma").inputs
    assert network["networkProfile"] == "projects/ml-platform-dev/global/networkProfiles/us-central1-b-vpc-roce"
    assert network["mtu"] == 8896
    assert len([s for s in resources.of_type(SUBNET) if "rdma" in s.name]) == 8
    assert {f.name for f in resources.of_type(FIREWALL)} == {"lab-inside", "lab-gvnic-1"}


def test_beside_an_existing_network_the_fabric_has_the_range_given_for_it() -> None:
    existing = {**EXISTING, "fabric_cidr": "10.200.0.0/18"}
    del existing["host_project"]
    resources = built(spec(TRAINING, {"network": {"existing": existing}}))
    assert only(resources, SUBNET, "gpu-nic-1").inputs["ipCidrRange"] == "10.200.4.0/22"
