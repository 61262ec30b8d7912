"""GPU-AKS-18: whole clusters that AKS refuses."""

from __future__ import annotations

from typing import Any

import pytest

from components.unknown import Unknown
from policies import Level, Status
from policies.readers import azure_types as types
from tests.policies.azure_raw import inference, infiniband, judged, system
from tests.policies.raw import Raw

PROFILE = ("networkProfile",)


def overlay(**ranges: Any) -> Raw:
    return inference().set("aks", {"networkPluginMode": "overlay", **ranges}, *PROFILE).set("nodes", "10.64.0.0/20", "addressPrefix")


def in_nodes_subnet(program: Raw) -> Raw:
    return program.set("aks", [system() | {"vnetSubnetID": "@nodes"}], "agentPoolProfiles")


@pytest.mark.parametrize("program", [inference(), infiniband(), overlay(), overlay(podCidr="192.168.0.0/16", serviceCidr="172.20.0.0/16")])
def test_good_clusters_are_silent(program: Raw) -> None:
    assert judged(program, "GPU-AKS-18") == []


@pytest.mark.parametrize("profiles", [[system() | {"mode": "User"}], [{k: v for k, v in system().items() if k != "mode"}], []])
def test_a_cluster_begins_with_a_system_pool(profiles: list[dict[str, Any]]) -> None:
    (finding,) = judged(inference().set("aks", profiles, "agentPoolProfiles"), "GPU-AKS-18")
    assert (finding.fails, finding.path) == (True, "agentPoolProfiles")


@pytest.mark.parametrize("hidden", [("agentPoolProfiles", 0, "mode"), (*PROFILE, "podCidr"), (*PROFILE, "serviceCidr")])
def test_what_cannot_be_told_is_advice(hidden: tuple[str | int, ...]) -> None:
    (finding,) = judged(overlay().set("aks", Unknown("x"), *hidden), "GPU-AKS-18")
    assert (finding.status, finding.level) == (Status.UNKNOWN, Level.ADVISORY)


def test_a_list_of_pools_that_is_hidden_is_left_to_the_rules_that_count_them() -> None:
    program = inference().set("aks", Unknown("agentPoolProfiles"), "agentPoolProfiles")
    assert judged(program, "GPU-AKS-18") == []
    assert [f.status for f in judged(program, "GPU-AKS-01")] == [Status.UNKNOWN]


def test_aks_automatic_and_the_classic_provider_bring_their_system_pool() -> None:
    automatic = inference().set("aks", {"name": "Automatic"}, "sku").set("aks", [], "agentPoolProfiles")
    classic = Raw(config={"azure-native:location": "eastus"}).add(
        types.CLASSIC_CLUSTER, "kc", defaultNodePool={"vmSize": "Standard_D4s_v5"}
    )
    assert [judged(program, "GPU-AKS-18") for program in (automatic, classic)] == [[], []]


@pytest.mark.parametrize(("name", "words"), [("shared", "which this program makes too"), ("n" * 81, "81 letters"), ("nodes-of-aks", "")])
def test_the_node_group_is_one_that_aks_makes_itself(name: str, words: str) -> None:
    program = inference().add(types.RESOURCE_GROUPS[0], "other", resourceGroupName="shared").set("aks", name, "nodeResourceGroup")
    assert [words in f.message for f in judged(program, "GPU-AKS-18")] == ([True] if words else [])


def test_a_name_made_of_another_groups_is_a_name_of_its_own() -> None:
    program = inference().add(types.RESOURCE_GROUPS[0], "other", resourceGroupName="shared").set("aks", "shared-nodes", "nodeResourceGroup")
    program.written["aks"].depends["nodeResourceGroup"] = (program.urn("other"),)
    assert judged(program, "GPU-AKS-18") == []
    assert judged(program.hide("aks", "nodeResourceGroup"), "GPU-AKS-18") == []


@pytest.mark.parametrize(
    ("prefix", "subnet", "ranges", "levels"),
    [
        ("10.64.0.0/16", "10.64.0.0/20", {"podCidr": "10.64.0.0/14"}, [Level.MANDATORY]),
        ("10.64.0.0/16", "10.64.0.0/20", {"podCidr": "10.64.128.0/17"}, [Level.ADVISORY]),
        ("10.64.0.0/16", "10.64.0.0/20", {"serviceCidr": "10.64.8.0/24"}, [Level.MANDATORY]),
        ("10.0.0.0/8", "10.0.0.0/20", {"podCidr": "192.168.0.0/16"}, [Level.MANDATORY]),
        ("10.0.0.0/8", "10.240.0.0/16", {"podCidr": "192.168.0.0/16"}, [Level.ADVISORY]),
        ("fd00::/48", "fd00::/64", {"podCidr": "no range"}, []),
    ],
)
def test_addresses_of_pods_and_services_lie_outside_of_the_network(
    prefix: str, subnet: str, ranges: dict[str, str], levels: list[Level]
) -> None:
    program = (
        in_nodes_subnet(overlay(**ranges)).set("net", [prefix], "addressSpace", "addressPrefixes").set("nodes", subnet, "addressPrefix")
    )
    assert [f.level for f in judged(program, "GPU-AKS-18")] == levels


@pytest.mark.failure("A6")
@pytest.mark.parametrize(("most", "fails"), [(30, []), (31, [True])])
def test_the_range_of_pods_holds_every_node(most: int, fails: list[bool]) -> None:
    program = overlay(podCidr="192.168.0.0/19").set("a10", most, "maxCount")
    assert [f.fails for f in judged(program, "GPU-AKS-18")] == fails


def test_a_subnet_inside_a_network_of_others_has_no_range_to_compare() -> None:
    program = (
        in_nodes_subnet(overlay(podCidr="10.64.0.0/16")).set("nodes", "elsewhere", "virtualNetworkName").set("nodes", None, "addressPrefix")
    )
    assert judged(program, "GPU-AKS-18") == []
