"""Blob stores and the shared file system: closed to the public, kept on destroy, mounted by claims."""

from __future__ import annotations

import pytest

from components.azure.kept_types import KEPT_TYPES
from components.resource import ResourceSet

from .specs import built, one, only, training

ACCOUNT = "azure-native:storage:StorageAccount"
BUCKETS = [{"name": "checkpoints", "use": "checkpoint"}, {"name": "scratch"}]
VOLUME = "kubernetes:core/v1:PersistentVolume"


@pytest.fixture(scope="module")
def made() -> ResourceSet:
    return built(training({"storage": {"buckets": BUCKETS, "shared_filesystem": {"tib": 16}}}))


@pytest.fixture(scope="module")
def private() -> ResourceSet:
    return built(training({"storage": {"buckets": BUCKETS}, "network": {"endpoints": "private"}}))


def test_a_store_is_closed_to_the_public_to_shared_keys_and_to_other_networks(made: ResourceSet) -> None:
    for account in made.of_type(ACCOUNT):
        closed = ("allowBlobPublicAccess", "allowSharedKeyAccess", "allowCrossTenantReplication")
        assert [account.inputs[name] for name in closed] == [False, False, False]
        rules = account.inputs["networkRuleSet"]
        assert (rules["defaultAction"], rules["bypass"], len(rules["virtualNetworkRules"])) == ("Deny", "None", 2)
        assert (account.inputs["minimumTlsVersion"], account.inputs["enableHttpsTrafficOnly"]) == ("TLS1_2", True)


def test_private_endpoints_leave_a_store_no_other_way_in(private: ResourceSet) -> None:
    for account in private.of_type(ACCOUNT):
        assert account.inputs["publicNetworkAccess"] == "Disabled"
        assert account.inputs["networkRuleSet"]["virtualNetworkRules"] == []
    endpoints = private.of_type("azure-native:network:PrivateEndpoint")
    assert [r.name for r in endpoints] == ["lab-checkpoints", "lab-scratch"]
    zone = one(private, "privatedns:PrivateZone")
    assert zone.inputs["privateZoneName"] == "privatelink.blob.core.windows.net"
    groups = private.of_type("azure-native:network:PrivateDnsZoneGroup")
    assert {r.property_dependencies["privateDnsZoneConfigs"] for r in groups} == {(zone.urn,)}


def test_only_checkpoints_keep_old_versions_and_only_scratch_goes(made: ResourceSet) -> None:
    settings = {r.name: r.inputs["isVersioningEnabled"] for r in made.of_type("azure-native:storage:BlobServiceProperties")}
    assert settings == {"lab-checkpoints": True, "lab-scratch": False}
    rules = {r.name: r.inputs["policy"]["rules"][0]["definition"]["actions"] for r in made.of_type("azure-native:storage:ManagementPolicy")}
    assert set(rules["lab-checkpoints"]) == {"version"}
    assert set(rules["lab-scratch"]) == {"baseBlob"}


def test_data_and_what_it_cannot_do_without_outlive_the_cluster_in_a_group_of_their_own(made: ResourceSet) -> None:
    kept = {r.urn for r in made if r.options.retain_on_delete}
    assert {r.urn for r in made if r.type in KEPT_TYPES} <= kept
    group = only(made, "azure-native:resources:ResourceGroup", "lab-data")
    assert group.urn in kept
    for resource in made:
        if resource.urn in kept and resource.type != group.type:
            assert group.urn in resource.property_dependencies["resourceGroupName"], resource.urn
            assert resource.inputs.get("tags", {"gpukit-kept": "data"})["gpukit-kept"] == "data"


def test_what_is_not_data_goes_with_the_cluster(made: ResourceSet) -> None:
    kept = {r.type for r in made if r.options.retain_on_delete}
    others = {"azure-native:resources:ResourceGroup", "azure-native:network:VirtualNetwork", "azure-native:network:Subnet"}
    assert kept == KEPT_TYPES | others
    assert [r.name for r in made.of_type("azure-native:network:Subnet") if r.options.retain_on_delete] == ["lab-files"]


def test_without_data_nothing_is_kept() -> None:
    assert [r.urn for r in built(training()) if r.options.retain_on_delete] == []


def test_pods_use_a_store_under_an_identity_that_their_service_account_alone_may_take(made: ResourceSet) -> None:
    trust = one(made, "managedidentity:FederatedIdentityCredential")
    assert trust.inputs["subject"] == "system:serviceaccount:training:data"
    rights = [r for r in made.of_type("azure-native:authorization:RoleAssignment") if r.name.startswith("lab-data-")]
    assert {r.inputs["roleDefinitionId"].rpartition("/")[2] for r in rights} == {"ba92f5b4-2d11-453d-a403-e96b0029c9fe"}
    assert len({r.property_dependencies["scope"] for r in rights}) == 2


def test_a_store_is_mounted_with_the_pods_own_token_and_no_key(made: ResourceSet) -> None:
    csi = only(made, VOLUME, "lab-checkpoints").inputs["spec"]["csi"]
    assert csi["driver"] == "blob.csi.azure.com"
    assert csi["volumeAttributes"]["mountWithWorkloadIdentityToken"] == "true"
    assert "nodeStageSecretRef" not in csi
    profile = one(made, "containerservice:ManagedCluster").inputs["storageProfile"]
    assert profile["blobCSIDriver"] == {"enabled": True}


def test_the_file_system_stands_in_a_subnet_of_its_own_and_is_mounted_where_the_file_says(made: ResourceSet) -> None:
    files = one(made, "storagecache:AmlFilesystem")
    assert (files.inputs["sku"], files.inputs["storageCapacityTiB"], files.inputs["zones"]) == (
        {"name": "AMLFS-Durable-Premium-125"},
        16,
        ["1"],
    )
    assert files.property_dependencies["filesystemSubnet"] == (one(made, "network:Subnet", "files").urn,)
    csi = only(made, VOLUME, "lab-shared").inputs["spec"]["csi"]
    assert (csi["driver"], csi["volumeAttributes"]["fs-name"]) == ("azurelustre.csi.azure.com", "lustrefs")
    claim = only(made, "kubernetes:core/v1:PersistentVolumeClaim", "lab-shared")
    assert claim.inputs["metadata"]["annotations"] == {"gpukit/mount": "/shared"}


def test_names_of_stores_fit_what_azure_takes_with_pulumis_own_digits(made: ResourceSet) -> None:
    names = [r.name for r in made.of_type(ACCOUNT)]
    assert len(set(names)) == 2
    assert all(name.isalnum() and name == name.lower() and len(name) + 8 <= 24 for name in names)
