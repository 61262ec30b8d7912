"""Storage accounts, containers, Lustre, vaults, budgets and other small types."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record
from tests.sandbox.azure import SUBSCRIPTION, Azure


def account(azure: Azure, name: str = "labdata", **changes: Any) -> Record:
    return azure.make(t.STORAGE_ACCOUNT, **{"accountName": name, "kind": "StorageV2", "sku": {"name": "Standard_LRS"}, **changes})


@pytest.mark.parametrize("name", ["has-dash", "ab", "Upper"])
def test_an_accounts_name_has_rules(azure: Azure, name: str):
    azure.group()
    with pytest.raises(Refusal, match="AccountNameInvalid"):
        account(azure, name)


def test_an_accounts_name_is_taken_for_everybody(azure: Azure):
    azure.group()
    azure.group("other-rg")
    account(azure)
    with pytest.raises(Refusal, match="StorageAccountAlreadyTaken"):
        account(azure, resourceGroupName="other-rg")


def test_a_container_is_public_only_where_its_account_allows_it(azure: Azure):
    azure.group()
    account(azure)
    with pytest.raises(Refusal, match="PublicAccessNotPermitted"):
        azure.make(t.BLOB_CONTAINER, accountName="labdata", containerName="open", publicAccess="Blob")
    private = azure.make(t.BLOB_CONTAINER, accountName="labdata", containerName="closed")
    azure.delete(azure.all(t.STORAGE_ACCOUNT)[0])
    assert not azure.there(private)


def test_settings_of_a_service_can_be_put_though_the_service_is_there(azure: Azure):
    azure.group()
    account(azure)
    azure.make(t.BLOB_SERVICE, accountName="labdata", blobServicesName="default")
    azure.make(t.BLOB_SERVICE, accountName="labdata", blobServicesName="default", isVersioningEnabled=True)


def lustre(azure: Azure, tib: float = 16, sku: str = "AMLFS-Durable-Premium-125") -> Record:
    subnet = next(s for s in azure.all(t.SUBNET))
    window = {"dayOfWeek": "Sunday", "timeOfDayUTC": "02:00"}
    return azure.make(
        t.LUSTRE,
        amlFilesystemName="fs",
        sku={"name": sku},
        storageCapacityTiB=tib,
        filesystemSubnet=subnet.id,
        maintenanceWindow=window,
        zones=["1"],
    )


def test_a_file_system_has_a_size_that_is_sold_and_keeps_its_subnet(azure: Azure):
    subnet = azure.ground()
    with pytest.raises(Refusal, match="is not offered for AMLFS-Durable-Premium-125"):
        lustre(azure, 10)
    with pytest.raises(Refusal, match="is not one of AMLFS"):
        lustre(azure, sku="AMLFS-Cheap")
    made = lustre(azure)
    assert made.state["throughputProvisionedMBps"] == 2000
    with pytest.raises(Refusal, match="InUseSubnetCannotBeDeleted"):
        azure.delete(subnet)
    azure.delete(made)
    azure.delete(subnet)


def test_a_file_system_needs_room_in_its_subnet(azure: Azure):
    azure.group()
    azure.vnet()
    azure.subnet(prefix="10.0.0.0/28")
    with pytest.raises(Refusal, match="16 TiB need /27 or larger"):
        lustre(azure)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"timePeriod": {"startDate": "2026-11-15T00:00:00Z"}}, "first of a month"),
        ({"amount": 0}, "above zero"),
        ({"notifications": {"a": {"contactEmails": []}}}, "1 to 50 contacts"),
        ({"notifications": {str(n): {"contactEmails": ["a@example.com"]} for n in range(6)}}, "at most 5 notifications"),
    ],
)
def test_a_budget_has_rules(azure: Azure, changes: dict[str, Any], words: str):
    given = {
        "scope": f"/subscriptions/{SUBSCRIPTION}",
        "budgetName": "lab",
        "amount": 1000,
        "category": "Cost",
        "timeGrain": "Monthly",
        "timePeriod": {"startDate": "2026-11-01T00:00:00Z"},
    }
    with pytest.raises(Refusal, match=words):
        azure.make(t.BUDGET, **{**given, **changes})
    azure.make(t.BUDGET, **given)


def test_a_deleted_vault_keeps_its_name(azure: Azure):
    azure.group()
    vault = azure.make(t.VAULT, vaultName="lab-secrets", properties={"tenantId": "t"})
    azure.delete(vault)
    with pytest.raises(Refusal, match="already exists in deleted state"):
        azure.make(t.VAULT, vaultName="lab-secrets", properties={"tenantId": "t"})


@pytest.mark.parametrize("name", ["1starts-with-a-digit", "azure-training-prod-secrets-0123456", "two--dashes"])
def test_a_vaults_name_has_rules(azure: Azure, name: str):
    azure.group()
    with pytest.raises(Refusal, match="VaultNameNotValid"):
        azure.make(t.VAULT, vaultName=name, properties={})


def test_a_diagnostic_setting_says_where_to(azure: Azure):
    azure.group()
    vnet = azure.vnet()
    with pytest.raises(Refusal, match="At least one data sink"):
        azure.make(t.DIAGNOSTIC_SETTING, resourceUri=vnet.id, name="logs")


@pytest.mark.parametrize(("name", "hours"), [("weekly", 6), ("default", 2)])
def test_a_maintenance_window_has_one_of_three_names_and_hours_enough(azure: Azure, name: str, hours: int):
    azure.cluster()
    with pytest.raises(Refusal, match="InvalidMaintenanceConfiguration"):
        azure.make(t.CLUSTER_MAINTENANCE, resourceName="lab", configName=name, maintenanceWindow={"durationHours": hours})
