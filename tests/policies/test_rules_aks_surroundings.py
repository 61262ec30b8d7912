"""GPU-AKS rules of what surrounds a cluster: network, access, budget."""

from __future__ import annotations

import pytest

from components.unknown import Unknown
from policies import Level, Status
from policies.readers import azure_types as types
from tests.policies.azure_raw import inference, judged
from tests.policies.raw import Raw


@pytest.mark.failure("J4")
def test_storage_behind_a_nat_gateway_is_refused() -> None:
    program = inference().set("nodes", None, "serviceEndpoints")
    (finding,) = judged(program, "GPU-AKS-40")
    assert (finding.status, finding.level) == (Status.VIOLATED, Level.MANDATORY)
    assert (finding.urn, finding.path) == (program.urn("nodes"), "serviceEndpoints")


@pytest.mark.failure("J4")
@pytest.mark.parametrize("service", ["Microsoft.Storage", "Microsoft.Storage.Global"])
def test_a_service_endpoint_repairs_it(service: str) -> None:
    assert judged(inference().set("nodes", [{"service": service}], "serviceEndpoints"), "GPU-AKS-40") == []


@pytest.mark.failure("J4")
def test_a_private_endpoint_for_blob_repairs_it_too() -> None:
    program = inference().set("nodes", None, "serviceEndpoints")
    link = {"privateLinkServiceConnections": [{"groupIds": ["blob"]}]}
    assert judged(program.plus(types.PRIVATE_ENDPOINT, "link", location="eastus", **link), "GPU-AKS-40") == []
    assert judged(program.plus(types.PRIVATE_ENDPOINT, "link", location="eastus"), "GPU-AKS-40")


def test_subnets_without_nodes_or_without_nat_are_not_asked() -> None:
    bare = inference().set("nodes", None, "serviceEndpoints")
    assert judged(bare.set("nodes", None, "natGateway"), "GPU-AKS-40") == []
    assert judged(bare.set("a10", "/subscriptions/s/subnets/other", "vnetSubnetID"), "GPU-AKS-40") == []


def inside(**subnet: object) -> Raw:
    program = inference().without("nodes").set("net", [{"name": "nodes", "natGateway": {"id": "@nat"}, **subnet}], "subnets")
    return program.set("a10", "/subscriptions/s/virtualNetworks/net/subnets/Nodes", "vnetSubnetID")


@pytest.mark.failure("J4")
def test_a_subnet_inside_its_network_is_judged_alike() -> None:
    (finding,) = judged(inside(), "GPU-AKS-40")
    assert finding.path == "subnets[0].serviceEndpoints"
    assert judged(inside(serviceEndpoints=[{"service": "Microsoft.Storage"}]), "GPU-AKS-40") == []


def test_endpoints_that_are_hidden_are_no_pass() -> None:
    (finding,) = judged(inference().hide("nodes", "serviceEndpoints"), "GPU-AKS-40")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


@pytest.mark.failure("H8")
@pytest.mark.parametrize("key", ["disableLocalAccounts", "apiServerAccessProfile"])
def test_an_open_cluster_is_told(key: str) -> None:
    (finding,) = judged(inference().set("aks", None, key), "GPU-AKS-41")
    assert (finding.path, finding.level) == (key, Level.ADVISORY)


@pytest.mark.failure("H8")
def test_a_closed_or_private_cluster_repairs_it() -> None:
    assert judged(inference(), "GPU-AKS-41") == []
    assert judged(inference().set("aks", {"enablePrivateCluster": True}, "apiServerAccessProfile"), "GPU-AKS-41") == []


def test_access_that_is_hidden_is_unknown() -> None:
    (finding,) = judged(inference().hide("aks", "disableLocalAccounts"), "GPU-AKS-41")
    assert finding.status is Status.UNKNOWN


def test_a_node_group_that_anyone_may_change_is_told() -> None:
    (finding,) = judged(inference().set("aks", None, "nodeResourceGroupProfile"), "GPU-AKS-42")
    assert finding.level is Level.ADVISORY
    assert judged(inference(), "GPU-AKS-42") == []


def budget(scope: object) -> Raw:
    return inference().plus("azure-native:consumption/v20231101:Budget", "budget", scope=scope, amount=1000, timeGrain="Monthly")


@pytest.mark.parametrize("scope", ["@group", "/subscriptions/s/resourceGroups/g"])
def test_one_budget_over_one_group_misses_the_nodes(scope: str) -> None:
    (finding,) = judged(budget(scope), "GPU-AKS-43")
    assert finding.message.startswith("budget: a budget over one resource group. Nodes stand in the group that AKS makes for them")


def test_a_budget_over_the_subscription_or_a_second_one_repairs_it() -> None:
    assert judged(budget("/subscriptions/s"), "GPU-AKS-43") == judged(inference(), "GPU-AKS-43") == []
    assert judged(budget("@group").plus(types.BUDGETS[0], "second", scope="/subscriptions/s/resourceGroups/nodes"), "GPU-AKS-43") == []


def test_a_scope_that_is_hidden_is_unknown() -> None:
    (finding,) = judged(budget(Unknown("scope")), "GPU-AKS-43")
    assert finding.status is Status.UNKNOWN
