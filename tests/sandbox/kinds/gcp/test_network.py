from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scripts.sandbox.kinds.gcp import tokens as t
from scripts.sandbox.refusal import Refusal
from tests.sandbox.gcp_cloud import PROJECT, REGION, Gcp

ROCE = f"projects/{PROJECT}/global/networkProfiles/us-central1-a-vpc-roce"


def refused(make: Callable[[], Any], match: str) -> None:
    with pytest.raises(Refusal, match=match) as caught:
        make()
    assert caught.value.source


def test_ids_are_googles_resource_names_and_links_lead_to_them(gcp: Gcp):
    network = gcp.network(name="lab")
    assert network.id == f"projects/{PROJECT}/global/networks/lab"
    subnetwork = gcp.subnetwork(network, name="nodes")
    assert subnetwork.state["selfLink"].endswith(f"projects/{PROJECT}/regions/{REGION}/subnetworks/nodes")
    assert subnetwork.state["gatewayAddress"] == "10.0.0.1"


@pytest.mark.parametrize("reference", ["lab", f"projects/{PROJECT}/global/networks/lab", "global/networks/lab"])
def test_a_reference_comes_as_name_id_or_link(gcp: Gcp, reference: str):
    gcp.network(name="lab")
    assert gcp.make(t.ROUTER, network=reference, region=REGION).state["network"].endswith("/global/networks/lab")


def test_a_network_that_is_not_there_is_refused_and_one_of_another_project_passes(gcp: Gcp):
    refused(lambda: gcp.make(t.ROUTER, network="gone", region=REGION), "Error 404.*networks/gone")
    gcp.make(t.ROUTER, network="projects/host/global/networks/shared", region=REGION)


@pytest.mark.parametrize(
    ("field", "value", "match"), [("name", "Upper", "Must be a match of regex"), ("mtu", 9000, "between 1300 and 8896")]
)
def test_what_the_api_does_not_take_is_refused_by_field(gcp: Gcp, field: str, value: object, match: str):
    refused(lambda: gcp.network(**{field: value}), match)


def test_names_are_taken_once(gcp: Gcp):
    gcp.network(name="lab")
    refused(lambda: gcp.network(name="lab"), "Error 409.*already exists")


def test_blocks_of_one_network_do_not_overlap_but_those_of_two_may(gcp: Gcp):
    one, two = gcp.network(), gcp.network()
    gcp.subnetwork(one, "10.0.0.0/20")
    refused(lambda: gcp.subnetwork(one, "10.0.8.0/24"), "conflicts with existing subnetwork")
    pods = [{"rangeName": "pods", "ipCidrRange": "10.0.0.0/16"}]
    refused(lambda: gcp.subnetwork(one, "10.9.0.0/24", secondaryIpRanges=pods), "conflicts with existing subnetwork")
    gcp.subnetwork(two, "10.0.8.0/24")


@pytest.mark.failure("D3")
def test_an_rdma_network_is_bound_to_its_zone_and_takes_no_vpc_firewall_rules(gcp: Gcp):
    network = gcp.network(networkProfile=ROCE)
    assert network.state["mtu"] == 8896
    gcp.subnetwork(network, "10.20.0.0/24")
    refused(lambda: gcp.subnetwork(network, "10.21.0.0/24", region="europe-west4"), "bound to zone us-central1-a")
    rule: dict[str, Any] = {"network": network.id, "allows": [{"protocol": "tcp"}]}
    refused(lambda: gcp.make(t.FIREWALL, **rule), "not supported in a RoCE network")
    gcp.make(t.FIREWALL, **{**rule, "network": gcp.network().id})


@pytest.mark.failure("K6")
def test_a_network_goes_after_what_uses_it(gcp: Gcp):
    network = gcp.network()
    subnetwork = gcp.subnetwork(network)
    rule = gcp.make(t.FIREWALL, network=network.id, allows=[{"protocol": "tcp"}])
    for user in (rule, subnetwork):
        refused(lambda: gcp.delete(network), f"already being used by '{user.id}'")
        gcp.delete(user)
    gcp.delete(network)
    assert not gcp.there(network)


def test_cloud_nat_needs_its_router_covers_subnetworks_once_and_goes_with_it(gcp: Gcp):
    router = gcp.make(t.ROUTER, name="r", network=gcp.network().id, region=REGION)
    given = {
        "router": "r",
        "region": REGION,
        "sourceSubnetworkIpRangesToNat": "ALL_SUBNETWORKS_ALL_IP_RANGES",
        "natIpAllocateOption": "AUTO_ONLY",
    }
    refused(lambda: gcp.make(t.ROUTER_NAT, **{**given, "router": "gone"}), "routers/gone")
    nat = gcp.make(t.ROUTER_NAT, name="nat", **given)
    assert nat.id == f"{PROJECT}/{REGION}/r/nat"
    refused(lambda: gcp.make(t.ROUTER_NAT, **given), "covers all subnetworks already")
    refused(lambda: gcp.make(t.ROUTER_NAT, **{**given, "natIpAllocateOption": "MANUAL_ONLY"}), "natIps is required")
    gcp.delete(router)
    assert not gcp.there(nat)


def test_a_peered_range_stays_while_a_service_runs_in_it(gcp: Gcp):
    network = gcp.network(name="lab")
    given = gcp.make(t.GLOBAL_ADDRESS, name="lustre", purpose="VPC_PEERING", addressType="INTERNAL", prefixLength=20, network=network.id)
    lustre = {
        "instanceId": "scratch",
        "location": "us-central1-a",
        "network": network.id,
        "filesystem": "fs",
        "capacityGib": "18000",
        "perUnitStorageThroughput": "500",
    }
    refused(lambda: gcp.make(t.LUSTRE, **lustre), "no private services access")
    peering = gcp.make(t.PEERING, network=network.id, service="servicenetworking.googleapis.com", reservedPeeringRanges=["lustre"])
    refused(lambda: gcp.make(t.LUSTRE, **{**lustre, "capacityGib": "18001"}), "no multiple of 18000")
    refused(lambda: gcp.make(t.LUSTRE, **{**lustre, "perUnitStorageThroughput": "300"}), "is not one of")
    made = gcp.make(t.LUSTRE, **lustre)
    assert made.state["mountPoint"].endswith("@tcp:/fs")
    refused(lambda: gcp.delete(given), "already being used by")
    refused(lambda: gcp.delete(peering), "still used by")
    for each in (made, peering, given):
        gcp.delete(each)
