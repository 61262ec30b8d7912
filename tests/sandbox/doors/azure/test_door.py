"""The Azure door through the real azure-mgmt clients."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.quota import QuotaMgmtClient
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.storage import StorageManagementClient

from scripts.sandbox.clock import Clock
from scripts.sandbox.doors.azure import listing
from scripts.sandbox.kinds.azure import tokens as t
from tests.sandbox.azure import A100, SUBSCRIPTION, Azure

Client = Callable[[Callable[..., Any]], Any]
NODES = "MC_lab-rg_lab_eastus"
SCOPE = f"subscriptions/{SUBSCRIPTION}/providers/Microsoft.Compute/locations/eastus"


@pytest.fixture
def aks(azure: Azure, client: Client) -> Any:
    """A client of AKS on a cluster `lab` with a pool `gpu` of two nodes."""
    azure.cluster()
    azure.pool(count=2, tags={"gpukit-stack": "dev"})
    return client(ContainerServiceClient)


def test_a_cluster_is_shown_as_aks_shows_it(aks: Any):
    (cluster,) = aks.managed_clusters.list()
    assert (cluster.name, cluster.provisioning_state, cluster.node_resource_group) == ("lab", "Succeeded", NODES)
    assert {pool.name for pool in cluster.agent_pool_profiles} == {"system", "gpu"}
    assert [path.rsplit("/", 1)[-1] for path in cluster.identity.user_assigned_identities] == ["cluster-identity"]


def test_a_pool_is_scaled_by_putting_it_back_with_another_count(azure: Azure, aks: Any):
    pool = aks.agent_pools.get("lab-rg", "lab", "gpu")
    assert (pool.count, pool.vm_size, pool.tags) == (2, A100, {"gpukit-stack": "dev"})
    pool.count = 0
    changed = aks.agent_pools.begin_create_or_update("lab-rg", "lab", "gpu", pool).result()
    assert changed.count == 0
    assert azure.nodes(next(p for p in azure.all(t.AGENT_POOL) if p.id.endswith("/gpu"))) == []


def test_a_pool_is_deleted_as_a_long_running_operation(aks: Any):
    poller = aks.agent_pools.begin_delete("lab-rg", "lab", "gpu")
    poller.wait()
    assert poller.status() == "Succeeded"
    assert [pool.name for pool in aks.agent_pools.list("lab-rg", "lab")] == ["system"]


def test_what_the_cloud_refuses_comes_in_its_own_words(azure: Azure, aks: Any):
    pool = aks.agent_pools.get("lab-rg", "lab", "gpu")
    pool.vm_size = None
    pool.scale_set_priority = "Spot"
    with pytest.raises(HttpResponseError, match="PropertyChangeNotAllowed"):
        aks.agent_pools.begin_create_or_update("lab-rg", "lab", "gpu", pool).result()
    assert len(azure.all(t.SCALE_SET)) == 2


def test_an_operation_that_lasts_is_asked_for_until_it_ends(azure: Azure, client: Client):
    azure.group()
    azure.world.clock = Clock(azure.world.clock.now(), speed=30)
    network = client(NetworkManagementClient)
    standard = {"location": "eastus", "sku": {"name": "Standard"}}
    ip = network.public_ip_addresses.begin_create_or_update(
        "lab-rg", "ip", {**standard, "properties": {"publicIPAllocationMethod": "Static"}}
    ).result()
    poller = network.nat_gateways.begin_create_or_update(
        "lab-rg", "nat", {**standard, "properties": {"publicIpAddresses": [{"id": ip.id}]}}
    )
    assert not poller.done()
    assert network.nat_gateways.get("lab-rg", "nat").provisioning_state == "Creating"
    assert poller.result().provisioning_state == "Succeeded"


def test_what_is_not_there_is_not_found(client: Client):
    with pytest.raises(ResourceNotFoundError, match="was not found"):
        client(ComputeManagementClient).disks.get("lab-rg", "none")


def test_machines_disks_and_interfaces_of_a_pool_are_listed_where_aks_keeps_them(aks: Any, client: Client):
    del aks
    compute, network = client(ComputeManagementClient), client(NetworkManagementClient)
    (gpu,) = [each for each in compute.virtual_machine_scale_sets.list(NODES) if each.sku.name == A100]
    assert gpu.sku.capacity == 2
    machines = list(compute.virtual_machine_scale_set_vms.list(NODES, gpu.name))
    assert [each.instance_view.statuses[1].code for each in machines] == ["PowerState/running"] * 2
    disks = {disk.name for disk in compute.disks.list_by_resource_group(NODES)}
    assert all(each.storage_profile.os_disk.managed_disk.id.rsplit("/", 1)[-1] in disks for each in machines)
    assert len(list(network.network_interfaces.list_virtual_machine_scale_set_network_interfaces(NODES, gpu.name))) == 2


def test_instances_are_deleted_and_their_pool_wants_fewer(azure: Azure, aks: Any, client: Client):
    compute = client(ComputeManagementClient)
    (gpu,) = [each for each in compute.virtual_machine_scale_sets.list(NODES) if each.sku.name == A100]
    compute.virtual_machine_scale_sets.begin_delete_instances(NODES, gpu.name, {"instanceIds": ["0"]}).result()
    assert [each.instance_id for each in compute.virtual_machine_scale_set_vms.list(NODES, gpu.name)] == ["1"]
    assert aks.agent_pools.get("lab-rg", "lab", "gpu").count == 1


def test_a_stopped_cluster_has_no_nodes_and_comes_back(azure: Azure, aks: Any):
    pool = next(p for p in azure.all(t.AGENT_POOL) if p.id.endswith("/gpu"))
    aks.managed_clusters.begin_stop("lab-rg", "lab").result()
    assert (azure.nodes(pool), aks.managed_clusters.get("lab-rg", "lab").power_state.code) == ([], "Stopped")
    aks.managed_clusters.begin_start("lab-rg", "lab").result()
    assert len(azure.nodes(pool)) == 2


def test_a_clusters_credentials_name_its_address_and_hold_no_secret(aks: Any):
    (listed,) = aks.managed_clusters.list_cluster_user_credentials("lab-rg", "lab").kubeconfigs
    config = json.loads(base64.b64decode(listed.value) if not listed.value.startswith(b"{") else listed.value)
    assert config["clusters"][0]["cluster"]["server"].endswith(f"/aks/{SUBSCRIPTION}/lab-rg/lab")
    assert config["users"][0]["user"]["exec"]["command"] == "kubelogin"


def test_everything_of_a_stack_is_found_by_its_tag(aks: Any, client: Client):
    del aks
    resources = client(ResourceManagementClient)
    found = list(resources.resources.list(filter="tagName eq 'gpukit-stack' and tagValue eq 'dev'"))
    assert {each.type for each in found} == {"Microsoft.Compute/virtualMachineScaleSets", "Microsoft.Compute/disks"} | {
        each.type for each in found if "networkInterfaces" in each.type
    }
    assert [group.name for group in resources.resource_groups.list()] == ["lab-rg", NODES]
    with pytest.raises(HttpResponseError, match="InvalidFilterInQueryString"):
        list(resources.resources.list(filter="startswith(name, 'x')"))


def test_a_group_is_deleted_with_all_in_it(azure: Azure, aks: Any, client: Client):
    del aks
    client(ResourceManagementClient).resource_groups.begin_delete("lab-rg").result()
    assert [r.id for r in azure.world.store if r.key.startswith("azure/")] == []


def test_long_lists_come_in_pages(azure: Azure, client: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listing, "PAGE", 2)
    for number in range(5):
        azure.group(f"group{number}")
    assert [group.name for group in client(ResourceManagementClient).resource_groups.list()] == [f"group{number}" for number in range(5)]


def test_cores_in_use_and_their_limits_are_told_twice_alike(azure: Azure, aks: Any, client: Client):
    del aks
    with azure.world.store.transaction():
        azure.world.store.set_meta(quotas={"standardncadsa100v4family": 96})
    usages = {each.name.value: (each.current_value, each.limit) for each in client(ComputeManagementClient).usage.list("eastus")}
    assert usages["StandardNCADSA100v4Family"] == (48, 96)
    assert usages["cores"][0] == 52
    quotas = client(QuotaMgmtClient)
    assert quotas.quota.get("StandardNCADSA100v4Family", SCOPE).properties.limit.value == 96
    assert {each.name: each.properties.usages.value for each in quotas.usages.list(SCOPE)}["StandardNCADSA100v4Family"] == 48


def test_sizes_are_listed_with_what_they_have(client: Client):
    listed = {each.name: each for each in client(ComputeManagementClient).resource_skus.list(filter="location eq 'eastus'")}
    capabilities = {each.name: each.value for each in listed["Standard_ND96isr_H100_v5"].capabilities}
    assert (capabilities["vCPUs"], capabilities["GPUs"], capabilities["RdmaEnabled"]) == ("96", "8", "True")


def test_accounts_and_containers_are_made_and_listed(azure: Azure, client: Client):
    azure.group()
    storage = client(StorageManagementClient)
    account = {"location": "eastus", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "properties": {"allowBlobPublicAccess": False}}
    made = storage.storage_accounts.begin_create("lab-rg", "labdata", account).result()
    assert (made.name, made.allow_blob_public_access) == ("labdata", False)
    storage.blob_containers.create("lab-rg", "labdata", "checkpoints", {})
    assert [each.name for each in storage.blob_containers.list("lab-rg", "labdata")] == ["checkpoints"]
    storage.storage_accounts.delete("lab-rg", "labdata")
    assert not azure.all(t.BLOB_CONTAINER)


def test_parts_of_a_network_keep_their_own_properties(azure: Azure, client: Client):
    azure.ground()
    network = client(NetworkManagementClient)
    assert [each.address_prefix for each in network.virtual_networks.get("lab-rg", "net").subnets] == ["10.0.0.0/24"]
    assert [each.name for each in network.subnets.list("lab-rg", "net")] == ["nodes"]
    inside = [{"name": "a", "properties": {"addressPrefix": "10.1.0.0/24"}}]
    body = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.1.0.0/16"]}, "subnets": inside}}
    made = network.virtual_networks.begin_create_or_update("lab-rg", "two", body).result()
    assert [each.name for each in made.subnets] == ["a"]


@pytest.mark.parametrize(
    ("header", "query", "status", "code"),
    [
        ({}, "?api-version=2024-01-01", 401, "AuthenticationFailed"),
        ({"Authorization": "Bearer x"}, "", 400, "MissingApiVersionParameter"),
    ],
)
def test_a_call_has_a_token_and_a_version(address: str, header: dict[str, str], query: str, status: int, code: str):
    answer = httpx.get(f"{address}/subscriptions{query}", headers=header, trust_env=False)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_another_subscription_is_not_there(address: str):
    answer = httpx.get(f"{address}/subscriptions/other?api-version=2024-01-01", headers={"Authorization": "Bearer x"}, trust_env=False)
    assert answer.json()["error"]["code"] == "SubscriptionNotFound"


def test_a_throttled_call_is_tried_again_by_the_client(azure: Azure, client: Client):
    azure.group()
    azure.world.faults.add("throttle", {"service": "resources", "times": 1})
    assert [group.name for group in client(ResourceManagementClient).resource_groups.list()] == ["lab-rg"]
    assert azure.world.faults.all() == []


def test_features_are_registered_at_their_own_address(address: str):
    path = f"{address}/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Features/providers/Microsoft.ContainerService/features/AKSInfinibandSupport"
    header, version = {"Authorization": "Bearer x"}, {"api-version": "2021-07-01"}
    before = httpx.get(path, headers=header, params=version, trust_env=False).json()
    httpx.post(f"{path}/register", headers=header, params=version, trust_env=False)
    after = httpx.get(path, headers=header, params=version, trust_env=False).json()
    assert [each["properties"]["state"] for each in (before, after)] == ["NotRegistered", "Registered"]
