"""GPU-GKE-01 to 09 and 16: the networks behind GPU interfaces."""

from __future__ import annotations

from typing import Any

import pytest

from components.unknown import Unknown
from policies import Level, Status
from policies.readers import gcp_types as gcp
from tests.policies.gcp_raw import ZONE, a3_mega, cluster, gpu_networks, inference, judged, rdma
from tests.policies.raw import Raw

EXTRA = ("networkConfig", "additionalNodeNetworkConfigs")
RULES = [f"GPU-GKE-{n:02}" for n in (*range(1, 10), 16, 17)]


def mega(count: int, **pool: object) -> Raw:
    """The same pool in a program that makes `count` networks, named by literal self links instead of references."""
    program = a3_mega()
    listed = [
        {
            "network": f"projects/research/global/networks/gpu-{i}",
            "subnetwork": f"projects/research/regions/us-central1/subnetworks/gpu-{i}-sub",
        }
        for i in range(count)
    ]
    for i in range(8):
        program.written[f"gpu-{i}"].inputs["name"] = f"gpu-{i}"
        program.written[f"gpu-{i}-sub"].inputs["name"] = f"gpu-{i}-sub"
    program.written["h100"].inputs |= pool
    return program.set("h100", listed, *EXTRA)


@pytest.mark.parametrize("program", [a3_mega(), mega(8), inference(), cluster()], ids=["references", "self links", "no fabric", "no GPUs"])
@pytest.mark.parametrize("rule", RULES)
def test_good_programs_are_silent(program: Raw, rule: str) -> None:
    assert judged(program, rule) == []


@pytest.mark.failure("D1")
def test_a_ninth_network_on_a3_mega_is_refused() -> None:
    program = a3_mega()
    program.add(gcp.NETWORK, "gvnic", mtu=8244).add(gcp.SUBNETWORK, "gvnic-sub", network="@gvnic", ipCidrRange="10.90.0.0/20")
    program.written["h100"].inputs["networkConfig"]["additionalNodeNetworkConfigs"].append(
        {"network": "@gvnic", "subnetwork": "@gvnic-sub"}
    )
    (finding,) = judged(program, "GPU-GKE-01")
    assert (finding.status, finding.level, finding.urn) == (Status.VIOLATED, Level.MANDATORY, program.urn("h100"))
    assert finding.message == (
        "h100: 9 additional networks, but a3-megagpu-8g takes exactly 8. A further one takes the slot of a GPU interface, and the fabric's daemon "
        "then misses a GPU. Give 8, and no extra gVNIC beside them."
    )


@pytest.mark.failure("D1")
def test_eight_networks_repair_it() -> None:
    assert judged(mega(8), "GPU-GKE-01") == []


@pytest.mark.failure("D2")
@pytest.mark.parametrize("count", [0, 1, 7])
def test_too_few_networks_are_refused(count: int) -> None:
    (finding,) = judged(mega(count), "GPU-GKE-01")
    assert finding.fails
    assert f"h100: {count} additional networks, but the GPU interfaces of a3-megagpu-8g need 8" in finding.message


@pytest.mark.failure("D2")
def test_all_networks_repair_it() -> None:
    assert judged(mega(8), "GPU-GKE-01") == []


def test_a_single_node_needs_no_fabric() -> None:
    assert judged(mega(0, autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 1}), "GPU-GKE-01") == []


def test_machines_that_take_no_extra_networks_get_none() -> None:
    program = mega(2).set("h100", "a4x-maxgpu-4g-metal", "nodeConfig", "machineType")
    (finding,) = judged(program, "GPU-GKE-01")
    assert "a4x-maxgpu-4g-metal takes none" in finding.message


def test_managed_dranet_stands_in_for_all_networks() -> None:
    program = rdma().set("h200", {"acceleratorNetworkProfile": "auto"}, "networkConfig")
    assert [judged(program, rule) for rule in RULES] == [[]] * len(RULES)


@pytest.mark.parametrize("path", [EXTRA, ("networkConfig", "acceleratorNetworkProfile")])
def test_networks_that_cannot_be_counted_are_unknown(path: tuple[str, ...]) -> None:
    (finding,) = judged(a3_mega().set("h100", Unknown(".".join(path)), *path), "GPU-GKE-01")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_an_unknown_machine_with_extra_networks_is_unknown() -> None:
    (finding,) = judged(a3_mega().hide("h100", "nodeConfig", "machineType"), "GPU-GKE-01")
    assert finding.status is Status.UNKNOWN


def test_a_machine_in_no_catalogue_with_extra_networks_is_unknown() -> None:
    (finding,) = judged(a3_mega().set("h100", "a9-hypergpu-8g", "nodeConfig", "machineType"), "GPU-GKE-01")
    assert "'a9-hypergpu-8g', which is in no catalogue" in finding.message


@pytest.mark.failure("D2")
@pytest.mark.parametrize("value", [None, False])
def test_a_cluster_that_cannot_take_extra_networks_is_refused(value: object) -> None:
    program = a3_mega().set("gke", value, "enableMultiNetworking")
    (finding,) = judged(program, "GPU-GKE-02")
    assert (finding.urn, finding.fails) == (program.urn("h100"), True)
    assert "extra networks in cluster gke without enableMultiNetworking" in finding.message


@pytest.mark.failure("D2")
@pytest.mark.parametrize(
    ("path", "value", "missing"),
    [("datapathProvider", "LEGACY_DATAPATH", "Dataplane V2"), ("networkingMode", "ROUTES", "VPC-native networking")],
)
@pytest.mark.parametrize("program", [a3_mega(), cluster()])
def test_multi_networking_without_what_it_rests_on_is_refused(program: Raw, path: str, value: str, missing: str) -> None:
    (finding,) = judged(program.set("gke", value, path), "GPU-GKE-02")
    assert (finding.urn, finding.fails) == (program.urn("gke"), True)
    assert f"enableMultiNetworking without {missing}" in finding.message


@pytest.mark.failure("D2")
def test_multi_networking_from_the_beginning_repairs_it() -> None:
    assert judged(a3_mega(), "GPU-GKE-02") == []


def test_switches_of_the_cluster_that_are_not_known_are_unknown() -> None:
    (finding,) = judged(a3_mega().hide("gke", "enableMultiNetworking"), "GPU-GKE-02")
    assert finding.status is Status.UNKNOWN


def test_a_cluster_made_elsewhere_is_unchecked() -> None:
    program = a3_mega().without("gke").set("h100", "projects/research/locations/us-central1/clusters/shared", "cluster")
    (finding,) = judged(program.without("system", "operator"), "GPU-GKE-02")
    assert finding.status is Status.UNCHECKED


def test_networks_of_ones_own_beside_managed_dranet_are_refused() -> None:
    program = a3_mega().set("h100", "auto", "networkConfig", "acceleratorNetworkProfile")
    (finding,) = judged(program, "GPU-GKE-03")
    assert finding.fails


def test_gvnic_switched_off_under_gpudirect_is_refused() -> None:
    (finding,) = judged(a3_mega().set("h100", False, "nodeConfig", "gvnic", "enabled"), "GPU-GKE-04")
    assert finding.path == "nodeConfig.gvnic"


@pytest.mark.failure("D2")
@pytest.mark.parametrize(("mtu", "said"), [(None, "no mtu, which means 1460"), (8896, "mtu 8896")])
def test_a_wrong_mtu_is_refused(mtu: int | None, said: str) -> None:
    program = a3_mega().set("gpu-3", mtu, "mtu")
    (finding,) = judged(program, "GPU-GKE-05")
    assert (finding.urn, finding.path, finding.fails) == (program.urn("gpu-3"), "mtu", True)
    assert f"gpu-3: {said}, and the GPU interfaces of a3-megagpu-8g (pool h100) need 8244" in finding.message


@pytest.mark.failure("D2")
def test_the_fabrics_mtu_repairs_it() -> None:
    assert judged(rdma(), "GPU-GKE-05") == judged(a3_mega(), "GPU-GKE-05") == []


def test_an_unknown_mtu_is_no_pass() -> None:
    (finding,) = judged(a3_mega().hide("gpu-3", "mtu"), "GPU-GKE-05")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_networks_made_elsewhere_are_unchecked() -> None:
    program = mega(8)
    for i in range(8):
        program = program.without(f"gpu-{i}", f"gpu-{i}-sub", f"gpu-{i}-in", f"gpu-{i}-params", f"gpu-{i}-network")
    (finding,) = judged(program, "GPU-GKE-05")
    assert (finding.status, finding.fails) == (Status.UNCHECKED, False)


@pytest.mark.failure("D2")
def test_one_network_behind_several_interfaces_is_refused() -> None:
    program = mega(8)
    listed = program.written["h100"].inputs["networkConfig"]["additionalNodeNetworkConfigs"]
    for entry in listed:
        entry |= {"network": "gpu-0", "subnetwork": "gpu-0-sub"}
    (finding,) = judged(program, "GPU-GKE-06")
    assert "network gpu-0 stands behind 8 interfaces" in finding.message


@pytest.mark.failure("D2")
def test_a_network_for_each_interface_repairs_it() -> None:
    assert judged(mega(8), "GPU-GKE-06") == []


@pytest.mark.failure("D3")
def test_rdma_interfaces_in_an_ordinary_network_are_told() -> None:
    (finding,) = judged(rdma().set("roce", None, "networkProfile"), "GPU-GKE-07")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.ADVISORY)
    assert "needs one VPC with the network profile <zone>-vpc-roce" in finding.message


@pytest.mark.failure("D3")
def test_the_zones_profile_repairs_it() -> None:
    assert judged(rdma(), "GPU-GKE-07") == []


@pytest.mark.parametrize(
    "profile", ["projects/research/global/networkProfiles/us-central1-b-vpc-roce", "projects/p/global/networkProfiles/other"]
)
def test_the_profile_of_another_zone_is_told(profile: str) -> None:
    (finding,) = judged(rdma().set("roce", profile, "networkProfile"), "GPU-GKE-07")
    assert f"h200 needs {ZONE}-vpc-roce" in finding.message


def test_a_subnet_too_few_is_told() -> None:
    program = rdma()
    program.written["h200"].inputs["networkConfig"]["additionalNodeNetworkConfigs"].pop()
    (finding,) = judged(program, "GPU-GKE-07")
    assert "7 interfaces in RDMA network roce, and a3-ultragpu-8g has 8" in finding.message


def test_an_unknown_profile_is_unknown() -> None:
    (finding,) = judged(rdma().hide("roce", "networkProfile"), "GPU-GKE-07")
    assert finding.status is Status.UNKNOWN


def test_a_network_without_a_rule_that_lets_everything_in_is_refused() -> None:
    program = a3_mega().without("gpu-5-in")
    (finding,) = judged(program, "GPU-GKE-08")
    assert (finding.urn, finding.fails) == (program.urn("gpu-5"), True)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("allows",), [{"protocol": "tcp", "ports": ["22"]}, {"protocol": "udp"}]),
        (("allows",), [{"protocol": "tcp"}, {"protocol": "icmp"}]),
        (("allows",), [{"protocol": "all", "ports": ["1-65535"]}]),
        (("direction",), "EGRESS"),
        (("disabled",), True),
        (("network",), "@vpc"),
    ],
)
def test_a_rule_that_lets_in_less_does_not_do(path: tuple[str, ...], value: object) -> None:
    assert [f.urn for f in judged(a3_mega().set("gpu-5-in", value, *path), "GPU-GKE-08")] == [a3_mega().urn("gpu-5")]


@pytest.mark.parametrize("path", ["allows", "direction", "disabled"])
def test_a_rule_that_cannot_be_read_is_unknown(path: str) -> None:
    (finding,) = judged(a3_mega().hide("gpu-5-in", path), "GPU-GKE-08")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


@pytest.mark.parametrize(
    ("cidr", "refused"), [("192.169.0.0/20", True), ("100.64.0.0/16", False), ("172.20.0.0/16", False), ("no range", False)]
)
def test_public_ranges_are_refused(cidr: str, refused: bool) -> None:
    assert [f.path for f in judged(cluster().set("nodes", cidr, "ipCidrRange"), "GPU-GKE-09")] == ["ipCidrRange"] * refused


@pytest.mark.failure("D2")
def test_missing_pod_networks_are_told() -> None:
    (finding,) = judged(a3_mega().without("gpu-2-network"), "GPU-GKE-16")
    assert (finding.level, "makes 7 Network and 8 GKENetworkParamSet objects" in finding.message) == (Level.ADVISORY, True)


@pytest.mark.failure("D3")
def test_a_device_mode_that_does_not_fit_the_network_is_told() -> None:
    program = a3_mega().set("gpu-2-params", "RDMA", "spec", "deviceMode")
    (finding,) = judged(program, "GPU-GKE-16")
    assert (finding.urn, finding.path) == (program.urn("gpu-2-params"), "spec.deviceMode")


@pytest.mark.failure("D3")
def test_the_rdma_mode_on_the_rdma_network_repairs_it() -> None:
    program = rdma()
    for i, network in enumerate(["gvnic", *["roce"] * 8]):
        mode = "NetDevice" if network == "gvnic" else "RDMA"
        program.add(gcp.PARAM_SET, f"params-{i}", metadata={"name": f"n{i}"}, spec={"vpc": f"@{network}", "deviceMode": mode})
        program.add(gcp.POD_NETWORK, f"net-{i}", metadata={"name": f"n{i}"}, spec={"type": "Device", "parametersRef": {"name": f"n{i}"}})
    assert judged(program, "GPU-GKE-16") == []


def test_a3_high_takes_four_networks() -> None:
    program = cluster()
    extra = gpu_networks(program, 4)
    pool = {"autoscaling": {"totalMaxNodeCount": 2}, "networkConfig": {"additionalNodeNetworkConfigs": extra}}
    program.add(gcp.NODE_POOL, "high", cluster="@gke", nodeLocations=[ZONE], nodeConfig={"machineType": "a3-highgpu-8g"}, **pool)
    assert judged(program, "GPU-GKE-01") == []


def test_a_network_that_cannot_be_told_is_advice_beside_those_that_can() -> None:
    program = mega(8).hide("h100", *EXTRA, 2, "network").hide("h100", *EXTRA, 2, "subnetwork")
    (finding,) = judged(program, "GPU-GKE-05")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.ADVISORY)


def test_a_range_that_is_not_known_yet_is_unknown_and_one_that_google_picks_is_private() -> None:
    (finding,) = judged(cluster().hide("nodes", "ipCidrRange"), "GPU-GKE-09")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)
    assert judged(cluster().set("nodes", None, "ipCidrRange"), "GPU-GKE-09") == []


@pytest.mark.parametrize(("path", "rule"), [(("nodeConfig", "gvnic"), "GPU-GKE-04"), ((*EXTRA, 0, "network"), "GPU-GKE-06")])
def test_what_hides_the_networks_of_interfaces_is_unknown(path: tuple[str | int, ...], rule: str) -> None:
    program = mega(8)
    if rule == "GPU-GKE-06":
        program = program.set("h100", "one-of-others", *EXTRA, 1, "network").set("h100", "other-sub", *EXTRA, 1, "subnetwork")
        program = program.hide("h100", *EXTRA, 0, "subnetwork")
    assert [(f.status, f.fails) for f in judged(program.hide("h100", *path), rule)] == [(Status.UNKNOWN, True)]


@pytest.mark.parametrize("path", [("spec", "deviceMode"), ("spec", "vpc")])
def test_a_device_mode_that_is_not_known_is_not_judged(path: tuple[str, ...]) -> None:
    assert judged(a3_mega().hide("gpu-2-params", *path), "GPU-GKE-16") == []


def test_tcp_and_udp_without_ports_are_everything() -> None:
    allows = [{"protocol": protocol} for protocol in ("tcp", "udp", "icmp")]
    assert judged(a3_mega().set("gpu-5-in", allows, "allows"), "GPU-GKE-08") == []


def test_an_interface_in_the_clusters_own_network_is_refused() -> None:
    program = mega(8).set("h100", {"network": "@vpc", "subnetwork": "@nodes"}, *EXTRA, 0)
    assert ["network vpc is the cluster's own" in f.message for f in judged(program, "GPU-GKE-06")] == [True]


def test_a_subnetwork_of_another_network_is_refused() -> None:
    (finding,) = judged(mega(8).set("h100", "gpu-1", *EXTRA, 0, "network").set("h100", "gpu-0", *EXTRA, 1, "network"), "GPU-GKE-06")[:1]
    assert "lies in network gpu-" in finding.message


def test_one_subnetwork_of_the_rdma_network_behind_two_interfaces_is_refused() -> None:
    program = rdma()
    for i in range(8):
        program.written[f"rdma-{i}"].inputs["name"] = f"rdma-{i}"
        program.written["h200"].inputs["networkConfig"]["additionalNodeNetworkConfigs"][i + 1]["subnetwork"] = f"rdma-{min(i, 6)}"
    (finding,) = judged(program, "GPU-GKE-06")
    assert "subnetwork rdma-6 stands behind 2 interfaces" in finding.message


@pytest.mark.failure("A6")
@pytest.mark.parametrize(("name", "cidr"), [("gpu-3-sub", "10.67.0.0/30"), ("nodes", "10.0.0.0/30")])
def test_a_subnetwork_too_small_for_its_nodes_is_refused(name: str, cidr: str) -> None:
    program = a3_mega().set(name, cidr, "ipCidrRange")
    (finding,) = judged(program, "GPU-GKE-17")
    assert (finding.urn, finding.path, finding.fails) == (program.urn(name), "ipCidrRange", True)
    assert f"{name}: 0 addresses in {cidr}" in finding.message


@pytest.mark.failure("A6")
@pytest.mark.parametrize("cidr", ["10.67.0.0/20", "10.67.0.0/29", None, "no range"])
def test_a_larger_range_repairs_it(cidr: str | None) -> None:
    assert judged(a3_mega().set("gpu-3-sub", cidr, "ipCidrRange"), "GPU-GKE-17") == []


@pytest.mark.parametrize(("count", "fails"), [(9, []), (10, [True])])
def test_a_machine_without_fabric_takes_no_more_networks_than_any(count: int, fails: list[bool]) -> None:
    program = inference()
    listed = [{"network": f"net-{i}", "subnetwork": f"sub-{i}"} for i in range(count)]
    assert [f.fails for f in judged(program.set("l4", {"additionalNodeNetworkConfigs": listed}, "networkConfig"), "GPU-GKE-01")] == fails


ALL_PORTS = [{"protocol": "tcp", "ports": ["0-65535"]}, {"protocol": "17", "ports": ["1-65535"]}, {"protocol": "icmp"}]
TO_TCP = {"ipProtocol": "tcp"}


@pytest.mark.parametrize(
    ("allows", "closed"),
    [
        (ALL_PORTS, 0),
        ([{"protocol": "TCP"}, {"protocol": "udp", "ports": ["0-65535"]}], 0),
        ([{"protocol": "tcp", "ports": ["1024-65535"]}, {"protocol": "udp"}], 1),
        ([{"protocol": "tcp", "ports": ["22"]}, {"protocol": "udp", "ports": ["443"]}], 1),
    ],
)
def test_a_rule_for_every_port_lets_everything_in_however_it_is_written(allows: list[dict[str, Any]], closed: int) -> None:
    found = judged(a3_mega().set("gpu-0-in", allows, "allows"), "GPU-GKE-08")
    assert len(found) == closed


@pytest.mark.parametrize(
    ("configs", "action", "closed"),
    [
        ([{"ipProtocol": "all"}], "allow", 0),
        ([TO_TCP, {"ipProtocol": "udp", "ports": ["0-65535"]}], "allow", 0),
        ([TO_TCP], "allow", 1),
        ([{"ipProtocol": "all"}], "deny", 1),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_a_firewall_policy_that_is_attached_to_the_network_counts(
    configs: list[dict[str, Any]], action: str, closed: int, inside: bool
) -> None:
    rule = {"priority": 100, "direction": "INGRESS", "action": action, "match": {"srcIpRanges": ["10.0.0.0/8"], "layer4Configs": configs}}
    program = a3_mega().without("gpu-0-in")
    if inside:
        program.add(gcp.FIREWALL_POLICIES[1], "policy", rules=[rule])
    else:
        program.add(gcp.FIREWALL_POLICIES[0], "policy", description="fabric").add(
            gcp.FIREWALL_POLICY_RULES[0], "rule", firewallPolicy="@policy", **rule
        )
    program.add(gcp.FIREWALL_POLICY_ASSOCIATIONS[0], "attached", attachmentTarget="@gpu-0", firewallPolicy="@policy")
    assert len(judged(program, "GPU-GKE-08")) == closed


def test_what_a_firewall_policy_of_others_lets_in_is_unknown() -> None:
    program = a3_mega().without("gpu-0-in")
    program.add(gcp.FIREWALL_POLICY_ASSOCIATIONS[0], "attached", attachmentTarget="@gpu-0", firewallPolicy="central")
    (finding,) = judged(program, "GPU-GKE-08")
    assert finding.status is Status.UNKNOWN
    assert "a network firewall policy outside this program" in finding.message
