"""Managed identities, federated credentials, role assignments."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scripts.sandbox.kinds.azure import tokens as t
from scripts.sandbox.refusal import Refusal
from scripts.sandbox.store import Record
from tests.sandbox.azure import SUBSCRIPTION, Azure

ROLE = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c"


def credential(azure: Azure, name: str, subject: str = "system:serviceaccount:a:b") -> Record:
    return azure.make(
        t.FEDERATED_CREDENTIAL,
        resourceName="cluster-identity",
        federatedIdentityCredentialResourceName=name,
        issuer="https://simulated.invalid/",
        subject=subject,
        audiences=["api://AzureADTokenExchange"],
    )


def test_an_identity_keeps_its_principal(azure: Azure):
    azure.group()
    made = azure.identity()
    assert azure.change(made, tags={"a": "b"}).state["principalId"] == made.state["principalId"]


def test_credentials_of_one_identity_are_written_one_after_the_other(azure: Azure):
    azure.group()
    azure.identity()
    first = credential(azure, "first")
    with azure.world.store.transaction():
        azure.world.store.put(replace(first, status="Creating"))
    with pytest.raises(Refusal, match="ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity"):
        credential(azure, "second", "other")


def test_one_subject_has_one_credential_and_an_identity_at_most_twenty(azure: Azure):
    azure.group()
    azure.identity()
    credential(azure, "first")
    with pytest.raises(Refusal, match="already exists for this Managed Identity"):
        credential(azure, "again")
    for number in range(19):
        credential(azure, f"more{number}", f"subject{number}")
    with pytest.raises(Refusal, match="at most 20"):
        credential(azure, "one-too-many", "last")


def test_an_assignment_has_a_guid_for_a_name(azure: Azure):
    group = azure.group()
    with pytest.raises(Refusal, match="InvalidRoleAssignmentId"):
        azure.make(t.ROLE_ASSIGNMENT, scope=group.id, principalId="p", roleDefinitionId=ROLE, roleAssignmentName="mine")


def test_the_same_right_is_not_given_twice(azure: Azure):
    group = azure.group()
    azure.identity()
    azure.grant(group.id)
    with pytest.raises(Refusal, match="RoleAssignmentExists"):
        azure.grant(group.id.upper())


def test_a_right_on_nothing_is_refused_where_the_group_is_known(azure: Azure):
    azure.group()
    azure.identity()
    with pytest.raises(Refusal, match="InvalidResourceReference"):
        azure.grant(f"/subscriptions/{SUBSCRIPTION}/resourceGroups/lab-rg/providers/Microsoft.Network/virtualNetworks/none")


def test_a_right_in_a_group_of_somebody_elses_is_taken(azure: Azure):
    azure.group()
    azure.identity()
    assert azure.grant(f"/subscriptions/{SUBSCRIPTION}/resourceGroups/foreign-rg").status == "Succeeded"


def test_rights_go_with_what_they_are_on(azure: Azure):
    group = azure.group()
    azure.identity()
    right = azure.grant(group.id)
    azure.delete(group)
    assert not azure.there(right)
