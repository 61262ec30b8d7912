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


@pytest.mark.parametrize("group", ["@aks", "nodes-of-aks"])
def test_what_is_put_into_the_group_of_the_nodes_goes_with_them(group: str) -> None:
    program = inference().set("aks", "Nodes-of-AKS", "nodeResourceGroup")
    disk = {"location": "eastus", "sku": {"name": "Premium_LRS"}, "diskSizeGB": 128}
    (finding,) = judged(program.plus("azure-native:compute:Disk", "data", resourceGroupName=group, **disk), "GPU-AKS-42")
    assert (finding.status, finding.fails) == (Status.VIOLATED, True)
    assert "data in the resource group that AKS makes for the nodes" in finding.message


@pytest.mark.parametrize("group", ["@group", "another"])
def test_a_group_of_its_own_repairs_it(group: object) -> None:
    program = inference().set("aks", "nodes-of-aks", "nodeResourceGroup")
    assert judged(program.plus("azure-native:compute:Disk", "data", resourceGroupName=group), "GPU-AKS-42") == []
    assert judged(inference(), "GPU-AKS-42") == []


@pytest.mark.parametrize(("nodes", "group"), [("nodes-of-aks", Unknown("g")), (Unknown("n"), "another"), (Unknown("n"), Unknown("g"))])
def test_a_disk_of_which_the_group_cannot_be_told_is_no_pass(nodes: object, group: object) -> None:
    program = inference().set("aks", nodes, "nodeResourceGroup").plus("azure-native:compute:Disk", "data", resourceGroupName=group)
    (finding,) = judged(program, "GPU-AKS-42")
    assert (finding.status, finding.fails) == (Status.UNKNOWN, True)


def test_a_disk_beside_the_cluster_is_in_no_doubt() -> None:
    program = (
        inference().set("aks", Unknown("n"), "nodeResourceGroup").plus("azure-native:compute:Disk", "data", resourceGroupName="@group")
    )
    assert judged(program, "GPU-AKS-42") == []
    elsewhere = program.plus("pulumi:pulumi:StackReference", "base", name="org/base/dev").set("aks", "@base", "resourceGroupName")
    assert judged(elsewhere.set("aks", "nodes", "nodeResourceGroup").set("data", "@base", "resourceGroupName"), "GPU-AKS-42") == []


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


# --- GPU-AKS-44


def rule(priority: int, access: str, source: str, port: str = "*", protocol: str = "*") -> dict[str, object]:
    return {
        "name": f"rule-{priority}",
        "priority": priority,
        "access": access,
        "direction": "Inbound",
        "protocol": protocol,
        "sourceAddressPrefix": source,
        "destinationPortRange": port,
    }


DENY, ALLOW = rule(200, "Deny", "*"), rule(100, "Allow", "VirtualNetwork")


def guarded(*rules: object) -> Raw:
    program = inference().plus("azure-native:network/v20240101:NetworkSecurityGroup", "nsg", securityRules=list(rules))
    return program.set("nodes", {"id": "@nsg"}, "networkSecurityGroup")


def test_denying_everything_keeps_nodes_apart() -> None:
    (finding,) = judged(guarded(DENY, rule(300, "Allow", "VirtualNetwork")), "GPU-AKS-44")
    assert (finding.level, finding.path) == (Level.ADVISORY, "securityRules")
    assert "jobs over several nodes never find each other" in finding.message


@pytest.mark.parametrize("rules", [(), (ALLOW, DENY), (rule(200, "Deny", "*", "22"),), ({**DENY, "direction": "Outbound"},)])
def test_allowing_the_network_first_or_denying_less_repairs_it(rules: tuple[object, ...]) -> None:
    assert judged(guarded(*rules), "GPU-AKS-44") == []


def test_a_rule_of_its_own_counts_like_one_inside() -> None:
    program = guarded().plus("azure-native:network:SecurityRule", "deny", networkSecurityGroupName="@nsg", **DENY)
    assert len(judged(program, "GPU-AKS-44")) == 1


def test_a_rule_of_another_group_does_not_count_and_one_of_a_hidden_group_may() -> None:
    program = guarded().plus("azure-native:network:SecurityRule", "deny", networkSecurityGroupName="theirs", **DENY)
    assert judged(program, "GPU-AKS-44") == []
    (finding,) = judged(program.hide("deny", "networkSecurityGroupName"), "GPU-AKS-44")
    assert finding.status is Status.UNKNOWN


@pytest.mark.parametrize("source", ["*", "Internet", "0.0.0.0/0"])
def test_a_port_that_is_open_to_everyone_is_told(source: str) -> None:
    (finding,) = judged(guarded(rule(100, "Allow", source, "22", "Tcp")), "GPU-AKS-44")
    assert "ports 22 of GPU nodes are open to every address" in finding.message
    assert judged(guarded(rule(100, "Allow", "203.0.113.0/24", "22", "Tcp")), "GPU-AKS-44") == []


@pytest.mark.parametrize(
    "hidden",
    [
        Unknown("rules"),
        [{**DENY, "priority": Unknown("p")}],
        [{"direction": "Inbound"}],
        [{**DENY, "sourceAddressPrefixes": [1]}],
        [{**DENY, "sourceAddressPrefixes": Unknown("s")}],
    ],
)
def test_rules_that_cannot_be_read_are_unknown(hidden: object) -> None:
    (finding,) = judged(guarded().set("nsg", hidden, "securityRules"), "GPU-AKS-44")
    assert finding.status is Status.UNKNOWN


# --- GPU-AKS-45


def test_upgrades_at_any_hour_are_told_and_a_window_repairs_it() -> None:
    program = inference().set("aks", {"upgradeChannel": "stable"}, "autoUpgradeProfile")
    (finding,) = judged(program, "GPU-AKS-45")
    assert finding.path == "autoUpgradeProfile.upgradeChannel"
    window = "azure-native:containerservice/v20250101:MaintenanceConfiguration"
    assert judged(program.plus(window, "window", resourceName="@aks", configName="aksManagedAutoUpgradeSchedule"), "GPU-AKS-45") == []
    assert judged(program.set("aks", {"upgradeChannel": "none"}, "autoUpgradeProfile"), "GPU-AKS-45") == []


def test_a_channel_that_is_hidden_is_unknown() -> None:
    (finding,) = judged(inference().hide("aks", "autoUpgradeProfile"), "GPU-AKS-45")
    assert finding.status is Status.UNKNOWN


def test_a_group_that_guards_other_subnets_is_not_asked() -> None:
    assert judged(guarded(DENY).set("nodes", None, "networkSecurityGroup"), "GPU-AKS-44") == []


def test_programs_without_gpus_on_aks_are_left_alone() -> None:
    program = budget("@group").without("a10")
    assert [f for rule in ("GPU-AKS-41", "GPU-AKS-42", "GPU-AKS-43", "GPU-AKS-45") for f in judged(program, rule)] == []
